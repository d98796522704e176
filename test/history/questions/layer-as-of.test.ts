import { describe, expect, it } from "vitest";
import type { LayerFeature, PropertyChange } from "../../../src/api/resources.js";
import { ArgumentError } from "../../../src/core/errors.js";
import { provenanceOf } from "../../../src/core/provenance.js";
import { Layer } from "../../../src/layer/layer.js";
import { layerMap } from "../../../src/plot/maps/layer-map.js";
import { mapPanels } from "../../../src/plot/maps/map-panels.js";
import { displaySymbol } from "../../../src/tables/display/mime-bundle.js";
import { change, feature, uuid } from "../../support/records.js";
import { historyOf, rowsOf } from "../small-history.js";

const depth = uuid(5, "dddddddd");

const square = (x: number) => ({
  type: "Polygon" as const,
  coordinates: [[0, 1, 3, 2, 0].map((corner) => [x + 0.001 * (corner % 2), 48 + 0.001 * (corner >> 1)])],
});

const features: readonly LayerFeature[] = [
  feature(1, { properties: { STATUS: "CLOSED", [depth]: "2.5" }, geometry: square(11) }),
  feature(2, { properties: { STATUS: "OPEN" }, geometry: square(12) }),
  feature(3, { properties: { STATUS: "OPEN" }, created_at: "2024-09-01T00:00:00Z", geometry: null }),
];

const changes: readonly PropertyChange[] = [
  change(1, { new_value: "OPEN", created_at: "2024-02-01T00:00:00Z" }),
  change(2, { new_value: "CLOSED", created_at: "2024-06-30T22:30:00Z" }),
  change(3, { layer_feature_id: 2, new_value: "OPEN", created_at: "2024-10-01T00:00:00Z" }),
  change(4, { property_key: depth, new_value: 2, created_at: "2024-03-01T00:00:00Z" }),
  change(5, { property_key: depth, new_value: "2.5", created_at: "2024-11-01T00:00:00Z" }),
];

const history = () => historyOf(features, changes);

