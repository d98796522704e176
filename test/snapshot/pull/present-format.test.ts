import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fromRecords, openSnapshot, pull } from "../../../src/index.js";
import type { Manifest } from "../../../src/snapshot/format/manifest.js";
import { verifySnapshot } from "../../../src/snapshot/verify-snapshot.js";
import { duckdbJson } from "../../support/duckdb-rows.js";
import { change, dataset, definition, feature } from "../../support/records.js";
import { makeVersion2, makeVersion3 } from "../as-older-version.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

const UPPER = "ABCDEF00-0000-4000-8000-000000000001";
const LOWER = UPPER.toLowerCase();

const company = (features: number) => ({
  sites: [site(1), site(2)],
  datasets: [dataset(1, { site_id: null })],
  propertyDefinitions: [definition(LOWER, "Depth")],
  layerFeatures: Array.from({ length: features }, (_, index) =>
    feature(index + 1, { site_id: 1 + (index % 2), properties: { [UPPER]: index, STATUS: { b: 1, a: index } } }),
  ),
  propertyChanges: [
    change(1, { layer_feature_id: 1, property_key: UPPER, new_value: { b: 1, a: 2 } }),
    change(2, { layer_feature_id: 2, property_key: LOWER, new_value: 3 }),
    change(3, { layer_feature_id: 3, property_key: "STATUS", new_value: null }),
  ],
});

const manifestOf = (path: string) => JSON.parse(readFileSync(join(path, "manifest.json"), "utf8")) as Manifest;

function rows(path: string, table: string, columns: string): Promise<readonly unknown[]> {
  const files = join(path, table, "**", "*.parquet");
  return duckdbJson(`SELECT ${columns} FROM read_parquet('${files}') ORDER BY id`);
}

/** What anybody can ask of a snapshot, whatever its format is. */
async function answers(path: string, generation?: number): Promise<unknown> {
  const snapshot = await openSnapshot(path, generation === undefined ? {} : { generation });
  const layer = await snapshot.layer({ site_id: [1, 2] });
  const history = await layer.history();
  const ids = { layer_feature_id: [1, 2, 3, 4] };
  const found = {
    layer: layer.table.objects(),
    states: history.states("2024-07-01").objects(),
    changes: history.changes().objects(),
    upper: (await snapshot.table("propertyChanges", { ...ids, property_key: UPPER })).objects(),
    lower: (await snapshot.table("propertyChanges", { ...ids, property_key: [LOWER, "STATUS"] })).objects(),
    records: (await snapshot.sql("SELECT id, record FROM property_changes ORDER BY id")).objects(),
  };
  await snapshot.close();
  return found;
}

describe("a snapshot of format version 2", () => {
  it("is read as before, and every part of it is brought up by the next pull", async () => {
    const path = join(folder, "older");
    await pull(fromRecords(company(50)), path);
    await pull(fromRecords(company(46)), path);
    const before = await answers(path);
    const present = await rows(path, "property_changes", "property_key, new_value");
    expect(present).toEqual([
      [LOWER, '{"a":2,"b":1}'],
      [LOWER, "3"],
      ["STATUS", null],
    ]);
    await makeVersion2(path);
    expect(manifestOf(path).version).toBe(2);
    expect((await verifySnapshot(path)).damage).toEqual([]);
    expect(await rows(path, "property_changes", "property_key, new_value")).toEqual([
      [UPPER, '{"b":1,"a":2}'],
      [LOWER, "3"],
      ["STATUS", null],
    ]);
    expect(await answers(path)).toEqual(before);

    const gone = await rows(path, "gone_features", "id, gone_at, record");
    await pull(fromRecords(company(45)), path);
    expect(manifestOf(path).version).toBe(4);
    expect((await verifySnapshot(path)).damage).toEqual([]);
    expect(await rows(path, "property_changes", "property_key, new_value")).toEqual(present);
    const values = (id: number) => ({ [LOWER]: String(id - 1), STATUS: `{"a":${id - 1},"b":1}` });
    const maps = "id::INTEGER, properties::JSON";
    const parsed = async (table: string) =>
      (await rows(path, table, maps)).map((row) => {
        const [id, map] = row as [number, string];
        return [id, JSON.parse(map)];
      });
    expect(await parsed("layer_features")).toEqual(company(45).layerFeatures.map(({ id }) => [id, values(id)]));
    expect(await parsed("gone_features")).toEqual([46, 47, 48, 49, 50].map((id) => [id, values(id)]));
    const now = await rows(path, "gone_features", "id, gone_at, record");
    expect(now.slice(1)).toEqual(gone);

    const again = manifestOf(path);
    await pull(fromRecords(company(45)), path);
    expect(manifestOf(path).files).toEqual(again.files);
    expect(await answers(path, 2)).toEqual(before);
  });
});

describe("a snapshot of format version 3", () => {
  it("is read and asked as before; the next pull gives its features geometries, and leaves the log alone", async () => {
    const path = join(folder, "third");
    await pull(fromRecords(company(50)), path);
    await pull(fromRecords(company(46)), path);
    const before = await answers(path);
    const written = await rows(path, "layer_features", "id::INTEGER, st_astext(geometry), bbox");
    await makeVersion3(path);
    expect((await verifySnapshot(path)).damage).toEqual([]);
    expect(await answers(path)).toEqual(before);
    const older = await openSnapshot(path);
    const questions = await older.questions({ site_id: [1, 2] });
    expect((await questions.states("2024-07-01")).numRows()).toBeGreaterThan(0);
    await questions.close();
    const columns = await older.sql("SELECT column_name FROM (DESCRIBE layer_features)");
    expect(columns.array("column_name")).not.toContain("geometry");
    await older.close();

    const old = manifestOf(path);
    const { found } = await pull(fromRecords(company(46)), path);
    expect(found).toMatchObject({ added: 0, changed: 0, gone: 0, returned: 0 });
    const { version, files } = manifestOf(path);
    expect(version).toBe(4);
    const logOf = (list: Manifest["files"]) => list.filter(({ resource }) => resource === "propertyChanges");
    expect(logOf(files)).toEqual(logOf(old.files));
    expect((await verifySnapshot(path)).damage).toEqual([]);
    expect(await rows(path, "layer_features", "id::INTEGER, st_astext(geometry), bbox")).toEqual(written);
    expect(await rows(path, "gone_features", "id::INTEGER, st_astext(geometry)")).toEqual(
      [47, 48, 49, 50].map((id) => [id, "POINT (11.5 48.1)"]),
    );
    expect(await answers(path)).toEqual(before);
    expect(await answers(path, 2)).toEqual(before);
  });
});
