import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { ResourceName } from "../../../src/api/resources.js";
import { decodeRecords } from "../../../src/client/live-reader.js";
import type { DecodeContext, PageDecoder } from "../../../src/client/page/page-decoder.js";
import { pseudonymizer } from "../../../src/client/page/pseudonym.js";
import { finishPage } from "../../../src/tables/read/assemble-pages.js";
import { columnDecoder } from "../../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../../src/tables/read/record-reader.js";
import { site } from "../../snapshot/moving-service.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, feature } from "../../support/records.js";
import { recordsOf } from "../read-records.js";
import { ways } from "../ways.js";

/** Bytes from which on a page is read in WebAssembly. */
let large = 0;

type Outcome =
  | { readonly error: unknown }
  | { readonly records: unknown; readonly ids: unknown; readonly pagination: unknown };

function outcome(decode: PageDecoder<unknown[]>, body: Uint8Array, context: Partial<DecodeContext>) {
  const violations: string[] = [];
  const onViolation = (path: string, message: string) => violations.push(`${path} ${message}`);
  let result: Outcome;
  try {
    const { content, ids, pagination } = decode(body, {
      resource: "layerFeatures",
      url: "http://x/layerFeatures",
      onViolation,
      pseudonym: undefined,
      ...context,
    });
    const rows = Array.from({ length: ids.length }, (_, row) => row);
    const listed = rows.map((row) => [
      ids.at(row),
      ids.isAscending(0, row + 1),
      ids.isAscending(Math.max(0, row - 1), row + 1),
    ]);
    result = { records: content, ids: [...listed, ids.at(-1), ids.at(ids.length)], pagination };
  } catch (error) {
    result = { error };
  }
  return { result, violations };
}

function asRecords(resource: ResourceName): PageDecoder<unknown[]> {
  const reader = new RecordReader(resource, large);
  const decode = columnDecoder(reader);
  return (body, context) => {
    const { content, ...rest } = decode(body, context);
    return { ...rest, content: [...recordsOf(finishPage(reader, content))] };
  };
}

const byRecords: PageDecoder<unknown[]> = (body, context) => {
  const { content, ...rest } = decodeRecords(body, context);
  return { ...rest, content: [...content] };
};

const pagination = { page: 1, pageSize: 10, rowCount: 2, pageCount: 1 };

/** Values that meet or break the contract of some field. */
const value = fc.constantFrom<unknown>(
  undefined,
  null,
  1,
  -0,
  1.5,
  2 ** 53,
  "text",
  true,
  [],
  {},
  { type: "Point", coordinates: [1, 2] },
  { type: "Point", coordinates: 1 },
  { type: "GeometryCollection", geometries: [] },
  "2024-01-01T00:00:00Z",
  "2024-02-31T00:00:00Z",
  "2024-01-01 00:00:00.1234567+02",
  "0190ABCD-0000-7000-8000-000000000001",
);

function compare(resource: ResourceName, page: unknown, context: Partial<DecodeContext> = {}) {
  const body = Buffer.from(JSON.stringify(page));
  const [ours, theirs] = [asRecords(resource), byRecords].map((decode) =>
    outcome(decode, body, { resource, ...context }),
  );
  deepStrictEqual(ours, theirs);
}

