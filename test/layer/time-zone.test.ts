import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { dateOf, exactUs, sourceUsOf } from "../../src/core/instant.js";
import {
  ArgumentError,
  diagnosticsOf,
  type FromRecordsOptions,
  fromRecords,
  type Layer,
  openSnapshot,
  pull,
  type Snapshot,
  toCSV,
} from "../../src/index.js";
import { lines } from "../../src/plot/index.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { site } from "../snapshot/moving-service.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { duckdbJson } from "../support/duckdb-rows.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";

const due = uuid(1, "aaaaaaaa");
const values = [
  "2024-06-30T22:30:00.123456Z",
  "2024-06-30T18:30:00.123456-04:00",
  "2024-07-01 00:30:00.123456",
  "noon",
  null,
];
/** All strings but the last two are this instant, the third in the time zone of the site. */
const us = exactUs("2024-06-30T22:30:00.123456Z") as number;

function records(sites: readonly number[] = [12]) {
  return {
    sites: sites.map((id) => site(id)),
    datasets: sites.map((id) => dataset(id, { site_id: id })),
    propertyDefinitions: [definition(due, "Due", { type: "DATETIME", dataset_id: sites[0] ?? 12 })],
    layerFeatures: sites.flatMap((site_id, index) =>
      values.map((value, n) =>
        feature(100 * index + n + 1, { site_id, dataset_id: site_id, properties: { [due]: value } }),
      ),
    ),
    propertyChanges: values.map((value, n) =>
      change(n, {
        layer_feature_id: n + 1,
        property_key: due,
        new_value: value,
        created_at: "2024-06-30T22:30:00Z",
      }),
    ),
  };
}

const zones = { 12: "Europe/Madrid", 13: "America/Chicago" };
const folder = temporaryFolder();

function read(timeZone: FromRecordsOptions["timeZone"], sites?: readonly number[]) {
  return fromRecords(records(sites), { timeZone, readAt: new Date("2025-01-01T00:00:00Z") });
}

function microseconds(column: Iterable<unknown>): readonly unknown[] {
  return Array.from(column, (value) => (value instanceof Date ? sourceUsOf(value) : value));
}

