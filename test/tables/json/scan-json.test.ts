import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeepJsonError, MALFORMED, scanValue } from "../../../src/tables/json/scan-json.js";
import { randomRuns } from "../../support/random-runs.js";

/** Arrays and objects within each other, the innermost empty. */
const nested = fc
  .oneof(
    { weight: 8, arbitrary: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }) },
    fc.nat(499).map((depth) => Array.from({ length: depth + 1 }, (_, level) => level % 3 === 0)),
  )
  .map((levels) => ({
    head: levels.map((isObject) => (isObject ? '{"a":' : "[")).join("") + (levels.at(-1) ? "1" : ""),
    tail: levels
      .map((isObject) => (isObject ? "}" : "]"))
      .reverse()
      .join(""),
  }));

const scan = (text: string) => scanValue(Buffer.from(text), 0);

describe("values within values", () => {
  it("end where they end, up to the limit of depth, and whatever was scanned before", () => {
    fc.assert(
      fc.property(fc.array(nested, { minLength: 2, maxLength: 6 }), (values) => {
        for (const { head, tail } of values) {
          const text = head + tail;
          expect(() => JSON.parse(text)).not.toThrow();
          expect(scan(`${text} , [1]`)).toBe(text.length);
          expect(scan(head)).toBe(MALFORMED);
          const other = tail.startsWith("}") ? "]" : "}";
          expect(scan(head + other + tail.slice(1))).toBe(MALFORMED);
          expect(scan(head + tail.slice(0, -1))).toBe(MALFORMED);
        }
      }),
      { numRuns: randomRuns(200) },
    );
  });

  it("are refused beyond the limit", () => {
    expect(() => scan("[".repeat(1_000_000))).toThrow(new DeepJsonError(500));
    expect(scan("[[1]]")).toBe(5);
  });
});
