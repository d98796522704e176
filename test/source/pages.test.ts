import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Page } from "../../src/api/contract.js";
import type { ResourceName } from "../../src/api/resources.js";
import { ArgumentError } from "../../src/core/errors.js";
import type { RecordSet } from "../../src/source/from-records.js";
import type { Source } from "../../src/source/source.js";
import { mockRecords } from "../client/mock-records.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { randomRuns } from "../support/random-runs.js";
import { dataset, definition, feature, uuid } from "../support/records.js";
import { everySource, openEverySource } from "./every-source.js";

const size = uuid(1, "aaaaaaaa");
const due = uuid(2, "aaaaaaaa");
const note = uuid(3, "aaaaaaaa");
const values = ["b", "B", "ä", "\uffff", "\u{1f600}", "10", "9", 9, 10, -1.5, true, null, "2024-05-01", [1]];

const records: RecordSet = {
  sites: mockRecords("sites", 7).map((row, index) => ({
    ...row,
    id: index + 1,
    peak_power: [3, null, 20, 3][index % 4] ?? null,
  })),
  datasets: [1, 2].map((id) => dataset(id)),
  propertyDefinitions: [
    definition(size, "Size", { type: "FLOAT" }),
    definition(due, "Due", { type: "DATE" }),
    definition(note, "Note", { type: "STRING" }),
  ],
  layerFeatures: Array.from({ length: 40 }, (_, index) => {
    const value = values[index % values.length];
    return feature(index + 1, {
      site_id: 1,
      dataset_id: 1 + (index % 3 === 0 ? 1 : 0),
      visible_id: index % 5 === 0 ? null : String(values[(index * 7) % 6]),
      updated_at: index % 2 === 0 ? "2024-03-01T01:00:00+01:00" : `2024-03-0${1 + (index % 4)}T00:00:00Z`,
      properties: value === null ? {} : { [size]: value, [due]: value, [note]: value, STATUS: value },
    });
  }),
};

const source = openEverySource(temporaryFolder(), records);

async function pagesOf(
  from: Source,
  resource: ResourceName,
  params: object,
  pageSize?: number,
): Promise<readonly Page<{ readonly id: number | string }>[]> {
  const pages = [];
  const options = pageSize === undefined ? {} : { pageSize };
  for await (const page of from.pages(resource, params as never, options)) pages.push(page);
  return pages;
}

const idsOf = (pages: readonly Page<{ readonly id: number | string }>[]) =>
  pages.map(({ data }) => data.map(({ id }) => id));

describe.each(everySource)("pages of a %s source", (kind) => {
  it("have the requested order and size", async () => {
    const pages = await pagesOf(source(kind), "sites", { _sortBy: "-id" }, 3);
    expect(idsOf(pages)).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
    expect(pages.map(({ pagination }) => pagination)).toEqual(
      [1, 2, 3].map((page) => ({ page, pageSize: 3, rowCount: 7, pageCount: 3 })),
    );
  });

  it("have null last in both directions, and ties by id", async () => {
    expect(idsOf(await pagesOf(source(kind), "sites", { _sortBy: "peak_power" }))).toEqual([[1, 4, 5, 3, 7, 2, 6]]);
    expect(idsOf(await pagesOf(source(kind), "sites", { _sortBy: ["-peak_power", "-id"] }))).toEqual([
      [7, 3, 5, 4, 1, 6, 2],
    ]);
  });

  it("are one page without rows if nothing is selected", async () => {
    const [page, more] = await pagesOf(source(kind), "sites", { id: 99, _sortBy: "-id" }, 2);
    expect(page).toEqual({ data: [], pagination: { page: 1, pageSize: 2, rowCount: 0, pageCount: 0 } });
    expect(more).toBeUndefined();
  });

  it("are refused for an invalid size or order", async () => {
    for (const pageSize of [0, -1, 1.5, Number.NaN]) {
      await expect(pagesOf(source(kind), "sites", {}, pageSize)).rejects.toThrow(ArgumentError);
    }
    await expect(pagesOf(source(kind), "datasets", { _sortBy: "name" })).rejects.toThrow(ArgumentError);
  });
});

describe.each(["memory", "snapshot"] as const)("pages of a %s source", (kind) => {
  it.each(["coordinates", "nothing"])("are refused for an order by %s", async (field) => {
    const pages = pagesOf(source(kind), "sites", { _sortBy: field });
    await expect(pages).rejects.toThrow(`sites cannot be sorted by "${field}".`);
  });
});

it("all sources give the same pages", async () => {
  const field = fc.constantFrom(
    ...["id", "visible_id", "description", "created_at", "updated_at", "site"],
    ...["STATUS", size, due, note, "no such key"].map((key) => `properties.${key}`),
  );
  const sort = fc.array(
    fc.record({ field, sign: fc.constantFrom("-", "+", "") }).map((key) => key.sign + key.field),
    { minLength: 1, maxLength: 3 },
  );
  const dataset_id = fc.constantFrom([1], [2], [1, 2]);
  await fc.assert(
    fc.asyncProperty(sort, dataset_id, fc.integer({ min: 1, max: 45 }), async (_sortBy, ids, pageSize) => {
      const params = { dataset_id: ids, _sortBy };
      const live = await pagesOf(source("live"), "layerFeatures", params, pageSize);
      expect(await pagesOf(source("memory"), "layerFeatures", params, pageSize)).toEqual(live);
      expect(await pagesOf(source("snapshot"), "layerFeatures", params, pageSize)).toEqual(live);
    }),
    { numRuns: randomRuns(60) },
  );
});
