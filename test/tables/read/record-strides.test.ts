import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPage } from "../../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../../src/tables/read/record-reader.js";
import { randomNumbers } from "../../support/random-numbers.js";
import { randomRuns } from "../../support/random-runs.js";
import { readInto, readRecords, recordsOf } from "../read-records.js";
import { ways } from "../ways.js";

const pageOf = (records: readonly string[]) => Buffer.from(`{"data":[${records.join(",")}]}`);
const parsed = (page: Uint8Array) => (JSON.parse(Buffer.from(page).toString()) as { data: unknown[] }).data;

const hex = (next: () => number, digits: number) =>
  Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join("");
const uuid = (next: () => number) => [8, 4, 4, 4, 12].map((digits) => hex(next, digits)).join("-");

/** How many records are odd, and in which way. */
interface Oddness {
  /** How many records in a thousand. */
  readonly share: number;
  /** Length of a string of an odd record. */
  readonly letters: number;
  /** Number of distinct values of a column with repeated strings. */
  readonly words: number;
}

function feature(id: number, next: () => number, { share, letters, words }: Oddness): string {
  const isOdd = next() * 1000 < share;
  const point = () => [Math.floor(next() * 1e9) / 1e7, Math.floor(next() * 1e8) / 1e6];
  const ring = Array.from({ length: 3 + Math.floor(next() * 4) }, point);
  const record = {
    id,
    visible_id: `P-${id}`,
    properties: {
      status: `status ${Math.floor(next() * words)}`,
      size: Math.floor(next() * 1e6) / 1e3,
      note: isOdd ? 'a "quote" \u00e9\n'.repeat(Math.ceil(letters / 11)) : `note of ${id} ${"x".repeat(next() * 90)}`,
      tags: Array.from({ length: next() * 4 }, (_, n) => `tag ${n}`),
    },
    geometry:
      isOdd && next() < 0.5 ? { type: "Point", coordinates: [1e-7, 2] } : { type: "Polygon", coordinates: [ring] },
    created_at: new Date(1.5e12 + Math.floor(next() * 1e11)).toISOString(),
  };
  if (!isOdd || next() < 0.5) return JSON.stringify(record);
  return next() < 0.5 ? JSON.stringify(record, null, 1) : JSON.stringify({ ...record, [`extra${id % 5}`]: { id } });
}

function change(id: number, next: () => number, { share, words }: Oddness): string {
  const isOdd = next() * 1000 < share;
  const values = [`value ${Math.floor(next() * words)}`, next(), true, null, [1, { a: "\u2028" }]];
  return JSON.stringify({
    id: isOdd ? uuid(next).toUpperCase() : uuid(next),
    layer_feature_id: id % 977,
    property_key: uuid(randomNumbers(id % 7)),
    new_value: values[Math.floor(next() * values.length)],
    system: next() < 0.2,
    user_id: null,
    caused_by_change_id: next() < 0.3 ? uuid(next) : null,
    created_at: isOdd ? "2024-02-30T00:00:00" : new Date(1.6e12 + id).toISOString().replace("Z", "123Z"),
  });
}

const oddness = fc.record({
  share: fc.constantFrom(0, 5, 100),
  letters: fc.constantFrom(1, 3000, 70_000, 400_000),
  words: fc.constantFrom(1, 300, 1e9),
});

describe("pages of many windows", () => {
  it.each([
    ["layerFeatures", feature],
    ["propertyChanges", change],
  ] as const)("equal JSON.parse with random records at the ends of the windows: %s", (resource, write) => {
    fc.assert(
      fc.property(fc.nat(), oddness, (seed, odd) => {
        const next = randomNumbers(seed);
        const share = odd.letters > 10_000 ? Math.min(odd.share, 5) : odd.share;
        const pages = [2500, 100, 1500].map((count) =>
          pageOf(Array.from({ length: count }, (_, n) => write(n, next, { ...odd, share }))),
        );
        deepStrictEqual(readRecords(resource, pages, 0), pages.flatMap(parsed));
      }),
      { numRuns: randomRuns(12, 3) },
    );
  });

  it("are refused like JSON.parse, and leave nothing behind", () => {
    const next = randomNumbers(7);
    const usual = { share: 0, letters: 1, words: 3 };
    const page = pageOf(Array.from({ length: 2000 }, (_, n) => feature(n, next, usual)));
    const reader = new RecordReader("layerFeatures", 0);
    for (let cut = page.length - 700; cut < page.length - 2; cut += 23) {
      expect(() => readPage(page.subarray(0, cut), reader)).toThrow(SyntaxError);
    }
    const mangled = Buffer.from(page);
    mangled[300_000] = 0xff;
    expect(() => readPage(mangled, reader)).toThrow(SyntaxError);
    deepStrictEqual(recordsOf(readInto(reader, [page])), parsed(page));
  });

  it("report the index of the first element that is not a record", () => {
    const next = randomNumbers(8);
    const records = Array.from({ length: 3000 }, (_, n) => feature(n, next, { share: 20, letters: 5, words: 3 }));
    const reader = new RecordReader("layerFeatures", 0);
    const frame = readPage(pageOf([...records.slice(0, 2345), "[1]", ...records.slice(2345)]), reader);
    expect(frame.wrongElement).toEqual({ index: 2345, value: [1] });
    expect(reader.take().rowCount).toBe(3000);
  });
});

