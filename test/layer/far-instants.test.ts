import { join } from "node:path";
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { formatInstant } from "../../src/core/format/format-date.js";
import { exactUs, parseInstant } from "../../src/core/instant.js";
import { fromRecords, openSnapshot, provenanceOf } from "../../src/index.js";
import { pull } from "../../src/snapshot/pull.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { randomRuns } from "../support/random-runs.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";

const folder = temporaryFolder();
const key = uuid(9);
const two = (value: number) => String(value).padStart(2, "0");

/** Instants of all years that a string can contain, with any number of digits. */
const instants = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 9998 }), fc.constantFrom(1, 99, 100, 1683, 1684, 2254, 2255, 2256, 2540, 9998)),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
    fc.constantFrom("00:00:00", "12:30:45", "23:59:59"),
    fc.oneof(
      fc.constantFrom("", ".9", ".999", ".999999", ".000001", ".123457"),
      fc.integer({ min: 0, max: 999_999 }).map((us) => `.${String(us).padStart(6, "0")}`),
    ),
    fc.constantFrom("Z", "+02:00", "-05:30"),
  )
  .map(
    ([year, month, day, time, digits, zone]) =>
      `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${time}${digits}${zone}`,
  );

const ends = [
  "9999-12-31T23:59:59.999999Z",
  "9999-12-31T23:59:59.999Z",
  "2300-06-30T12:00:00.123457Z",
  "0000-01-01T00:00:00.000001Z",
];
const microseconds = (text: string) => Temporal.Instant.from(text).epochNanoseconds / 1000n;

async function layerOf(values: readonly string[]) {
  const source = fromRecords({
    datasets: [dataset(1)],
    layerFeatures: values.map((value, place) =>
      feature(place + 1, { created_at: value, properties: { [key]: value } }),
    ),
    propertyDefinitions: [definition(key, "Valid to", { type: "DATETIME" })],
  });
  return { source, layer: await source.layer({ site_id: 12 }) };
}

describe("instants of all years", () => {
  it("are read exactly", () => {
    fc.assert(
      fc.property(instants, (text) => {
        const us = exactUs(text);
        expect(BigInt(us ?? -1)).toBe(microseconds(text));
        expect(microseconds(formatInstant(us ?? 0))).toBe(microseconds(text));
        const near = parseInstant(text)?.us ?? Number.NaN;
        expect(Math.abs(Number(microseconds(text) - BigInt(near)))).toBeLessThan(Number.isSafeInteger(near) ? 1 : 32);
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it("are exact in every export", async () => {
    const values = [...ends, ...fc.sample(instants, { numRuns: randomRuns(200), seed: 7 })];
    const { layer } = await layerOf(values);
    const wanted = values.map((value) => String(microseconds(value)));
    const [head = [], ...csv] = (await layer.toCSV())
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(","));
    const column = head.indexOf("Valid to");
    expect(csv.map((cells) => String(microseconds(cells[column] ?? "")))).toEqual(wanted);
    const { features } = layer.toGeoJSON();
    for (const name of ["Valid to", "created_at"]) {
      expect(features.map(({ properties }) => String(microseconds(properties?.[name])))).toEqual(wanted);
    }
    const arrow = await layer.toArrow();
    const words = arrow.getChild("Valid to").data.flatMap((batch) => Array.from(batch.values as BigInt64Array));
    expect(words.slice(0, wanted.length).map(String)).toEqual(wanted);
    const sql = 'SELECT epoch_us("Valid to") AS us, epoch_us(created_at) AS made FROM layer ORDER BY id';
    const rows = (await layer.sql(sql)).objects() as { us: unknown; made: unknown }[];
    expect(rows.map(({ us }) => String(us))).toEqual(wanted);
    expect(rows.map(({ made }) => String(made))).toEqual(wanted);
    await layer.toParquet({ path: join(folder, "far.parquet") });
    const stored = `SELECT epoch_us("Valid to") AS us FROM read_parquet('${join(folder, "far.parquet")}') ORDER BY id`;
    expect(((await layer.sql(stored)).array("us") as unknown[]).map(String)).toEqual(wanted);
    // The last instants of 9999 have milliseconds of that year.
    expect((layer.table.array("created_at") as Date[]).slice(0, 2).map((date) => date.toISOString())).toEqual([
      "9999-12-31T23:59:59.999Z",
      "9999-12-31T23:59:59.999Z",
    ]);
  });

  it("are exact in a snapshot", async () => {
    const values = [...ends, ...fc.sample(instants, { numRuns: randomRuns(40), seed: 3 })];
    const { source } = await layerOf(values);
    await pull(source, join(folder, "far"), {});
    const snapshot = await openSnapshot(join(folder, "far"));
    const found = await snapshot.sql(
      "SELECT id, created_at, epoch_us(created_at) AS us FROM layer_features ORDER BY id",
    );
    const wanted = values.map((value) => String(microseconds(value)));
    expect((found.array("us") as unknown[]).map(String)).toEqual(wanted);
    expect((found.array("created_at") as Date[])[0]?.toISOString()).toBe("9999-12-31T23:59:59.999Z");
    const layer = await snapshot.layer({ site_id: 12 });
    expect(layer.toGeoJSON().features.map(({ properties }) => String(microseconds(properties?.["Valid to"])))).toEqual(
      wanted,
    );
    await snapshot.close();
  });

  it("are inclusive points in time, and keep their spelling", async () => {
    const made = ["2300-06-30T12:00:00.123457Z", "9999-12-31T23:59:59.999999Z"];
    const propertyChanges = made.map((created_at, n) => change(n + 1, { created_at, new_value: created_at }));
    const readAt = new Date("2025-01-01T00:00:00Z");
    const source = fromRecords({ datasets: [dataset(1)], layerFeatures: [feature(1)], propertyChanges }, { readAt });
    const history = await source.history({ site_id: 12 });
    expect(history.asOf("2300-06-29").get("STATUS", 0)).toBeNull();
    expect(history.asOf("9999-12-30").get("STATUS", 0)).toBe(made[0]);
    for (const text of made) {
      const then = history.asOf(text);
      expect(then.get("STATUS", 0)).toBe(text);
      expect(provenanceOf(then)?.asOf).toBe(text);
      expect(history.asOf(text.slice(0, 10)).get("STATUS", 0)).toBe(text);
    }
    const grid = { from: "9998-12-30T00:00:00.000001Z", until: "9998-12-31T00:00:00.000001Z", every: "day" };
    expect(history.counts("STATUS", grid).array("date")).toEqual([grid.from, grid.until]);
  });
});
