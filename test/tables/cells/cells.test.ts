import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { CellColumn } from "../../../src/tables/cells/cell-column.js";
import { InstantColumn } from "../../../src/tables/cells/instant-column.js";
import { TextHeap } from "../../../src/tables/cells/text-heap.js";
import { countTypes, type RecordColumn } from "../../../src/tables/column/column.js";
import { JsonBytes } from "../../../src/tables/json/scan-json.js";
import { assemblePages, finishPage } from "../../../src/tables/read/assemble-pages.js";
import { readPage } from "../../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../../src/tables/read/record-reader.js";
import { countedValues, valuesOf } from "../../support/counted-values.js";
import { randomRuns } from "../../support/random-runs.js";
import { ways } from "../ways.js";

/** Bytes from which on a page is read in WebAssembly. */
let large = 0;

/** One member of a resource's records, with its values as JSON. */
function columnOf(
  texts: readonly string[],
  field = "x",
  resource: "layerFeatures" | "propertyChanges" = "layerFeatures",
): RecordColumn {
  const reader = new RecordReader(resource, large);
  readPage(Buffer.from(`{"data":[${texts.map((text) => `{"properties":{},"${field}":${text}}`).join()}]}`), reader);
  const column = finishPage(reader, reader.take()).fields.get(field);
  if (!column) throw new Error("no column");
  return column;
}

function sameAsJson(texts: readonly string[], field?: string, resource?: "layerFeatures" | "propertyChanges"): void {
  deepStrictEqual(
    [...columnOf(texts, field, resource)],
    texts.map((text): unknown => JSON.parse(text)),
  );
}

/** The cells of a member, by the JSON of their records without braces. */
function cellsOf(members: readonly string[]): CellColumn {
  const reader = new RecordReader("propertyChanges", large);
  readPage(Buffer.from(`{"data":[${members.map((text) => `{${text}}`).join()}]}`), reader);
  const column = finishPage(reader, reader.take()).fields.get("x");
  if (!(column instanceof CellColumn)) throw new Error("no column of cells");
  return column;
}

/** Variants of a string, each with one character replaced. */
function marred(text: string): string[] {
  return [...text].flatMap((_, at) => ["/", ":", "a", "\u00e9"].map((c) => text.slice(0, at) + c + text.slice(at + 1)));
}

