import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/core/diagnostic.js";
import type { LayerFeature } from "../../../src/index.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { pulledSnapshot } from "../opened-snapshot.js";

/** `01` to beyond the last valid number. */
const digits = (from: number, to: number) => fc.integer({ min: from, max: to }).map((n) => String(n).padStart(2, "0"));
const year = fc.oneof(fc.integer({ min: 1900, max: 2254 }).map(String), fc.constantFrom("1700", "2000", "24", "12024"));
const zone = fc.oneof(
  fc.constantFrom(
    "",
    "Z",
    "z",
    "+02:00",
    "-0330",
    "+05",
    "-00:00",
    "+99:59",
    "+02:",
    "+14:75",
    "Y",
    " Z",
    "+2",
    "−02:00",
  ),
  fc
    .tuple(fc.constantFrom("+", "-"), digits(0, 25), fc.constantFrom("", ":"), digits(0, 61))
    .map((parts) => parts.join("")),
);
const second = fc.oneof(
  fc.constantFrom("", ":", ":60", ":60.5", ":00,25", ":00.1234567", ":00.", ":59.999999", ":5", ":00.0"),
  digits(0, 61).map((text) => `:${text}`),
  fc
    .tuple(digits(0, 59), fc.constantFrom(".", ","), fc.stringMatching(/^[0-9]{1,9}$/))
    .map(([s, mark, f]) => `:${s}${mark}${f}`),
);
const instant = fc
  .tuple(
    ...([year, digits(0, 13), digits(0, 32), fc.constantFrom("T", "t", " ", "_", "")] as const),
    ...([
      fc.oneof(digits(0, 25), fc.constant("24")),
      fc.oneof(digits(0, 60), fc.constant("00")),
      second,
      zone,
    ] as const),
  )
  .map(([y, m, d, mark, hh, mm, ss, z]) => `${y}-${m}-${d}${mark}${hh}:${mm}${ss}${z}`);
const sound = fc
  .tuple(digits(1, 12), digits(1, 28), fc.constantFrom("T", "t", " "), digits(0, 23), digits(0, 59), second, zone)
  .map(([m, d, mark, hh, mm, ss, z]) => `2024-${m}-${d}${mark}${hh}:${mm}${ss}${z}`);
/** Microseconds of far years are not exact as doubles, seconds are. */
const far = fc
  .tuple(fc.constantFrom("0000", "0001", "0099", "0100", "1600", "9998"), digits(0, 13), digits(0, 32), zone)
  .map(([y, m, d, z]) => `${y}-${m}-${d}T23:59:58${z}`);
const day = fc.tuple(year, digits(0, 13), digits(0, 32)).map((parts) => parts.join("-"));
/** What is stored for views is canonical, of which −0 is 0. Beyond 2^53 an integer's text is another one than its double. */
const double = fc
  .double({ noNaN: true })
  .map((drawn) => (drawn === 0 ? 0 : drawn))
  .filter((drawn) => !Number.isInteger(drawn) || Number.isSafeInteger(drawn) || Math.abs(drawn) > 2 ** 63);
const number = fc.oneof(
  double,
  fc.integer(),
  fc.constantFrom(0, 1e21, 1e20, -(2 ** 63), 2 ** 63, 2 ** 53, 1e-7, 5e-324, 1.5),
);
const value = fc.oneof(
  { arbitrary: instant, weight: 4 },
  { arbitrary: sound, weight: 6 },
  { arbitrary: far, weight: 2 },
  { arbitrary: day, weight: 3 },
  { arbitrary: number, weight: 3 },
  fc.boolean(),
  fc.constantFrom(
    null,
    "",
    "true",
    "5",
    "null",
    [],
    [1],
    {},
    { a: 1 },
    ["2024-01-01"],
    "cut \ud83d",
    "infinity",
    "epoch",
  ),
);

const types = { Seen: "DATETIME", Day: "DATE", Safe: "BOOLEAN", Count: "INTEGER", Cost: "FLOAT" } as const;
const names = Object.keys(types);
const keys = names.map((_, n) => uuid(n + 1, "aaaaaaaa"));
/** As strings, since `Date`s and doubles lose digits. */
const selected = [
  'CAST(epoch_us("Seen") AS VARCHAR) AS "Seen"',
  ...["Day", "Safe", "Count", "Cost"].map((name) => `CAST("${name}" AS VARCHAR) AS "${name}"`),
].join();

