import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, deepJson, sameJson } from "../../../src/core/json.js";
import { jsonText } from "../../../src/tables/export/export-values.js";

const nested = (depth: number, form: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = form(value);
  return value;
};

it("is what JSON.stringify() writes", () => {
  const any = fc.oneof(fc.jsonValue(), fc.constant({ a: undefined, d: new Date(0), list: [undefined, null] }));
  fc.assert(
    fc.property(any, (value) => {
      expect(deepJson(value, (one) => JSON.stringify(one) ?? "null")).toBe(JSON.stringify(value));
    }),
  );
});

it.each([3000, 200_000])("goes %i deep", (depth) => {
  expect(jsonText(nested(depth, (inner) => [inner]))).toBe(`${"[".repeat(depth)}1${"]".repeat(depth)}`);
  const text = jsonText(nested(depth, (inner) => ({ b: inner, a: 7n })));
  expect(text.length).toBe(depth * '{"b":,"a":7}'.length + 1);
  expect(text.slice(0, 9)).toBe('{"b":{"b"');
  const canonical = canonicalJson(nested(depth, (inner) => ({ b: inner, a: 7 })));
  expect(canonical.slice(0, 18)).toBe('{"a":7,"b":{"a":7,');
  expect(
    sameJson(
      nested(depth, (inner) => [inner]),
      nested(depth, (inner) => [inner]),
    ),
  ).toBe(true);
});
