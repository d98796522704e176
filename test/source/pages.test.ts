import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "../../src/api/page.js";
import type { ResourceName } from "../../src/api/resources.js";
import { ArgumentError } from "../../src/core/errors.js";
import { type Service, startService } from "../../src/service/start-service.js";
import { openSnapshot } from "../../src/snapshot/open-snapshot.js";
import { openStore } from "../../src/snapshot/serve/open-store.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import type { RecordSet } from "../../src/source/memory-reader.js";
import type { Source } from "../../src/source/source.js";
import { mockRecords } from "../client/mock-records.js";
import { randomRuns } from "../support/random-runs.js";
import { dataset, definition, feature, uuid } from "../support/records.js";

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
      dataset_id: 1 + (index % 3 === 0 ? 1 : 0),
      visible_id: index % 5 === 0 ? null : String(values[(index * 7) % 6]),
      updated_at: index % 2 === 0 ? "2024-03-01T01:00:00+01:00" : `2024-03-0${1 + (index % 4)}T00:00:00Z`,
      properties: value === null ? {} : { [size]: value, [due]: value, [note]: value, STATUS: value },
    });
  }),
};

const folder = mkdtempSync(join(tmpdir(), "siteframe-pages-"));
let store: SnapshotStore;
let service: Service;
let sources: Readonly<Record<"live" | "memory" | "snapshot", Source>>;

beforeAll(async () => {
  await writeSnapshot(folder, records);
  store = await openStore(folder);
  service = await startService({ store, apiKeys: [{ key: "k" }] });
  sources = {
    live: connect({ baseUrl: service.url, apiKey: "k" }),
    memory: fromRecords(records),
    snapshot: await openSnapshot(folder),
  };
});

afterAll(async () => {
  await Promise.all(Object.values(sources).map((source) => source.close()));
  await service.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function pagesOf(
  source: Source,
  resource: ResourceName,
  params: object,
  pageSize?: number,
): Promise<readonly Page<{ readonly id: number | string }>[]> {
  const pages = [];
  const options = pageSize === undefined ? {} : { pageSize };
  for await (const page of source.pages(resource, params as never, options)) pages.push(page);
  return pages;
}

const idsOf = (pages: readonly Page<{ readonly id: number | string }>[]) =>
  pages.map(({ data }) => data.map(({ id }) => id));

describe.each(["live", "memory", "snapshot"] as const)("pages of a source (%s)", (kind) => {
  it("come in the order and of the size that were asked for", async () => {
    const pages = await pagesOf(sources[kind], "sites", { _sortBy: "-id" }, 3);
    expect(idsOf(pages)).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
    expect(pages.map(({ pagination }) => pagination)).toEqual(
      [1, 2, 3].map((page) => ({ page, pageSize: 3, rowCount: 7, pageCount: 3 })),
    );
  });

  it("have null last in both directions, and ties by id", async () => {
    expect(idsOf(await pagesOf(sources[kind], "sites", { _sortBy: "peak_power" }))).toEqual([[1, 4, 5, 3, 7, 2, 6]]);
    expect(idsOf(await pagesOf(sources[kind], "sites", { _sortBy: ["-peak_power", "-id"] }))).toEqual([
      [7, 3, 5, 4, 1, 6, 2],
    ]);
  });

  it("are one without rows where nothing is selected", async () => {
    const [page, more] = await pagesOf(sources[kind], "sites", { id: 99, _sortBy: "-id" }, 2);
    expect(page).toEqual({ data: [], pagination: { page: 1, pageSize: 2, rowCount: 0, pageCount: 0 } });
    expect(more).toBeUndefined();
  });

  it("are refused for a size or an order that cannot be", async () => {
    for (const pageSize of [0, -1, 1.5, Number.NaN]) {
      await expect(pagesOf(sources[kind], "sites", {}, pageSize)).rejects.toThrow(ArgumentError);
    }
    await expect(pagesOf(sources[kind], "datasets", { _sortBy: "name" })).rejects.toThrow(ArgumentError);
  });
});

describe.each(["memory", "snapshot"] as const)("pages of a source (%s)", (kind) => {
  it.each(["coordinates", "nothing"])("are refused for an order by %s", async (field) => {
    const pages = pagesOf(sources[kind], "sites", { _sortBy: field });
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
      const live = await pagesOf(sources.live, "layerFeatures", params, pageSize);
      expect(await pagesOf(sources.memory, "layerFeatures", params, pageSize)).toEqual(live);
      expect(await pagesOf(sources.snapshot, "layerFeatures", params, pageSize)).toEqual(live);
    }),
    { numRuns: randomRuns(60) },
  );
});