describe("views and macros of semantic types", () => {
  it("have the values of exports, and report the same mismatches", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 60, maxLength: 120 }), async (values) => {
        const records = {
          propertyDefinitions: names.map((name, n) =>
            definition(keys[n] ?? "", name, { type: Object.values(types)[n] ?? "" }),
          ),
          layerFeatures: values.map((one, n) =>
            feature(n + 1, { properties: Object.fromEntries(keys.map((key) => [key, one])) } as Partial<LayerFeature>),
          ),
        };
        const snapshot = await pulledSnapshot(records);
        const layer = await snapshot.layer({ semantic_type: "TRENCHES" });
        const rows = (await layer.sql(`SELECT id, ${selected} FROM layer ORDER BY id`)).objects();
        for (const relation of ["TRENCHES", "TRENCHES_AT('2026-01-01')"]) {
          const diagnostics: Diagnostic[] = [];
          const onDiagnostic = (diagnostic: Diagnostic) => diagnostics.push(diagnostic);
          const found = await snapshot.sql(`SELECT id, ${selected} FROM ${relation} ORDER BY id`, { onDiagnostic });
          expect(found.objects()).toEqual(rows);
          const about = (list: readonly Diagnostic[]) =>
            list.map(({ code, count, facts }) => [code, count, facts?.["column"]]);
          const mismatches = layer.diagnostics.filter(({ code }) => code === "value-type-mismatch");
          expect(about(diagnostics.filter(({ code }) => code === "value-type-mismatch"))).toEqual(about(mismatches));
        }
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });

  it("read an instant without a zone as UTC in every session", async () => {
    const [seen = ""] = keys;
    const records = {
      propertyDefinitions: [definition(seen, "Seen", { type: "DATETIME" })],
      layerFeatures: [feature(1, { properties: { [seen]: "2024-01-01T10:00" } })],
    };
    const snapshot = await pulledSnapshot(records);
    const query = "SET TimeZone = 'America/New_York'; SELECT epoch_ms(\"Seen\") AS ms FROM TRENCHES";
    expect((await snapshot.sql(query)).get("ms", 0)).toBe(Date.UTC(2024, 0, 1, 10));
  });

  it.each([
    ["half a pair of surrogates", "cut \ud83d", "cut \ufffd"],
    ["several halves in a row", "\udc00\udc00\ud83d\ud83d\ud83d", "\ufffd".repeat(5)],
    ["halves behind backslashes", "\\\ud83d \\ud83d \\\\\udfff", "\\\ufffd \\ud83d \\\\\ufffd"],
    ["halves beside pairs and quotes", '\u{1f600}\ud83d"\ude00', '\u{1f600}\ufffd"\ufffd'],
    ["U+0000", "a\0b", "a\0b"],
    ["U+FEFF", "\ufeffx", "\ufeffx"],
  ])("keep all values of a feature that has %s", async (_, text, shown) => {
    const place = { type: "Point" as const, coordinates: [11.5, 48.1] };
    const records = {
      layerFeatures: [
        feature(1, {
          geometry: place,
          properties: { STATUS: "OPEN", COST: 7, [text]: 1, TEXT: text, NESTED: [{ a: text }] },
        }),
      ],
      propertyChanges: [change(1, { property_key: "TEXT", new_value: text }), change(2)],
    };
    const snapshot = await pulledSnapshot(records);
    for (const relation of ["TRENCHES", "TRENCHES_AT('2025-01-01')"]) {
      const rows = (await snapshot.sql(`FROM ${relation}`)).objects() as Record<string, unknown>[];
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({ STATUS: "OPEN", COST: 7, TEXT: shown });
      // The feature, its dataset, and the value of the odd key.
      expect(Object.values(rows[0] ?? {}).filter((one) => one === 1)).toHaveLength(3);
      expect(JSON.parse(String(rows[0]?.["NESTED"]))).toEqual([{ a: text }]);
      expect(JSON.parse(String(rows[0]?.["geometry"]))).toEqual(place);
    }
    const states = await snapshot.sql("SELECT value FROM TRENCHES_STATES('2025-01-01') WHERE \"column\" = 'TEXT'");
    expect(states.get("value", 0)).toBe(shown);
    const logged = await snapshot.sql("SELECT value FROM property_changes WHERE property_key = 'TEXT'");
    expect(logged.get("value", 0)).toBe(shown);
  });

  it("have deeply nested values, and numbers beyond a double", async () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 500; depth += 1) deep = [deep];
    const layerFeatures = [
      feature(1, { properties: { DEEP: deep, HUGE: Number("1e400"), STATUS: "OPEN" } } as Partial<LayerFeature>),
    ];
    const snapshot = await pulledSnapshot({ layerFeatures });
    for (const relation of ["TRENCHES", "TRENCHES_AT('2025-01-01')"]) {
      const [row] = (await snapshot.sql(`SELECT "DEEP", "HUGE", "STATUS" FROM ${relation}`)).objects();
      expect(row).toEqual({ DEEP: `${"[".repeat(500)}1${"]".repeat(500)}`, HUGE: Infinity, STATUS: "OPEN" });
    }
  });
});

