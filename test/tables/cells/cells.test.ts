import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { CellColumn } from "../../../src/tables/cells/cell-column.js";
import { TextHeap } from "../../../src/tables/cells/text-heap.js";
import { countTypes, type RecordColumn } from "../../../src/tables/column/column.js";
import { JsonBytes } from "../../../src/tables/json/scan-json.js";
import { assemblePages, finishPage } from "../../../src/tables/read/assemble-pages.js";
import { readPage } from "../../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../../src/tables/read/record-reader.js";
import { countedValues, valuesOf } from "../../support/counted-values.js";
import { randomRuns } from "../../support/random-runs.js";
import { ways } from "../ways.js";

/** Of the way that is looked at. */
let large = 0;

/** One member of a resource's records, whose values are given as JSON text. */
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

/** A text with each of its characters in turn replaced by its neighbours in ASCII and others. */
function marred(text: string): string[] {
  return [...text].flatMap((_, at) => ["/", ":", "a", "\u00e9"].map((c) => text.slice(0, at) + c + text.slice(at + 1)));
}

describe.each(ways)("cells, read %s", (_way, bytes) => {
  beforeAll(() => {
    large = bytes;
  });

  it("hold numbers bit for bit", () => {
    sameAsJson([
      ...[
        "0",
        "-0",
        "-0.0",
        "1e400",
        "-1e400",
        "1E+2",
        "5e-324",
        "2.5e-320",
        "123456789",
        "1234567890",
        "12345678901234",
      ],
      ...["0.1", "11.1234567", "-120.12345678", "1.123456789", "1.1234567891", "999999.999999999", "123456.7890123456"],
      ...[
        "9007199254740991",
        "9007199254740993",
        "0.30000000000000004",
        "179769313486231580793728971405301e270",
        "0.000001",
      ],
      `0.${"1".repeat(400)}`,
      "9".repeat(400),
    ]);
  });

  it("hold every kind of value in one column, whichever came first", () => {
    const texts = ['"a"', "1", "null", "true", "[1, 2]", '{"a":{}}', "false", '"a"', '""', "[]", "-1.5"];
    sameAsJson(texts);
    sameAsJson(texts.toReversed());
    sameAsJson(texts, "geometry");
    sameAsJson(texts, "created_at");
    expect(countTypes(columnOf(texts))).toEqual({ null: 1, boolean: 2, number: 2, string: 3, json: 3 });
  });

  it("are counted by type as their values are, an even number of them and an odd one", () => {
    const texts = ['"a"', "1", "null", "true", "[1, 2]", '{"a":{}}', "false", '""', "-1.5", `"${"ä".repeat(40_000)}"`];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 40 }), (chosen) => {
        expect(countTypes(columnOf(chosen))).toEqual(countTypes(chosen.map((text): unknown => JSON.parse(text))));
      }),
    );
  });

  it("hold long texts and long JSON", () => {
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
    const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    expect(JSON.stringify(columnOf([nested(490), "1"]).at(0))).toBe(nested(490));
    for (const wrong of [nested(501), nested(490).slice(1)]) expect(() => columnOf([wrong])).toThrow(SyntaxError);
  });

  it("hold many texts, when the dictionary is given up and when it is not", () => {
    sameAsJson(Array.from({ length: 5000 }, (_, n) => JSON.stringify(`text ${n}`)));
    sameAsJson(Array.from({ length: 20_000 }, (_, n) => JSON.stringify(`text ${n % 3000}`)));
  });

  it("hold texts that begin alike, in any order, with escapes and without", () => {
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
    // The raw bytes of the second are those of the first text, a quote, and more.
    sameAsJson(['"abcdefg\\\\"', '"abcdefg\\" tail"', '"abcdefg\\\\"']);
    sameAsJson(Array.from({ length: 5000 }, (_, n) => `"same beginning ${n % 40}"`));
    sameAsJson(Array.from({ length: 9000 }, (_, n) => `"${n % 3 === 0 ? n : n % 700}"`));
  });

  it("hold escapes, surrogates and characters of every length", () => {
    sameAsJson([
      '"\\u0041\\n"',
      '"A\\n"',
      '"\\ud83d\\ude00"',
      '"\u{1f600}"',
      '"\\ud800"',
      '"\\udc00x"',
      '"\\/\\"\\\\"',
      '"é€"',
      '"\\u0000"',
    ]);
  });

  it("give back the very texts of timestamps, and their instants", () => {
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

  it("hold UUIDs, and what only looks like one", () => {
    const id = "0190abcd-75a1-4c3e-9b10-fedcba987654";
    const neighbours = ["/", ":", "`", "a", "f", "g", "@", "A", "F", "G", "-", "\u007f", "\u00e9"];
    const marredIds = [...id].flatMap((_, at) => neighbours.map((c) => id.slice(0, at) + c + id.slice(at + 1)));
    const ids = [
      id,
      ...marredIds,
      id.toUpperCase(),
      `${id}0`,
      id.slice(1),
      `${id.slice(1)}\n`,
      id.slice(0, 34),
      "",
      id,
    ];
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

  it("are encoded as codes of the same values, each word, number and literal once", () => {
    const value = fc.oneof(
      fc.constantFrom("A", "B", "", null, true, false, 0, -0, 1, "1"),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
      fc.constant([1]),
    );
    fc.assert(
      fc.property(fc.array(fc.option(value, { nil: undefined })), (values) => {
        const records = values.map((x) => ({ id: 1, ...(x === undefined ? {} : { x }) }));
        const reader = new RecordReader("propertyChanges", large);
        const texts = records.map((record) =>
          JSON.stringify(record).replace(/"x":0\}/, Object.is(record.x, -0) ? '"x":-0}' : '"x":0}'),
        );
        readPage(Buffer.from(`{"data":[${['{"x":null}', ...texts].join()}]}`), reader);
        const column = finishPage(reader, reader.take()).fields.get("x");
        if (!(column instanceof CellColumn)) throw new Error("no column of cells");
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

  it("count their values, and give equal texts equal hashes", () => {
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
        const reader = new RecordReader("propertyChanges", large);
        readPage(Buffer.from(JSON.stringify({ data: values.map((x) => ({ x })) })), reader);
        const column = finishPage(reader, reader.take()).fields.get("x");
        if (!(column instanceof CellColumn)) throw new Error("no column of cells");
        const { values: counted, hashes } = countedValues(column);
        expect(counted).toEqual(valuesOf(column));
        expect([...hashes].filter(([, { size }]) => size > 1)).toEqual([]);
        // The dictionary, whose texts have no hashes, is given up on the way.
        expect(hashes.size).toBeGreaterThan(1000);
      }),
      { numRuns: randomRuns(20, 4) },
    );
  });

  it("hold geometries of every kind, however they are written", () => {
    const geometries = [
      { type: "Point", coordinates: [1.5, -2] },
      { type: "Point", coordinates: [1, 2, 3] },
      { type: "Point", coordinates: [1, 2, 3, 4] },
      { type: "Point", coordinates: [] },
      { type: "MultiPoint", coordinates: [] },
      {
        type: "LineString",
        coordinates: [
          [0, 0],
          [1, 1, 1],
        ],
      },
      {
        type: "Polygon",
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [0, 1],
            [0, 0],
          ],
          [],
        ],
      },
      {
        type: "MultiPolygon",
        coordinates: [
          [
            [
              [0, 0],
              [1, 0],
              [0, 1],
              [0, 0],
            ],
          ],
          [[[1e-9, 11.123456789012344]]],
        ],
      },
      { type: "Polygon", coordinates: [1, 2] },
      { type: "GeometryCollection", geometries: [{ type: "Point", coordinates: [0, 0] }] },
      { coordinates: [1, 2], type: "Point" },
      { type: "Point", coordinates: [1, 2], bbox: [1, 2, 1, 2] },
    ];
    sameAsJson(
      geometries.map((geometry) => JSON.stringify(geometry)),
      "geometry",
    );
    sameAsJson(
      geometries.map((geometry) => JSON.stringify(geometry, null, 2)),
      "geometry",
    );
  });

  it("hold geometries short and long, one after the other, also where one of them is written in another way", () => {
    const short = fc.integer({ min: 1, max: 6 });
    // Memory comes by 65,536 numbers: most of these lie across two parts of it, some fill more than one.
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
          // Only its end tells.
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

  it("has no cells of a property that none of its records has, however these are written", () => {
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

describe("the heap of texts", () => {
  it("refuses what its positions cannot tell apart, instead of mixing it up", () => {
    const heap = new TextHeap();
    const text = new JsonBytes(Buffer.from("text"));
    // Each takes a segment of its own, of which nothing but these four bytes is touched.
    const segment = 1 << 20;
    for (let n = 0; n < 4096; n += 1) heap.append(text, 0, segment);
    expect(() => heap.append(text, 0, segment)).toThrow(ArgumentError);
  });
});

describe.each(ways)("assembling pages, read %s", (_way, bytes) => {
  beforeAll(() => {
    large = bytes;
  });

  it("takes slices in the order given, and columns that a page lacks", () => {
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
