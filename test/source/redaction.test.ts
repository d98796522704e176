import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, fromRecords, openSnapshot, pull, type ReadOptions, type Source } from "../../src/index.js";
import { type MovingService, movingService, site } from "../snapshot/moving-service.js";
import { changeByPerson, operations, peopleIn } from "../snapshot/pull/people.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";

const folder = temporaryFolder();
/** Strings that people write. `redact` keeps them. */
const TEXTS = ["a note", "a crew", "a comment", "a purpose"];
const COMMENT = uuid(1, "aaaaaaaa");
const records = {
  sites: [site(12)],
  operations: operations.map((operation) => ({ ...operation, site_id: 12 })),
  datasets: [dataset(1)],
  propertyDefinitions: [definition(COMMENT, "Comment", { description: "a purpose" })],
  layerFeatures: [feature(1, { description: "a note", properties: { ASSIGNEE: "a crew", [COMMENT]: "a comment" } })],
  propertyChanges: [
    changeByPerson(1, 1),
    changeByPerson(2, 1),
    change(3, { property_key: "ASSIGNEE", new_value: "a crew", user_id: null, system: true }),
    change(4, { property_key: COMMENT, new_value: "a comment", user_id: null, system: true }),
  ],
};

let service: MovingService;
const sources: Record<string, () => Source> = {};
const opened: Source[] = [];
beforeAll(async () => {
  service = await movingService(folder, records);
  const path = join(folder, "plain");
  const connection = { baseUrl: service.url, apiKey: "k" };
  const [live, redacting] = [connect(connection), connect({ ...connection, redact: true })];
  await pull(live, path);
  const [memory, snapshot] = [fromRecords(records), await openSnapshot(path)];
  opened.push(live, redacting, memory, snapshot);
  Object.assign(sources, {
    live: () => live,
    "connected to redact": () => redacting,
    memory: () => memory,
    snapshot: () => snapshot,
  });
});
afterAll(async () => {
  for (const source of opened) await source.close();
  await service.close();
});

/** The results of all calls of a source, as JSON. */
async function answers(source: Source, options: ReadOptions): Promise<string> {
  const found: unknown[] = [];
  const scope = { site_id: 12 };
  for (const table of [
    await source.sites({}, options),
    await source.operations({}, options),
    await source.datasets({}, options),
    await source.propertyDefinitions({}, options),
    (await source.layer(scope, options)).table,
  ]) {
    found.push(table.objects());
  }
  for (const [resource, params] of [
    ["operations", {}],
    ["layerFeatures", scope],
    ["propertyChanges", { layer_feature_id: 1 }],
  ] as const) {
    for await (const record of source.records(resource, params, options)) found.push(record);
    for await (const page of source.pages(resource, params, options)) found.push(page);
  }
  const history = await source.history(scope, options);
  found.push(history.changes().objects(), history.editsByUser().objects());
  return JSON.stringify(found);
}

describe.each(["live", "connected to redact", "memory", "snapshot"])("redaction by a source (%s)", (name) => {
  it("removes persons from every result and keeps other strings", async () => {
    const source = sources[name]?.();
    if (!source) throw new TypeError(`no source ${name}`);
    const text = await answers(source, name === "connected to redact" ? {} : { redact: true });
    expect(peopleIn(text)).toEqual([]);
    for (const written of TEXTS) expect(text).toContain(written);
    expect(peopleIn(await answers(source, { redact: false }))).toHaveLength(11);
  });
});