describe("one instant in the time zone of its site", () => {
  let layer: Layer;
  let snapshot: Snapshot;
  const expected = [us, us, us, "noon", null];

  beforeAll(async () => {
    const source = read(zones);
    layer = await source.layer({ site_id: 12 });
    await pull(source, join(folder, "zones.snapshot"), { showProgress: false });
    snapshot = await openSnapshot(join(folder, "zones.snapshot"), { timeZone: zones });
    return () => snapshot.close();
  });

  it("is exact to the microsecond in tables of the present and the past, in memory and in an engine", async () => {
    const history = await layer.history();
    expect([layer.timeZone, history.timeZone]).toEqual(["Europe/Madrid", "Europe/Madrid"]);
    const lazy = await snapshot.lazyHistory({ site_id: 12 });
    expect(lazy.timeZone).toBe("Europe/Madrid");
    const rows = layer.table.select("id").derive({ time: () => "2024-07-01" });
    const tables = [
      layer.table,
      (await snapshot.layer({ site_id: 12 })).table,
      history.asOf("2024-07-01"),
      history.layerAsOf("2024-07-01").table,
      history.panel(["2024-07-01"]),
      history.joinAsOf(rows, { id: "id", time: "time" }),
      await lazy.asOf("2024-07-01"),
      await lazy.panel(["2024-07-01"]),
    ];
    for (const table of tables) expect(microseconds(table.array("Due"))).toEqual(expected);
  });

  it("is local in text and HTML, with the zone in the header", async () => {
    const bundle = await toMimeBundle(layer.table.select("id", "Due"));
    expect(bundle["text/plain"]).toContain("Due, Europe/Madrid");
    expect(bundle["text/plain"]).toContain("2024-07-01 00:30");
    expect(bundle["text/html"]).toContain("2024-07-01 00:30");
    expect(bundle["text/html"]).toContain("Europe/Madrid");
  });

  it("has its offset in CSV, GeoJSON and Danfo; an invalid value is null", async () => {
    const text = "2024-07-01T00:30:00.123456+02:00";
    const cells = (await toCSV(layer.table.select("Due"))).split("\r\n");
    expect(cells.slice(0, 6)).toEqual(["Due", text, text, text, "", ""]);
    expect(layer.toGeoJSON().features.map(({ properties }) => properties?.["Due"])).toEqual([
      text,
      text,
      text,
      null,
      null,
    ]);
    const frame = (await layer.toDanfo()) as unknown as { column(name: string): { values: readonly unknown[] } };
    expect(frame.column("Due").values.slice(0, 3)).toEqual([text, text, text]);
  });

  it("is a UTC instant with the zone as metadata in Arrow and Parquet", async () => {
    const arrow = await layer.toArrow();
    const field = arrow.schema.fields.find(({ name }) => name === "Due");
    expect(field?.type).toMatchObject({ timezone: "Europe/Madrid" });
    expect(Number(arrow.getChild("Due").at(0))).toBeCloseTo(us / 1000, 3);
    const path = join(folder, "zones.parquet");
    await layer.toParquet({ path });
    expect(await duckdbJson(`SELECT epoch_us("Due") FROM '${path}' ORDER BY id`)).toEqual(
      [us, us, us, null, null].map((value) => [value === null ? null : String(value)]),
    );
    const metadata = await duckdbJson(`SELECT decode(key), decode(value) FROM parquet_kv_metadata('${path}')`);
    const stored = new Map(metadata as [string, string][]).get("siteframe:time_zones");
    expect(JSON.parse(stored ?? "{}")).toMatchObject({ Due: "Europe/Madrid", created_at: "Europe/Madrid" });
  });

  it("is a local time in a workbook, with the zone in the header", async () => {
    const path = join(folder, "zones.xlsx");
    await layer.toXLSX({ path });
    const files = unzipSync(await readFile(path));
    const part = (name: string) => strFromU8(files[name] ?? new Uint8Array());
    expect(part("xl/sharedStrings.xml")).toContain("<t>Due (Europe/Madrid)</t>");
    const serial = Date.UTC(2024, 6, 1, 0, 30, 0, 123) / 86_400_000 + 25_569;
    const numbers = Array.from(part("xl/worksheets/sheet1.xml").matchAll(/<v>([\d.]+)<\/v>/g), ([, n]) => Number(n));
    expect(numbers.filter((number) => Math.abs(number - serial) < 1e-7)).toHaveLength(3);
  });

  it("is a UTC instant in SQL, in the zone of the snapshot for calendar dates", async () => {
    const [row] = (
      await layer.sql("SELECT count(*)::INT AS n FROM layer WHERE \"Due\" = '2024-06-30T22:30:00.123456Z'")
    ).objects();
    expect(row).toEqual({ n: 3 });
  });

  it("ends days at midnight of the zone", async () => {
    const history = await layer.history();
    const logged = (at: string) =>
      history
        .states(at)
        .params({})
        .filter((d: { state: string }) => d.state === "logged")
        .numRows();
    expect([logged("2024-06-30"), logged("2024-07-01")]).toEqual([0, 4]);
    const utc = await layer.history({ timeZone: "UTC" });
    expect(
      utc
        .states("2024-06-30")
        .filter((d: { state: string }) => d.state === "logged")
        .numRows(),
    ).toBe(4);
  });

  it("is local in figures, with the zone in a note", () => {
    const rows = layer.table.filter((d: { id: number }) => d.id <= 2).select("id", "Due");
    const figure = lines(rows, { x: "Due", y: "id" });
    expect(String(figure)).toContain("Times are in Europe/Madrid.");
    expect(String(figure)).toContain("2024-07-01 00:30");
  });

  it("is reported if it has no offset, and if it is invalid", () => {
    const codes = layer.diagnostics.map(({ code, count }) => [code, count]);
    expect(codes).toContainEqual(["value-without-zone", 1]);
    expect(codes).toContainEqual(["value-type-mismatch", 1]);
    const local = layer.diagnostics.find(({ code }) => code === "value-without-zone");
    expect(local?.message).toBe('1 value of "Due" without an offset. It was read as local time in Europe/Madrid.');
  });
});