describe("layerAsOf", () => {
  it.each([
    [{}, "2024-06-29"],
    [{ columns: ["STATUS"] }, "2024-06-29"],
    [{ fillUnknown: "backfill" }, "2024-01-15"],
    [{ absent: "keep" }, "2023-01-15"],
    [{ absent: "keep", fillUnknown: "backfill" }, "2024-02-15T12:00:00Z"],
  ] as const)("is a layer with the table of asOf() with %j", async (options, time) => {
    const past = await history();
    const [layer, table] = [past.layerAsOf(time, options), past.asOf(time, options)];
    expect(layer).toBeInstanceOf(Layer);
    expect(layer.rowCount).toBe(table.numRows());
    expect(layer.table.columnNames()).toEqual(table.columnNames());
    expect(layer.table.objects()).toEqual(table.objects());
    expect(layer.schema.map(({ column }) => column)).toEqual(table.columnNames());
  });

  it("describes past values", async () => {
    const layer = (await history()).layerAsOf("2024-06-29");
    const status = layer.schema.find(({ column }) => column === "STATUS");
    expect(status).toMatchObject({ property_keys: ["STATUS"], nulls: 1, source: "built-in", type: "string" });
    expect(layer.schema.find(({ column }) => column === "Depth")?.definitions[0]?.id).toBe(depth);
    const described = rowsOf(layer.describe().filter((row: { column: string }) => row.column === "STATUS"));
    expect(described).toMatchObject([{ nulls: 1, distinct: 1, top: "OPEN (1)" }]);
  });

  it("reports invalid and unknown past values", async () => {
    const past = await history();
    const codes = (time: string, options = {}) => past.layerAsOf(time, options).diagnostics.map(({ code }) => code);
    expect(past.layerAsOf("2024-06-29").diagnostics).toMatchObject([
      { code: "value-type-mismatch", count: 1, facts: { column: "Depth" } },
      { code: "value-unknown", count: 1, facts: { columns: { STATUS: 1 } } },
    ]);
    expect(codes("2024-12-31")).toEqual([]);
    expect(codes("2024-06-29", { fillUnknown: "backfill" })).toEqual(["value-type-mismatch"]);
    expect(codes("2025-06-30")).toEqual(["date-after-read"]);
  });

  it("has its date in provenance, tables and figures", async () => {
    const past = await history();
    const layer = past.layerAsOf("2024-06-29");
    expect(layer.provenance).toEqual({ ...past.provenance, asOf: "2024-06-29" });
    expect(provenanceOf(layer.table)).toEqual(layer.provenance);
    expect(provenanceOf(past.asOf("2024-06-29"))).toEqual(layer.provenance);
    expect(provenanceOf(layer.describe())?.asOf).toBe("2024-06-29");
    expect(past.layerAsOf(new Date("2024-06-29T12:00:00.500Z")).provenance.asOf).toBe("2024-06-29T12:00:00.500Z");
    expect(String(layer[displaySymbol]()["text/html"])).toContain("as of 2024-06-29");
    expect(layerMap(layer, "STATUS").toSVG()).toContain("As of 2024-06-29. Data read 2025-01-01");
    const madrid = await historyOf(features, changes, { timeZone: "Europe/Madrid" });
    expect(madrid.layerAsOf("2024-06-30").provenance.asOf).toBe("2024-06-30[Europe/Madrid]");
    expect(madrid.layerAsOf("2024-06-30").table.get("STATUS", 0)).toBe("OPEN");
  });

  it("is exported, queried, joined and drawn like every layer", async () => {
    const past = await history();
    const layer = past.layerAsOf("2024-06-29");
    const [first] = layer.toGeoJSON().features;
    expect(first).toMatchObject({ id: 1, geometry: square(11), properties: { STATUS: "OPEN", Depth: null } });
    expect(await layer.toCSV()).toContain("OPEN");
    expect((await layer.toArrow()).numRows).toBe(2);
    const counted = await layer.sql(`SELECT "STATUS", count(*) AS n FROM layer GROUP BY ALL ORDER BY ALL`);
    expect(counted.objects()).toEqual([
      { STATUS: "OPEN", n: 1 },
      { STATUS: null, n: 1 },
    ]);
    const joined = await layer.spatialJoin(past.layerAsOf("2024-12-31"), { predicate: "within" });
    expect(joined.select("id", "STATUS", "other.STATUS").objects()).toEqual([
      { id: 1, STATUS: "OPEN", "other.STATUS": "CLOSED" },
      { id: 2, STATUS: null, "other.STATUS": "OPEN" },
    ]);
    expect((await layer.centroids()).numRows()).toBe(2);
    const dated = layer.table.derive({ date: () => "2024-06-29" });
    for (const figure of [layerMap(layer, "STATUS"), mapPanels(dated, "STATUS")])
      expect(figure.toSVG()).toContain("OPEN");
  });

  it("has the history of its features", async () => {
    const again = await (await history()).layerAsOf("2024-06-29").history();
    expect(again.length).toBe(5);
    expect(rowsOf(again.asOf("2024-12-31")).map(({ id }) => id)).toEqual([1, 2]);
    expect(again.layerAsOf("2024-06-29").table.array("STATUS")).toEqual(["OPEN", null]);
  });

  it("has only the changes of its history", async () => {
    // The ids of these changes are of 1970.
    const old = features.map((one) => ({ ...one, created_at: "1970-01-01T00:00:00Z" }));
    const layer = (await historyOf(old, changes)).knownAt(uuid(1)).layerAsOf("2024-12-31");
    expect(layer.table.array("STATUS")).toEqual(["OPEN", null, "OPEN"]);
    const newer = (await history()).knownAt(uuid(1)).layerAsOf("2024-12-31");
    expect(newer.table.array("id")).toEqual([1]);
  });

  it("refuses what asOf() refuses, with its own name", async () => {
    const past = await history();
    expect(() => past.layerAsOf("2024-02-30")).toThrow(ArgumentError);
    expect(() => past.layerAsOf("2024-02-28", { columns: ["STATU"] })).toThrow(/STATU/);
    expect(() => past.layerAsOf("2024-02-28", { unknwon: "null" } as never)).toThrow(
      'layerAsOf() has no option "unknwon".',
    );
  });
});
