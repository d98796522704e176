import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveFilters } from "../../../src/api/filters.js";
import type { LayerFeature } from "../../../src/api/resources.js";
import { openSnapshot } from "../../../src/index.js";
import type { ColumnHeader } from "../../../src/snapshot/columns/column-file.js";
import { readManifest } from "../../../src/snapshot/folder/manifest-file.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { readFeatures } from "../../../src/source/read-layer.js";
import { countTypes } from "../../../src/tables/column/column.js";
import { type FeatureColumns, featureColumnsOfRecords } from "../../../src/tables/read/feature-columns.js";
import { countedValues, valuesOf } from "../../support/counted-values.js";
import { dataset, feature } from "../../support/records.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryPaths } from "../temporary-folder.js";
import { columnsOf, headerOf, spoil } from "./stored-columns.js";

const newPath = temporaryPaths();

/** Values as an API may write them; keys that mean something to JavaScript. */
const valueText = fc.oneof(
  fc.constantFrom(
    "-0",
    "1.0",
    "1e2",
    "1e400",
    "9007199254740993",
    "null",
    "true",
    '"\\ud800"',
    '"\\u00e9\\n"',
    "[]",
    "{}",
  ),
  fc.constantFrom('"2025-01-01T00:00:00Z"', '"2025-06-30T12:30:00Z"', '"2025-02-30T00:00:00Z"', '"2025-01-01"'),
  fc.json({ maxDepth: 1 }),
);
const key = fc.constantFrom("STATUS", "VOLUME", "__proto__", "constructor", "a\\u0062", "sp ace", "id");
const timestamp = fc.constantFrom(
  "2025-01-01T00:00:00Z",
  "2025-06-30T12:30:59.5Z",
  "1900-01-01T00:00:00Z",
  "2025-01-01T02:00:00+02:00",
);

const featureText = fc
  .record({
    members: fc.dictionary(key, valueText, { noNullPrototype: false }),
    site: fc.constantFrom(1, 2, null),
    dataset: fc.constantFrom(1, 2, 3),
    type: fc.constantFrom('"TRENCHES"', '"FENCES"', "null"),
    description: fc.constantFrom('""', '"\\ud800"', '"long"', "null"),
    at: timestamp,
  })
  .map((made) => (id: number) => {
    const properties = Object.entries(made.members).map(([name, value]) => `"${name}":${value}`);
    return `{"id":${id},"visible_id":"V${id % 7}","properties":{${properties.join()}},"geometry":{"type":"Point","coordinates":[-0,${id}.50]},"dataset_id":${made.dataset},"site_id":${made.site},"operation_id":null,"company_id":1,"semantic_type":${made.type},"description":${made.description},"created_at":"${made.at}","updated_at":"${made.at}","extra":[${id}]}`;
  });

const query = fc.record(
  {
    site_id: fc.subarray([1, 2, null], { minLength: 1 }),
    dataset_id: fc.subarray([1, 2, 3, 4], { minLength: 1 }),
    semantic_type: fc.subarray(["TRENCHES", "FENCES", null], { minLength: 1 }),
  },
  { requiredKeys: ["site_id"] },
);

/** The columns of features, from the records. */
function expected(texts: readonly string[], filters: object) {
  const wanted = Object.entries(filters) as [keyof LayerFeature, readonly unknown[]][];
  const records = texts.map((text) => JSON.parse(text) as LayerFeature);
  // Dataset 3 has a type without layer features.
  const chosen = records.filter((record) => wanted.every(([name, values]) => values.includes(record[name])));
  return featureColumnsOfRecords(chosen.filter(({ dataset_id }) => dataset_id !== 3).sort((a, b) => a.id - b.id));
}