describe.each(ways)("decoding pages into columns, read %s", (_way, bytes) => {
  beforeAll(() => {
    large = bytes;
  });

  it.each([
    ["layerFeatures", Object.keys(feature(1)), feature],
    ["propertyChanges", Object.keys(change(1)), change],
  ] as const)("gives the rows, ids, diagnostics and errors of decodeRecords: %s", (resource, fields, make) => {
    const edit = fc.record({ row: fc.nat({ max: 3 }), field: fc.constantFrom(...fields, "extra"), value });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 3 }), fc.boolean(), (edits, redact) => {
        const data: object[] = [1, 2, 3, 4].map((n) => make(n));
        for (const { row, field, value: given } of edits) data[row] = { ...data[row], [field]: given };
        compare(resource, { data, pagination }, redact ? { pseudonym: pseudonymizer("secret") } : {});
      }),
      { numRuns: randomRuns(3000, 60) },
    );
  });

  it.each([
    ["not an object", [1]],
    ["no data", { pagination }],
    ["data is not an array", { data: { a: 1 }, pagination }],
    ["an element is not an object", { data: [feature(1), null], pagination }],
    ["an element is not an object, after a broken one", { data: [{ ...feature(1), geometry: 1 }, 5], pagination }],
    ["no pagination", { data: [] }],
    ["a wrong count", { data: [], pagination: { ...pagination, rowCount: -1 } }],
    ["unknown members", { meta: [{}], data: [feature(1)], pagination, next: null }],
    ["pagination first", { pagination, data: [feature(1)] }],
  ])("handles a page like decodeRecords: %s", (_, page) => {
    compare("layerFeatures", page);
  });

  it("refuses values that are nested too deeply, like decodeRecords, with their path", () => {
    const page = (depth: number) => {
      let status: unknown[] = [];
      for (let level = 1; level < depth; level += 1) status = [status];
      return { data: [feature(1), { ...feature(2), properties: { cost: [1], status } }], pagination };
    };
    compare("layerFeatures", page(500));
    compare("layerFeatures", page(501));
    const { result } = outcome(asRecords("layerFeatures"), Buffer.from(JSON.stringify(page(3000))), {});
    expect(result).toMatchObject({
      error: {
        path: "$.data[1].properties.status",
        message: expect.stringContaining("is nested deeper than 500 levels"),
      },
    });
  });

  it("compares ids like decodeRecords: UUIDs in either case, similar, repeated", () => {
    const digits = fc.array(fc.constantFrom(..."0189aAfF"), { minLength: 3, maxLength: 3 });
    const id = digits.map(([a, b, c]) => `0190${a}bcd-0000-7000-8000-0000${b}000000${c}`);
    fc.assert(
      fc.property(fc.array(id, { maxLength: 5 }), fc.boolean(), (ids, sorted) => {
        const order = sorted ? ids.toSorted((x, y) => (x.toLowerCase() < y.toLowerCase() ? -1 : 1)) : ids;
        compare("propertyChanges", { data: order.map((one, n) => change(n, { id: one })), pagination });
      }),
      { numRuns: randomRuns(2000, 40) },
    );
  });

  it.each(["1e999", "-1e999", "1.5e308", "0", "1e-999"])("accepts the number %s only if it is finite", (geo_area) => {
    const text = JSON.stringify({ data: [site(1), site(2)], pagination });
    const body = Buffer.from(text.replace('"geo_area":0', `"geo_area":${geo_area}`));
    const isNumber = Number.isFinite(Number(geo_area));
    const expected = isNumber ? [] : [`$.data[0].geo_area expected a number, got ${Number(geo_area)}`];
    for (const decode of [asRecords("sites"), byRecords]) {
      expect(outcome(decode, body, { resource: "sites" }).violations).toEqual(expected);
    }
  });

  it("refuses bytes that are not UTF-8, and never quotes them", () => {
    const body = Buffer.concat([Buffer.from('{"data":[],"x":"Jo'), Buffer.of(0xff), Buffer.from('"}')]);
    const { result } = outcome(asRecords("layerFeatures"), body, {});
    expect(result).toEqual({ error: new SyntaxError(`${body.length} bytes that are not JSON in UTF-8`) });
  });

  it("starts again after a failed page", () => {
    const decode = asRecords("layerFeatures");
    const whole = Buffer.from(JSON.stringify({ data: [feature(1), feature(2)], pagination }));
    expect(outcome(decode, whole.subarray(0, -40), {}).result).toHaveProperty("error");
    expect(outcome(decode, whole, {})).toEqual(outcome(byRecords, whole, {}));
    const { visible_id: _, description: __, ...rest } = feature(1);
    const sparse = Buffer.from(JSON.stringify({ data: [rest, feature(2)], pagination }));
    // The shape is known after this, and its members are not cleared before they are read.
    outcome(decode, sparse, {});
    const torn = Buffer.from('{"data":[{"id":7,"visible_id":"torn","description":"torn","extra":1,');
    expect(outcome(decode, torn, {}).result).toHaveProperty("error");
    expect(outcome(decode, sparse, {})).toEqual(outcome(byRecords, sparse, {}));
  });
});
