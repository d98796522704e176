import fc from "fast-check";
import { expect, it } from "vitest";
import { wellFormedJson } from "../../../src/core/json/well-formed-json.js";

const text = fc
  .array(fc.constantFrom("\ud800", "\udbff", "\udc00", "\udfff", "\ud83d\ude00", "\\", "\\ud800", '"', "u", "a", "\n"))
  .map((parts) => parts.join(""));
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, text, fc.integer(), fc.constant(null), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(text, tie("value"), { maxKeys: 4 }),
})).value;

/** Walks the characters, which an iterator gives with both halves of a pair. */
function mendText(broken: string): string {
  return [...broken].map((character) => (/^[\ud800-\udfff]$/.test(character) ? "\ufffd" : character)).join("");
}

function mend(value: unknown): unknown {
  if (typeof value === "string") return mendText(value);
  if (Array.isArray(value)) return value.map(mend);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [mendText(key), mend(inner)]));
}

it("replaces half pairs in texts and keys, and nothing else", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(wellFormedJson(value))).toEqual(mend(value));
    }),
    { numRuns: 500 },
  );
});

it("leaves sound text as JSON has it, also where it only looks like an escaped half", () => {
  const sound = { "\\ud800": "\\\\ud83d \u{1f600} é \\" };
  expect(wellFormedJson(sound)).toBe(JSON.stringify(sound));
});