function expectSame(features: FeatureColumns, wanted: FeatureColumns): void {
  expect(features.rowCount).toBe(wanted.rowCount);
  expect([...features.properties.keys()].sort()).toEqual([...wanted.properties.keys()].sort());
  const columns = [
    ...[...wanted.base].map(([name, column]) => [column, features.base.get(name)] as const),
    ...[...wanted.properties].map(([name, column]) => [column, features.properties.get(name)] as const),
  ];
  for (const [column, found = []] of columns) {
    // Counted before a value is read, and after.
    expect(countTypes(found)).toEqual(countTypes(column));
    expect([...found]).toEqual([...column]);
    expect(found.at(wanted.rowCount)).toBeUndefined();
  }
}

describe("column files", () => {
  it("return every value of any selection", async () => {
    const run = async (
      makers: readonly ((id: number) => string)[],
      queries: readonly Readonly<Record<string, unknown>>[],
    ) => {
      const path = newPath();
      const texts = makers.map((make, index) => make(1 + ((index * 7919) % 10_007)));
      const datasets = [1, 2, 3].map((id) => ({ ...dataset(id), type: id === 3 ? "dxf" : "geojson-layer" }));
      await writeSnapshot(path, { datasets, layerFeatures: texts });
      const offline = await openSnapshot(path);
      for (const filters of queries) {
        const { columns: features } = await readFeatures(offline.reader, resolveFilters("layerFeatures", filters), {});
        expectSame(features, expected(texts, filters));
      }
      await offline.close();
      rmSync(path, { recursive: true });
    };
    const queries = fc.array(query, { minLength: 4, maxLength: 4 });
    await fc.assert(fc.asyncProperty(fc.array(featureText, { maxLength: 40 }), queries, run), { numRuns: 8 });
  });

  it("store many values of each kind", async () => {
    const path = newPath();
    const texts = Array.from({ length: 3000 }, (_, index) => {
      const id = index + 1;
      const properties = {
        NUMBER: id % 10 === 0 ? null : id / 7,
        NAME: id % 11 === 0 ? "" : `näme "${id}"`,
        CODE: `code ${id % 300}`,
        AT: new Date(id * 86_400_000).toISOString(),
        MIXED: id % 2 === 0 ? id : `text ${id}`,
        LIST: [id],
        ...(id > 2000 ? { LATE: id, FLAG: id % 2 === 0 } : {}),
      };
      return JSON.stringify(feature(id, { dataset_id: 1, site_id: 1, properties }));
    });
    await writeSnapshot(path, { layerFeatures: texts });
    const header = headerOf<ColumnHeader>(await columnsOf(path, "layerFeatures"));
    const kinds = header.columns.flatMap(({ isProperty, name, kind }) => (isProperty ? [[name, kind]] : []));
    expect(Object.fromEntries(kinds)).toEqual({
      NUMBER: "number",
      NAME: "text",
      CODE: "code16",
      AT: "instant",
      MIXED: "json",
      LIST: "json",
      LATE: "number",
      FLAG: "code8",
    });
    const offline = await openedSnapshot(path);
    const { columns: features } = await readFeatures(offline.reader, new Map([["site_id", [1]]]), {});

    expectSame(features, expected(texts, { site_id: [1] }));
  });

  it("count their values, with equal hashes for equal strings of one kind", async () => {
    const path = newPath();
    const instant = (index: number) => new Date(index * 86_400_000).toISOString();
    const texts = Array.from({ length: 200 }, (_, index) => {
      const site = index < 100 ? 1 : 2;
      const properties = {
        NAME: `name ${index % 150}`,
        // Instants alone at one site, and other texts with the same instants at the other.
        AT: site === 1 || index % 2 === 0 ? instant(index % 100) : `no instant ${index}`,
        SIZE: index % 3 === 0 ? null : index,
        KIND: ["a", "b", null][index % 3],
        LIST: index % 4 === 0 ? null : [index],
        MIXED: ["a", 1, true, { index }, null][index % 5],
        ...(site === 1 ? { ONE: index } : {}),
      };
      return JSON.stringify(feature(index + 1, { dataset_id: 1, site_id: site, properties }));
    });
    await writeSnapshot(path, { layerFeatures: texts });
    const offline = await openedSnapshot(path);
    const hashesOf = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
    for (const sites of [[1], [1, 2]]) {
      for (const ids of [undefined, [3, 50, 99, 100, 101, 180]]) {
        const filters = new Map([["site_id", sites], ...(ids ? [["id", ids] as const] : [])]);
        const { columns } = await readFeatures(offline.reader, filters, {});
        for (const [name, column] of columns.properties) {
          const { values, hashes } = countedValues(column);
          expect(values, name).toEqual(valuesOf(column));
          if (!ids) hashesOf.set(`${name} of ${sites}`, hashes);
        }
      }
    }
    for (const name of ["NAME of 1", "AT of 1", "NAME of 1,2"]) {
      const hashes = [...(hashesOf.get(name)?.values() ?? [])];
      expect(hashes.every(({ size }) => size === 1)).toBe(true);
      expect(new Set(hashes.flatMap((each) => [...each])).size).toBe(hashes.length);
    }
    expect(hashesOf.get("AT of 1,2")?.get(instant(0))).toEqual(
      new Set(["instant 0", expect.stringMatching(/^bytes /)]),
    );
  });
});