describe.each(ways)("a reader after its pages were assembled, read %s", (_way, large) => {
  it("reads on, and earlier columns keep their values", () => {
    const next = randomNumbers(9);
    const odd = { share: 20, letters: 20, words: 2000 };
    const pages = [0, 1, 2].map(() => pageOf(Array.from({ length: 1200 }, (_, n) => feature(n, next, odd))));
    const reader = new RecordReader("layerFeatures", large);
    // Another reader uses the memory that this reader released.
    const other = new RecordReader("layerFeatures", large);
    const read = pages.map((page) => {
      const columns = readInto(reader, [page]);
      readPage(pageOf([feature(1, next, odd)]), other);
      return columns;
    });
    deepStrictEqual(read.map(recordsOf), pages.map(parsed));
  });
});

describe.each(ways)("a page, read %s", (_way, large) => {
  it("leaves no rows behind if it fails", () => {
    const reader = new RecordReader("propertyChanges", large);
    const text = (n: number, value: string) => `{"id":null,"layer_feature_id":${n},"new_value":${value}}`;
    readPage(pageOf([text(1, "1")]), reader);
    reader.take();
    const builder = reader.fields.get("new_value");
    if (!builder) throw new Error("no column");
    const read = builder.read.bind(builder);
    builder.read = (json, start, row) => {
      if (json.bytes[start + 1] === "e".charCodeAt(0)) throw new RangeError("too much");
      return read(json, start, row);
    };
    const page = pageOf([1, 2, 3, 4, 5, 6].map((n) => text(n, n === 6 ? "1e3" : `${n}`)));
    expect(() => readPage(page, reader)).toThrow("too much");
    const next = pageOf(['{"layer_feature_id":9,"new_value":9}', "{}", "{}", "{}", "{}"]);
    deepStrictEqual(recordsOf(readInto(reader, [next])), parsed(next));
  });

  it("keeps its dictionary open after pages were assembled in between", () => {
    const words = Array.from({ length: 20_000 }, (_, n) => `known ${n % 1000}`);
    const page = (texts: readonly string[]) => pageOf(texts.map((text) => JSON.stringify({ new_value: text })));
    const reader = new RecordReader("propertyChanges", large);
    readInto(reader, [page(words)]);
    readPage(page([...words.slice(0, 500), ...Array.from({ length: 40 }, (_, n) => `new ${n}`), ...words]), reader);
    reader.take();
    const dictionary = reader.fields.get("new_value")?.store.dictionary;
    expect([dictionary?.closed, dictionary?.size]).toEqual([false, 1040]);
  });
});

describe("long records", () => {
  /** Counts the records that are read in JavaScript. */
  function countInJavaScript(lengths: readonly number[]): number {
    const reader = new RecordReader("propertyChanges", 0);
    const text = (n: number, length: number) =>
      `{"layer_feature_id":${n},"new_value":[${"1,".repeat(length / 2)}${n}]}`;
    const builder = reader.fields.get("layer_feature_id");
    if (!builder) throw new Error("no column");
    let count = 0;
    const read = builder.read.bind(builder);
    builder.read = (json, start, row) => {
      count += 1;
      return read(json, start, row);
    };
    const page = pageOf(lengths.map((length, n) => text(n, length)));
    deepStrictEqual(recordsOf(readInto(reader, [page])), parsed(page));
    return count;
  }

  it.each([20_000, 60_000])("are read in WebAssembly, of %i bytes", (length) => {
    expect(countInJavaScript(new Array<number>(60).fill(length))).toBeLessThan(4);
  });

  it("are read in JavaScript if longer than a window", () => {
    const [long, short] = [300_000, 300];
    expect(countInJavaScript([long, long, long])).toBe(3);
    expect(countInJavaScript([long, long, long, ...new Array<number>(500).fill(short)])).toBeLessThan(6);
  });
});

describe("a page with more cells than WebAssembly can hold", () => {
  it.each([3000, 12_000, 20_000])("is read to its end in JavaScript: %i cells", (mostCells) => {
    const next = randomNumbers(10);
    const odd = { share: 20, letters: 20, words: 2000 };
    const pages = [300, 2000, 400].map((count) =>
      pageOf(Array.from({ length: count }, (_, n) => feature(n, next, odd))),
    );
    const reader = new RecordReader("layerFeatures", 0, mostCells);
    deepStrictEqual(recordsOf(readInto(reader, pages)), pages.flatMap(parsed));
  });
});
