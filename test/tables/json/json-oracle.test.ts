import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { finishPage } from "../../../src/tables/read/assemble-pages.js";
import { readPage } from "../../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../../src/tables/read/record-reader.js";
import { randomNumbers } from "../../support/random-numbers.js";
import { randomRuns } from "../../support/random-runs.js";
import { readRecords, recordsOf } from "../read-records.js";
import { ways } from "../ways.js";

/** Bytes from which on a page is read in WebAssembly. */
let large = 0;

const pagination = { page: 1, pageSize: 10, rowCount: 1, pageCount: 1 };

function pageOf(records: string): Uint8Array {
  return Buffer.from(`{"data":[${records}],"pagination":${JSON.stringify(pagination)}}`);
}

function parsed(pages: readonly Uint8Array[]): unknown[] {
  return pages.flatMap((page) => (parsedPage(page) as { data: unknown[] }).data);
}

function parsedPage(page: Uint8Array): unknown {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(page));
}

const key = fc.oneof(
  fc.constantFrom("A", "B", "STATUS", "__proto__", "constructor", "", 'a"b', "\u00e9", "\ud800", "id", "properties"),
  fc.uuid(),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 5e-324, 2 ** 53, 1.7976931348623157e308),
);
const text = fc.oneof(
  fc.constantFrom(
    "OPEN",
    "",
    "2024-01-02T03:04:05.678Z",
    "2024-02-30T00:00:00.000Z",
    "\ud83d\ude00",
    "\ud800",
    '\\"\n',
  ),
  fc.string(),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const value = fc.oneof(
  { weight: 3, arbitrary: text },
  number,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 2 }),
);
const position = fc.array(number, { minLength: 0, maxLength: 4 });
const geometry = fc.oneof(
  fc.record({ type: fc.constantFrom("Point", "LineString"), coordinates: position }),
  fc.record({ type: fc.constantFrom("LineString", "MultiPoint", "Polygon"), coordinates: fc.array(position) }),
  fc.record({ type: fc.constantFrom("Polygon", "MultiLineString"), coordinates: fc.array(fc.array(position)) }),
  fc.record({ type: fc.constant("MultiPolygon"), coordinates: fc.array(fc.array(fc.array(position))) }),
);
const timestamp = fc
  .date({ min: new Date("0001-01-01"), max: new Date("9999-01-01"), noInvalidDate: true })
  .chain((date) =>
    fc.constantFrom("Z", "+00:00", "+05:30", "-08:00", "", "123Z").map((zone) => date.toISOString().replace("Z", zone)),
  );
const record = fc.record(
  {
    id: fc.oneof(fc.nat(), value),
    visible_id: value,
    properties: fc.oneof(
      { weight: 9, arbitrary: fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true }) },
      value,
    ),
    geometry: fc.oneof({ weight: 4, arbitrary: geometry }, value),
    created_at: fc.oneof({ weight: 4, arbitrary: timestamp }, value),
    extra: value,
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** JSON in usual and unusual notation: whitespace, order of keys, escapes, forms of numbers. */
function write(item: unknown, style: () => number): string {
  const space = () => (style() > 0.97 ? " \n\t\r".slice(0, Math.floor(style() * 5)) : "");
  const scalar = (given: unknown) => {
    const plain = JSON.stringify(given);
    if (typeof given === "number" && style() > 0.9) return Object.is(given, -0) ? "-0" : `${given.toExponential()}`;
    if (typeof given === "string" && style() > 0.9)
      return plain.replace(/[a-z]/g, (c) => (plain.includes("\\") ? c : `\\u00${c.charCodeAt(0).toString(16)}`));
    return Object.is(given, -0) ? "-0" : plain;
  };
  if (Array.isArray(item))
    return `[${space()}${item.map((part) => write(part, style)).join(`${space()},${space()}`)}${space()}]`;
  if (typeof item !== "object" || item === null) return scalar(item);
  const entries = Object.entries(item);
  if (style() > 0.9) entries.reverse();
  if (style() > 0.95 && entries[0]) entries.push([entries[0][0], 1]);
  const members = entries.map(
    ([name, part]) => `${space()}${scalar(name)}${space()}:${space()}${write(part, style)}${space()}`,
  );
  return `{${members.join(",")}${members.length === 0 ? space() : ""}}`;
}

function styleOf(seed: number, plain: boolean): () => number {
  return plain ? () => 0 : randomNumbers(seed);
}

describe.each(ways)("reading records from bytes, read %s", (_way, bytes) => {
  beforeAll(() => {
    large = bytes;
  });

  it("equals JSON.parse on random records of every shape", () => {
    let count = 0;
    const numRuns = randomRuns(1500, 100);
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), fc.nat(), fc.boolean(), (records, seed, plain) => {
        const style = styleOf(seed, plain);
        const texts = records.map((item) => write(item, style));
        const half = texts.length >> 1;
        // The second page is read with the grammar of the first.
        const pages = [texts.slice(0, half), texts.slice(half), texts].map((part) => pageOf(part.join()));
        count += 2 * texts.length;
        // `toStrictEqual` treats a member called `constructor` as a class.
        deepStrictEqual(readRecords("layerFeatures", pages, large), parsed(pages));
      }),
      { numRuns },
    );
    expect(count).toBeGreaterThan(7 * numRuns);
  });

  it("accepts and refuses changed bytes like JSON.parse", () => {
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.constantFrom(0, 0, 1, 1, 2, 1000),
      insert: fc.oneof(
        fc.constantFrom(...'{}[]",:\\ \n\u00010-+.eEtfn', "true", '"x":', '{"a":1},', "\ufeff", '"data":[],'),
        fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
      ),
    });
    const mutations = randomRuns(5000, 200);
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 3 }),
        fc.array(edit, { maxLength: 2 }),
        (records, edits) => {
          const text = JSON.stringify({ data: [...records, ...records], pagination });
          let bytes = Buffer.from(text);
          for (const { at, remove, insert } of edits) {
            const place = at % (bytes.length + 1);
            bytes = Buffer.concat([
              bytes.subarray(0, place),
              Buffer.from(insert, "latin1"),
              bytes.subarray(place + remove),
            ]);
          }
          let expected: unknown;
          try {
            expected = parsedPage(bytes);
          } catch {
            refused += 1;
            expect(() => readPage(bytes, new RecordReader("layerFeatures", large))).toThrow(SyntaxError);
            return;
          }
          const reader = new RecordReader("layerFeatures", large);
          const frame = readPage(bytes, reader);
          const columns = finishPage(reader, reader.take());
          const page = (typeof expected === "object" && expected !== null ? expected : {}) as { data?: unknown };
          if (!Array.isArray(page.data)) deepStrictEqual(frame.wrongData, { value: page.data });
          else {
            const objects = page.data.filter(
              (item) => typeof item === "object" && item !== null && !Array.isArray(item),
            );
            deepStrictEqual(recordsOf(columns), objects);
          }
        },
      ),
      { numRuns: mutations },
    );
    expect(refused).toBeGreaterThan(mutations / 5);
  });
});