async function twoSites(): Promise<string> {
  const path = newPath();
  const layerFeatures = Array.from({ length: 400 }, (_, index) =>
    feature(index + 1, {
      site_id: 1 + (index % 2),
      dataset_id: 1,
      properties: { STATUS: index % 3 === 0 ? "OPEN" : "DONE" },
    }),
  );
  await writeSnapshot(path, { datasets: [dataset(1)], layerFeatures });
  return path;
}

describe("a layer", () => {
  it("reads the column files of its sites only, and no Parquet file", async () => {
    const path = await twoSites();
    const offline = await openedSnapshot(path);
    for (const { path: file, columns, bytes, site_id } of (await readManifest(path)).files) {
      spoil(join(path, file), 0, bytes);
      if (site_id === 2 && columns) spoil(join(path, columns.path), 0, columns.bytes);
    }
    const layer = await offline.layer({ site_id: 1 });
    expect(layer.table.array("id")).toEqual(Array.from({ length: 200 }, (_, index) => 2 * index + 1));
    await expect(offline.layer({ site_id: 2 })).rejects.toThrow(/columns was altered after it was written/);
    await expect(offline.layer({ semantic_type: "TRENCHES" })).rejects.toThrow(/was altered/);
  });

  it("reads a column when its values are used", async () => {
    const path = await twoSites();
    const file = await columnsOf(path, "layerFeatures");
    const { columns, end } = headerOf<ColumnHeader>(file);
    const geometry = columns.find(({ name }) => name === "geometry");
    spoil(file, end + (geometry?.offset ?? 0), geometry?.bytes ?? 0);
    const layer = await (await openedSnapshot(path)).layer({ site_id: 1 });
    expect(layer.table.groupby("STATUS").count().orderby("STATUS").objects()).toEqual([
      { STATUS: "DONE", count: 133 },
      { STATUS: "OPEN", count: 67 },
    ]);
    expect(layer.table.get("geometry", 0)).not.toEqual(feature(1).geometry);
  });

  it("reads columns of its generation also after the snapshot was closed", async () => {
    const path = newPath();
    const records = (value: string) => ({
      datasets: [dataset(1, { site_id: 1 })],
      layerFeatures: [feature(1, { site_id: 1, properties: { STATUS: value } })],
    });
    await writeSnapshot(path, records("OPEN"));
    const offline = await openSnapshot(path);
    const layer = await offline.layer({ site_id: 1 });
    await writeSnapshot(path, records("DONE"));
    await offline.close();
    expect(layer.table.array("STATUS")).toEqual(["OPEN"]);
    await expect(offline.layer({ site_id: 1 })).rejects.toThrow(/was closed/);
    rmSync(path, { recursive: true });
    expect(() => layer.table.array("visible_id")).toThrow(/is missing/);
  });
});
