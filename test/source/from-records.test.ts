import { expect, it } from "vitest";
import type { ReadOptions } from "../../src/client/read-options.js";
import { fromRecords } from "../../src/source/from-records.js";
import { change, feature } from "../support/records.js";

const operation = {
  id: 5,
  site_id: 12,
  date_captured: "2024-05-01",
  status: "COMPLETED",
  data_product_id: 1,
  data_product_name: "Thermal",
  description: null,
  date_start: null,
  date_end: null,
  contact_name: "Ada Lovelace",
  contact_phone: null,
  contact_mail: "ada@example.com",
} as const;
const source = fromRecords({
  operations: [operation],
  layerFeatures: [feature(1)],
  propertyChanges: [change(1), change(2), change(3, { user_id: null, system: true })],
});

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}

async function persons(options: ReadOptions): Promise<unknown> {
  const operations = await source.operations({}, options);
  const record = await firstOf(source.records("operations", {}, options));
  const page = await firstOf(source.pages("operations", {}, options));
  const { changes } = await source.history({ site_id: 12 }, options);
  const contacts = [operations.object(), record, page?.data[0]] as readonly (typeof operation)[];
  return [...contacts.flatMap((each) => [each.contact_name, each.contact_mail]), ...changes.array("user_id")];
}

it("replaces person data with stable pseudonyms if it is asked to", async () => {
  const [plain, redacted, again] = await Promise.all([{}, { redact: true }, { redact: true }].map(persons));
  const { contact_name: name, contact_mail: mail } = operation;
  expect(plain).toEqual([name, mail, name, mail, name, mail, 7, 7, null]);
  const [alias, address, , , , , user] = redacted as readonly unknown[];
  expect([alias, address]).toEqual([expect.stringMatching(/^person-/), expect.stringMatching(/^person-/)]);
  expect(user).not.toBe(7);
  expect(redacted).toEqual([alias, address, alias, address, alias, address, user, user, null]);
  expect(again).toEqual(redacted);
});