describe.each(ways)("cells, read %s", (_way, bytes) => {
  beforeAll(() => {
    large = bytes;
  });

  it("hold numbers bit for bit", () => {
    const numbers = [
      "0 -0 -0.0 1e400 -1e400 1E+2 5e-324 2.5e-320 123456789 1234567890 12345678901234",
      "0.1 11.1234567 -120.12345678 1.123456789 1.1234567891 999999.999999999 123456.7890123456",
      "9007199254740991 9007199254740993 0.30000000000000004 179769313486231580793728971405301e270 0.000001",
    ];
    sameAsJson([...numbers.flatMap((line) => line.split(" ")), `0.${"1".repeat(400)}`, "9".repeat(400)]);
  });

  it("hold every kind of value in one column, in any order", () => {
    const texts = ['"a"', "1", "null", "true", "[1, 2]", '{"a":{}}', "false", '"a"', '""', "[]", "-1.5"];
    sameAsJson(texts);
    sameAsJson(texts.toReversed());
    sameAsJson(texts, "geometry");
    sameAsJson(texts, "created_at");
    expect(countTypes(columnOf(texts))).toEqual({ null: 1, boolean: 2, number: 2, string: 3, json: 3 });
  });

  it("are counted by type, for even and odd numbers of cells", () => {
    const texts = ['"a"', "1", "null", "true", "[1, 2]", '{"a":{}}', "false", '""', "-1.5", `"${"ä".repeat(40_000)}"`];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 40 }), (chosen) => {
        expect(countTypes(columnOf(chosen))).toEqual(countTypes(chosen.map((text): unknown => JSON.parse(text))));
      }),
    );
  });

  it("hold long strings and long JSON", () => {
    const long = "ä".repeat(40_000);
    sameAsJson([
      JSON.stringify(long),
      JSON.stringify(`${long}\n`),
      JSON.stringify([long]),
      '"short"',
      `"${"x".repeat(65_535)}"`,
    ]);
  });

  it("hold deep JSON, up to the limit", () => {
    /** Arrays and objects within each other, with the end of one replaced. */
    const nested = (depth: number, wrongEnd = -1) => {
      const levels = Array.from({ length: depth }, (_, level) => level % 3 === 0);
      const start = levels.map((isObject) => (isObject ? '{"a":' : "["));
      const end = levels.map((isObject, level) => (isObject === (level === wrongEnd) ? "]" : "}"));
      return `${start.join("")}1${end.reverse().join("")}`;
    };
    sameAsJson([nested(70), nested(490), "1", nested(2)]);
    for (let level = 0; level < 70; level += 1) expect(() => columnOf([nested(70, level)])).toThrow(SyntaxError);
    for (const wrong of [nested(501), nested(70).slice(0, -1), "[".repeat(1_000_000)])
      expect(() => columnOf([wrong])).toThrow(SyntaxError);
  });

  it("hold many strings, with and without the dictionary", () => {
    sameAsJson(Array.from({ length: 5000 }, (_, n) => JSON.stringify(`text ${n}`)));
    sameAsJson(Array.from({ length: 20_000 }, (_, n) => JSON.stringify(`text ${n % 3000}`)));
  });

  it("hold strings with equal beginnings, with and without escapes", () => {
    const start = fc.constantFrom("", "a", "abcdefgh", "abcdefghijklmnop", "é€", "a\\", 'abcdefgh"', "\n");
    const text = fc
      .tuple(start, fc.constantFrom("", "x", "y", "xy", '"', "\\", "\u0000", "\ud800"))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), fc.boolean(), (texts, between) => {
        const written = texts.map((one) => JSON.stringify(one));
        sameAsJson(between ? written.flatMap((one, n) => [one, String(n)]) : written);
      }),
      { numRuns: randomRuns(1000, 40) },
    );
    // The raw bytes of the second string begin with those of the first and a quote.
    sameAsJson(['"abcdefg\\\\"', '"abcdefg\\" tail"', '"abcdefg\\\\"']);
    sameAsJson(Array.from({ length: 5000 }, (_, n) => `"same beginning ${n % 40}"`));
    sameAsJson(Array.from({ length: 9000 }, (_, n) => `"${n % 3 === 0 ? n : n % 700}"`));
  });

  it("hold escapes, surrogates and characters of every length", () => {
    const escaped = [
      '"\\u0041\\n"',
      '"A\\n"',
      '"\\ud83d\\ude00"',
      '"\\ud800"',
      '"\\udc00x"',
      '"\\/\\"\\\\"',
      '"\\u0000"',
    ];
    sameAsJson([...escaped, '"\u{1f600}"', '"é€"']);
  });

  it("keep timestamps as they were written", () => {
    const forms = [
      "2024-02-29T23:59:59.123456Z",
      "2024-02-29T23:59:59.120Z",
      "2024-02-29T23:59:59Z",
      "2024-12-31T00:00:00.5+05:30",
    ];
    const others = [
      "2025-02-29T00:00:00.000000Z",
      "1969-01-01T00:00:00.000001Z",
      "2300-01-01T00:00:00.000000Z",
      "2024-01-01",
      "x",
      ...marred("2024-02-29T23:59:59.123456Z"),
      ...marred("1970-01-01T00:00:00Z"),
    ];
    for (const first of forms)
      sameAsJson(
        [first, ...forms, ...others].map((text) => JSON.stringify(text)),
        "created_at",
      );
  });

  it("hold timestamps of one form as microseconds", () => {
    for (const [decimals, us] of [
      ["", 0],
      [".5", 500_000],
      [".123", 123_000],
      [".123456", 123_456],
    ] as const) {
      const columns = columnOf(
        [`"1970-01-01T00:00:00${decimals}Z"`, `"2254-12-31T23:59:59${decimals}Z"`],
        "created_at",
      );
      const last = Date.UTC(2254, 11, 31, 23, 59, 59) * 1000;
      expect(columns).toBeInstanceOf(InstantColumn);
      expect((columns as InstantColumn).zonedUs()).toEqual(Float64Array.of(us, last + us));
    }
  });

  it("hold UUIDs and strings similar to UUIDs", () => {
    const id = "0190abcd-75a1-4c3e-9b10-fedcba987654";
    const neighbours = ["/", ":", "`", "a", "f", "g", "@", "A", "F", "G", "-", "\u007f", "\u00e9"];
    const marredIds = [...id].flatMap((_, at) => neighbours.map((c) => id.slice(0, at) + c + id.slice(at + 1)));
    const others = [id.toUpperCase(), `${id}0`, id.slice(1), `${id.slice(1)}\n`, id.slice(0, 34), ""];
    const ids = [id, ...marredIds, ...others, id];
    const texts = [...ids.map((text) => JSON.stringify(text)), "null", "1", "[1]", "{}", "true", `"${id}"`];
    for (const field of ["id", "caused_by_change_id"]) {
      sameAsJson(texts, field, "propertyChanges");
      sameAsJson(texts.toReversed(), field, "propertyChanges");
    }
    expect(countTypes(columnOf(texts, "id", "propertyChanges"))).toEqual({
      null: 1,
      boolean: 1,
      number: 1,
      string: ids.length + 1,
      json: 2,
    });
  });

  it("hold decimals of every length", () => {
    const digits = "9876543210123456789";
    const numbers = [...digits].flatMap((_, n) => [`0.${digits.slice(0, n + 1)}`, `-11.${digits.slice(n)}`, `5e-${n}`]);
    sameAsJson([...numbers, "0.0000", "0.00001", "48.1234", "48.12340000"]);
  });

  it("are encoded with one code for each string, number and literal", () => {
    const value = fc.oneof(
      fc.constantFrom("A", "B", "", null, true, false, 0, -0, 1, "1"),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
      fc.constant([1]),
    );
    fc.assert(
      fc.property(fc.array(fc.option(value, { nil: undefined })), (values) => {
        const members = values.map((x) => (Object.is(x, -0) ? '"x":-0' : JSON.stringify({ x }).slice(1, -1)));
        const column = cellsOf(['"x":null', ...members]);
        const { codes, values: listed } = column.encode();
        expect(Array.from(codes, (code) => listed[code])).toEqual([null, ...values.map((x) => x ?? null)]);
        const alike = listed.filter((x) => typeof x !== "object" || x === null);
        const zeroes = alike.filter((x) => Object.is(x, -0)).length;
        // A set takes -0 for 0.
        expect(new Set(alike).size).toBeGreaterThanOrEqual(alike.length - zeroes);
        expect(zeroes).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("count their values, with equal hashes for equal strings", () => {
    const many = Array.from({ length: 4000 }, (_, row) => `text ${row}`);
    const ids = Array.from({ length: 20 }, () => crypto.randomUUID());
    const value = fc.oneof(
      fc.constantFrom("A", "", "é", "\ud800", null, true, false, 0, -0, 1.5, "text 3999", ...ids),
      fc.string(),
      fc.constant([1]),
      fc.constant({ type: "Point", coordinates: [1, 2] }),
      // A record without the member.
      fc.constant(undefined),
    );
    fc.assert(
      fc.property(fc.array(value), (some) => {
        const values = [...many, ...some, ...some];
        const column = cellsOf(values.map((x) => JSON.stringify({ x }).slice(1, -1)));
        const { values: counted, hashes } = countedValues(column);
        expect(counted).toEqual(valuesOf(column));
        expect([...hashes].filter(([, { size }]) => size > 1)).toEqual([]);
        // The dictionary, whose strings have no hashes, is dropped on the way.
        expect(hashes.size).toBeGreaterThan(1000);
      }),
      { numRuns: randomRuns(20, 4) },
    );
  });

  it("hold geometries of every kind in any notation", () => {
    const geometries = [
      '{"type":"Point","coordinates":[1.5,-2]}',
      '{"type":"Point","coordinates":[1,2,3]}',
      '{"type":"Point","coordinates":[1,2,3,4]}',
      '{"type":"Point","coordinates":[]}',
      '{"type":"MultiPoint","coordinates":[]}',
      '{"type":"LineString","coordinates":[[0,0],[1,1,1]]}',
      '{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1],[0,0]],[]]}',
      '{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[0,1],[0,0]]],[[[1e-9,11.123456789012344]]]]}',
      '{"type":"Polygon","coordinates":[1,2]}',
      '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[0,0]}]}',
      '{"coordinates":[1,2],"type":"Point"}',
      '{"type":"Point","coordinates":[1,2],"bbox":[1,2,1,2]}',
    ];
    const spaced = geometries.map((text) => JSON.stringify(JSON.parse(text), null, 2));
    for (const texts of [geometries, spaced]) sameAsJson(texts, "geometry");
  });

  it("hold short and long geometries, also if one has another notation", () => {
    const short = fc.integer({ min: 1, max: 6 });
    // Memory grows by 65,536 numbers: most of these geometries span two parts, some fill more than one.
    const long = fc.integer({ min: 9_000, max: 50_000 });
    const line = fc.record({
      length: fc.oneof({ weight: 3, arbitrary: short }, long),
      dimensions: fc.constantFrom(2, 2, 3),
      isOdd: fc.constantFrom(false, false, false, true),
    });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 9 }), (lines) => {
        const texts = lines.map(({ length, dimensions, isOdd }, index) => {
          const at = (n: number) => Array.from({ length: dimensions }, (_, axis) => 10 * n + axis + index / 8);
          const coordinates = Array.from({ length }, (_, n) => at(n));
          // Only the end differs.
          if (isOdd) coordinates.push([1, 2, 3, 4]);
          return JSON.stringify({ type: "LineString", coordinates });
        });
        const values = [...columnOf(texts, "geometry")].map((value) => JSON.stringify(value));
        expect(values.every((value, row) => value === texts[row])).toBe(true);
      }),
      { numRuns: randomRuns(20, 4) },
    );
  });
});