describe("timeZone", () => {
  it("is that of the column, else of the call, the layer, the source, UTC", async () => {
    const source = read("Asia/Tokyo");
    expect((await read(undefined).layer({ site_id: 12 })).timeZone).toBe("UTC");
    const byDefault = await source.layer({ site_id: 12 });
    const layer = await source.layer({ site_id: 12 }, { timeZone: "Europe/Madrid" });
    const history = await layer.history({ timeZone: { 12: "America/Chicago" } });
    expect([byDefault.timeZone, layer.timeZone, history.timeZone]).toEqual([
      "Asia/Tokyo",
      "Europe/Madrid",
      "America/Chicago",
    ]);
    expect((await source.history({ site_id: 12 }, { timeZone: "Europe/Madrid" })).timeZone).toBe("Europe/Madrid");
    const derived = layer.derive("Flown", () => dateOf(us), { timeZone: "UTC" });
    const [, line = ""] = (await toCSV(derived.table.select("Due", "Flown"))).split("\r\n");
    expect(line).toBe("2024-07-01T00:30:00.123456+02:00,2024-06-30T22:30:00.123456Z");
  });

  it("is UTC for sites in several zones, with a diagnostic", async () => {
    const source = read(zones, [12, 13]);
    const both = await source.layer({ site_id: [12, 13] });
    expect(both.timeZone).toBe("UTC");
    expect(both.diagnostics.map(({ code }) => code)).toContain("time-zone-differs");
    expect((await source.layer({ site_id: 13 })).timeZone).toBe("America/Chicago");
    const codesOf = async (site_id: number[]) =>
      diagnosticsOf(await source.table("layerFeatures", { site_id })).map(({ code }) => code);
    expect(await codesOf([12, 13])).toContain("time-zone-differs");
    expect(await codesOf([13])).not.toContain("time-zone-differs");
    expect((await both.history({ timeZone: "Europe/Madrid" })).timeZone).toBe("Europe/Madrid");
    await pull(source, join(folder, "both.snapshot"), { showProgress: false });
    const stored = await openSnapshot(join(folder, "both.snapshot"), { timeZone: zones });
    const codes: string[] = [];
    const onDiagnostic = ({ code }: { readonly code: string }) => void codes.push(code);
    const lazy = await stored.lazyHistory({ site_id: [12, 13] }, { onDiagnostic });
    expect([lazy.timeZone, codes.filter((code) => code === "time-zone-differs").length]).toEqual(["UTC", 1]);
    expect((await lazy.diagnostics).map(({ code }) => code)).toContain("time-zone-differs");
    await stored.close();
  });

  it("applies to tables of records", async () => {
    const source = read(zones);
    expect((await toMimeBundle(await source.table("layerFeatures", { site_id: 12 })))["text/html"]).toContain(
      "date, Europe/Madrid",
    );
  });

  it("is the first occurrence of a local time that exists twice", async () => {
    const source = fromRecords({
      datasets: [dataset(12)],
      propertyDefinitions: [definition(due, "Due", { type: "DATETIME" })],
      layerFeatures: [feature(1, { properties: { [due]: "2024-10-27T02:30:00" } })],
    });
    const layer = await source.layer({ site_id: 12 }, { timeZone: "Europe/Madrid" });
    expect(layer.table.get("Due", 0)).toEqual(new Date("2024-10-27T00:30:00Z"));
  });

  it("is refused everywhere if it is unknown", async () => {
    const source = read(undefined);
    const layer = await source.layer({ site_id: 12 });
    const calls = [
      () => read("Europe/Madird"),
      () => source.layer({ site_id: 12 }, { timeZone: { 12: "Europe/Madird" } }),
      () => layer.history({ timeZone: "Europe/Madird" }),
      () => layer.derive("Flown", () => null, { timeZone: "Europe/Madird" }),
      () => openSnapshot("none.snapshot", { timeZone: "Europe/Madird" }),
    ];
    for (const call of calls) {
      const refused = expect((async () => call())()).rejects;
      await refused.toThrow('Unknown time zone "Europe/Madird".');
    }
    await expect(source.layer({ site_id: 12 }, { timeZone: { Madrid: "UTC" } })).rejects.toThrow(ArgumentError);
  });
});