describe("many keys", () => {
  /** Datasets of one type, each with its definitions, of the same names. */
  function flights(count: number, properties: number) {
    const ids = Array.from({ length: count }, (_, n) => n + 1);
    const key = (flight: number, n: number) => uuid(n, String(flight).padStart(8, "0"));
    const each = Array.from({ length: properties }, (_, n) => n);
    return {
      datasets: ids.map((id) => dataset(id, { semantic_type: "ANOMALIES" })),
      propertyDefinitions: ids.flatMap((id) =>
        each.map((n) => definition(key(id, n), `Property ${n}`, { dataset_id: id, type: n % 2 ? "FLOAT" : "STRING" })),
      ),
      layerFeatures: ids.map((id) =>
        feature(id, {
          ...{ dataset_id: id, semantic_type: "ANOMALIES" },
          properties: Object.fromEntries(each.map((n) => [key(id, n), n % 2 ? id : `x${id}`])),
        }),
      ),
    };
  }

  it("of few names have the columns of one dataset", async () => {
    const snapshot = await pulledSnapshot(flights(60, 10));
    const layer = await snapshot.layer({ semantic_type: "ANOMALIES" });
    for (const relation of ["ANOMALIES", "ANOMALIES_AT('2025-01-01')"]) {
      const found = await snapshot.sql(`SELECT * EXCLUDE (geometry) FROM ${relation} ORDER BY id`);
      const own = layer.table.columnNames().filter((name) => name !== "geometry");
      expect(found.columnNames()).toEqual(own);
      expect(found.array("Property 1")).toEqual(layer.table.array("Property 1"));
      expect(found.array("Property 2")).toEqual(layer.table.array("Property 2"));
    }
    expect((await snapshot.sql("SHOW TABLES")).array("name")).toContain("ANOMALIES");
  });

  it("of many names are read for the queried columns", async () => {
    const each = Array.from({ length: 3000 }, (_, n) => n);
    const properties = Object.fromEntries(each.map((n) => [`k${n}`, n % 2 ? n : `x${n}`]));
    const propertyChanges = [
      change(1, { property_key: "k1", new_value: 100 }),
      change(2, { property_key: "k1", new_value: 1, created_at: "2025-06-01T00:00:00Z" }),
      change(3, { property_key: "k2", new_value: null, created_at: "2024-07-01T00:00:00Z" }),
      change(4, { property_key: "k4", new_value: "later", created_at: "2026-07-01T00:00:00Z" }),
      change(5, { property_key: "LOG", new_value: "only", created_at: "2024-07-01T00:00:00Z" }),
    ];
    const layerFeatures = [feature(1, { properties }), feature(2, { properties: { k3: 5 } })];
    const snapshot = await pulledSnapshot({ layerFeatures, propertyChanges });
    const [row] = (await snapshot.sql("SELECT k1, k2, k2999 FROM TRENCHES ORDER BY id")).objects();
    expect(row).toEqual({ k1: 1, k2: "x2", k2999: 2999 });
    expect((await snapshot.sql("FROM TRENCHES")).numCols()).toBe(3011);
    const history = await snapshot.history({ semantic_type: "TRENCHES" });
    const names = ["id", "k1", "k2", "k3", "k4", "k5", "LOG", "k2999"];
    for (const day of ["2023-01-01", "2024-06-15", "2025-01-01", "2026-01-01"]) {
      const found = await snapshot.sql(`SELECT ${names.join()} FROM TRENCHES_AT('${day}') ORDER BY id`);
      expect(found.objects()).toEqual(history.asOf(day).select(names).objects());
      const states = history.states(day).filter((row: { state: string }) => row.state !== "absent");
      const listed = await snapshot.sql(`SELECT id, "column", value, state FROM TRENCHES_STATES('${day}')`);
      const texts = (list: readonly object[]) =>
        (list as Record<string, unknown>[]).map(({ id, column, value, state }) =>
          [id, column, value === null ? null : String(value), state].join(),
        );
      expect(texts(listed.objects()).sort()).toEqual(texts(states.objects()).sort());
    }
    const kept = await snapshot.sql("FROM TRENCHES_HISTORY WHERE \"column\" IN ('k1', 'k3') ORDER BY id, \"column\"");
    expect(kept.array("value")).toEqual([null, "100", "1", "3", null, "5"]);
  });
});