describe.each(ways)("a page, read %s", (_way, bytes) => {
  beforeAll(() => {
    large = bytes;
  });

  it("has no cells of properties that its records lack", () => {
    const reader = new RecordReader("layerFeatures", large);
    const pages = ['{"id":1,"properties":{"A":1}}', '{"properties":{"B":1},"id":2}'].map((records) => {
      readPage(Buffer.from(`{"data":[${records}]}`), reader);
      return reader.take();
    });
    const names = pages.map(({ cells }) =>
      [...reader.properties].flatMap(([name, builder]) => (cells.has(builder) ? [name] : [])),
    );
    expect(names).toEqual([["A"], ["B"]]);
  });
});

describe("the heap of strings", () => {
  it("throws an error when its positions are used up", () => {
    const heap = new TextHeap();
    const text = new JsonBytes(Buffer.from("text"));
    // Each string uses a separate segment, of which only four bytes are written.
    const segment = 1 << 20;
    for (let n = 0; n < 4096; n += 1) heap.append(text, 0, segment);
    expect(() => heap.append(text, 0, segment)).toThrow(ArgumentError);
  });
});

describe.each(ways)("assembling pages, read %s", (_way, bytes) => {
  beforeAll(() => {
    large = bytes;
  });

  it("keeps the order of slices and fills columns that a page lacks", () => {
    const reader = new RecordReader("layerFeatures", large);
    const pages = [
      '{"id":1,"properties":{"A":1}},{"id":2,"properties":{"A":2}}',
      '{"id":3,"properties":{"B":"b"}}',
    ].map((records) => {
      readPage(Buffer.from(`{"data":[${records}]}`), reader);
      return reader.take();
    });
    const slice = (page: number, start: number, end: number) => {
      const content = pages[page];
      if (!content) throw new Error("no page");
      return { content, start, end };
    };
    const { fields, properties, rowCount } = assemblePages(reader, [slice(1, 0, 1), slice(0, 1, 2), slice(0, 0, 1)]);
    expect(rowCount).toBe(3);
    expect([...(fields.get("id") ?? [])]).toEqual([3, 2, 1]);
    expect([...(properties.get("A") ?? [])]).toEqual([null, 2, 1]);
    expect([...(properties.get("B") ?? [])]).toEqual(["b", null, null]);
    expect(properties.get("B")?.has(1)).toBe(false);
  });
});
