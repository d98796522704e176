import fc from "fast-check";
import { expect, it } from "vitest";
import {
  canonicalJson,
  deepOffset,
  jsonPath,
  nestsDeeper,
  sameJson,
  valueNestsDeeper,
  wellFormedJson,
} from "../../src/core/json.js";
import { randomRuns } from "../support/random-runs.js";

it("writes equal values alike, with members in any order", () => {
  expect(canonicalJson(JSON.parse('{"b":[1.0,"1"],"a":"\\u00e9"}'))).toBe('{"a":"é","b":[1,"1"]}');
});

it("distinguishes numbers beyond a double's range from null and from each other", () => {
  const read: unknown = JSON.parse("[1e400, -1e400, null]");
  expect(canonicalJson(read)).toBe("[1e999,-1e999,null]");
  expect(JSON.parse(canonicalJson(read))).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null]);
  expect(sameJson([Number.POSITIVE_INFINITY], [null])).toBe(false);
});

const text = fc
  .array(fc.constantFrom("\ud800", "\udbff", "\udc00", "\udfff", "\ud83d\ude00", "\\", "\\ud800", '"', "u", "a", "\n"))
  .map((parts) => parts.join(""));
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, text, fc.integer(), fc.constant(null), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(text, tie("value"), { maxKeys: 4 }),
})).value;

/** Walks the characters. An iterator returns both halves of a pair together. */
function repairText(broken: string): string {
  return [...broken].map((character) => (/^[\ud800-\udfff]$/.test(character) ? "\ufffd" : character)).join("");
}

function repair(value: unknown): unknown {
  if (typeof value === "string") return repairText(value);
  if (Array.isArray(value)) return value.map(repair);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [repairText(key), repair(inner)]));
}

it("replaces half pairs in texts and keys, and nothing else", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(wellFormedJson(value))).toEqual(repair(value));
    }),
    { numRuns: randomRuns(500) },
  );
});

it("keeps well-formed text, also if it looks like an escaped half", () => {
  const sound = { "\\ud800": "\\\\ud83d \u{1f600} é \\" };
  expect(wellFormedJson(sound)).toBe(JSON.stringify(sound));
});

it("counts arrays and objects, but not brackets in strings", () => {
  expect(nestsDeeper('{"a":[{}]}', 3)).toBe(false);
  expect(nestsDeeper('{"a":[{}]}', 2)).toBe(true);
  expect(nestsDeeper('["[[[\\"[[[\\\\"]', 1)).toBe(false);
  expect(nestsDeeper("[[],[],[]]", 2)).toBe(false);
});

it("agrees with the depth of any value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(6), (value, most) => {
      expect(nestsDeeper(JSON.stringify(value), most)).toBe(depth(value) > most);
    }),
  );
});

function depth(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depth));
}

it("reports the path of deeply nested JSON text", () => {
  const text = (depth: number) =>
    `{"data": [{"a": "]"}, {"properties": {"x": 1, "y\\"": [0, ${"[".repeat(depth)}${"]".repeat(depth)}]}}]}`;
  expect(deepOffset(text(495))).toBeUndefined();
  const deep = text(496);
  expect(jsonPath(deep, deepOffset(deep) ?? 0, 4)).toBe('$.data[1].properties.y\\"');
});

it("finds deeply nested and circular values", () => {
  let value: object = [];
  for (let depth = 1; depth < 500; depth += 1) value = depth % 2 ? [1, value] : { a: 1, value };
  expect(valueNestsDeeper(value)).toBe(false);
  expect(valueNestsDeeper([value])).toBe(true);
  const endless: unknown[] = [];
  endless.push(endless);
  expect(valueNestsDeeper(endless)).toBe(true);
});
