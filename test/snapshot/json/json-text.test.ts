import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactJson } from "../../../src/snapshot/json/json-text.js";
import { randomRuns } from "../../support/random-runs.js";

const space = fc.string({ unit: fc.constantFrom(" ", "\t", "\r", "\n"), maxLength: 2 });
/** Texts with what looks like the space between tokens. */
const text = fc.string({ unit: fc.constantFrom("a", " ", ",", ":", "{", "]", '"', "\\", "\n", "é") });
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, text, fc.double(), fc.boolean(), fc.constant(null), tie("list"), tie("object")),
  list: fc.array(tie("any"), { maxLength: 3 }),
  object: fc.dictionary(text, tie("any"), { maxKeys: 3 }),
})).any;

/** JSON text with some space wherever it may stand. */
function spaced(json: string, spaces: readonly string[]): string {
  let next = 0;
  const some = () => spaces[next++ % spaces.length] ?? "";
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^"[\]{},:]+/g) ?? [];
  return some() + tokens.map((token) => token + some()).join("");
}

describe("compactJson", () => {
  it("takes out the white space between tokens, and none of texts", () => {
    const parts = fc.tuple(value, fc.array(space, { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(parts, ([parsed, spaces]) => {
        const json = JSON.stringify(parsed);
        expect(compactJson(json)).toBe(json);
        expect(compactJson(spaced(json, spaces))).toBe(json);
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it("leaves numbers and escapes as they were written", () => {
    expect(compactJson('{ "a" : 1.50E+2,\n"b": "\\u0041 , b" }')).toBe('{"a":1.50E+2,"b":"\\u0041 , b"}');
    expect(compactJson(" 1 ")).toBe("1");
    expect(compactJson('"a, b"')).toBe('"a, b"');
  });
});
