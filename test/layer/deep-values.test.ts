import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as aq from "arquero";
import { describe, expect, it } from "vitest";
import { fromRecords, type LayerFeature, openSnapshot, pull, toCSV } from "../../src/index.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { change, dataset, feature } from "../support/records.js";

const folder = temporaryFolder();

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let n = 0; n < depth; n += 1) value = wrap(value);
  return value;
}

function records(value: unknown) {
  const features = [
    feature(1, { properties: { STATUS: value } } as Partial<LayerFeature>),
    feature(2, { properties: { STATUS: "OPEN" } }),
  ];
  const propertyChanges = [
    change(1, { new_value: value }),
    change(2, { new_value: "OPEN", created_at: "2024-07-01T00:00:00Z" }),
  ];
  return { datasets: [dataset(1)], layerFeatures: features, propertyChanges };
}

describe.each([
  ["arrays", 490, (inner: unknown) => [inner], "[", "]"],
  ["objects", 490, (inner: unknown) => ({ a: inner }), '{"a":', "}"],
] as const)("deeply nested %s", (name, depth, wrap, open, close) => {
  const value = nested(depth, wrap);
  const text = `${open.repeat(depth)}1${close.repeat(depth)}`;
  const source = fromRecords(records(value));
  const path = (extension: string) => join(folder, `${name}.${extension}`);

  it("are exported as JSON", async () => {
    const layer = await source.layer({ site_id: 12 });
    expect(await layer.toCSV()).toContain(text.replaceAll('"', '""'));
    expect((await layer.toArrow()).getChild("STATUS").at(0)).toBe(text);
    await layer.toParquet({ path: path("parquet") });
    for (const relation of ["layer", `'${path("parquet")}'`]) {
      const table = await layer.sql(`SELECT "STATUS"::VARCHAR AS s FROM ${relation} ORDER BY id`);
      expect(table.get("s", 0)).toBe(text);
    }
    await layer.toGeoPackage({ path: path("gpkg") });
    expect((await readFile(path("gpkg"))).includes(text.slice(0, 300))).toBe(true);
    await layer.toXLSX({ path: path("xlsx") });
    layer.toGeoJSON();
    expect(layer.describe().numRows()).toBeGreaterThan(0);
    expect(Object.keys(toMimeBundle(layer.table))).toContain("text/html");
  });

  it("are values of histories and snapshots", async () => {
    await pull(source, path("snapshot"), { showProgress: false });
    const snapshot = await openSnapshot(path("snapshot"));
    for (const one of [source, snapshot]) {
      const history = await one.history({ site_id: 12 });
      expect(await toCSV(history.changes())).toContain(text.replaceAll('"', '""'));
      expect(await toCSV(history.asOf("2024-06-30"))).toContain(text.replaceAll('"', '""'));
      expect(history.durations("STATUS").numRows()).toBeGreaterThan(0);
    }
    for (const relation of ["TRENCHES", "TRENCHES_AT('2024-06-30')"]) {
      expect((await snapshot.sql(`SELECT "STATUS" FROM ${relation} ORDER BY id`)).get("STATUS", 0)).toBe(text);
    }
    await snapshot.close();
  });
});

it("refuses circular values", async () => {
  const ring: unknown[] = [];
  ring.push(ring);
  const table = aq.table({ id: [1], ring: [ring] });
  await expect(toCSV(table)).rejects.toMatchObject({
    code: "ERR_ARGUMENT",
    message: expect.stringContaining("contains itself"),
  });
});
