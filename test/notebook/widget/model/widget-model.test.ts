import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinState, splitState } from "../../../../src/notebook/widget/model/widget-model.js";
import { randomRuns } from "../../../support/random-runs.js";

const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, -1.5, "", "text", "__proto__"),
    fc.uint8Array({ maxLength: 4 }),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "0", "__proto__", "length", "toJSON"), tie("tree"), {
      noNullPrototype: true,
    }),
  ),
}));
const state = fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), tree, { noNullPrototype: true });

describe("a state", () => {
  test("stays the same through JSON and bytes", () => {
    fc.assert(
      fc.property(state, (whole) => {
        const split = splitState(whole);
        const travelled = JSON.parse(JSON.stringify({ state: split.state, buffer_paths: split.buffer_paths }));
        expect(split.buffers).toHaveLength(split.buffer_paths.length);
        expect(joinState(travelled.state, travelled.buffer_paths, split.buffers)).toEqual(whole);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: randomRuns(500) },
    );
  });

  test("has only the bytes of a view", () => {
    const bytes = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7);
    const views = [
      bytes.subarray(2, 4),
      new DataView(bytes.buffer, 4, 2),
      bytes.buffer,
      new Uint16Array(bytes.buffer, 6),
    ];
    const { buffers } = splitState({ views });
    expect(buffers.map((each) => [...each])).toEqual([[2, 3], [4, 5], [...bytes], [6, 7]]);
  });

  test.each([
    ["no paths", undefined],
    ["no path", ["a"]],
    ["more paths than bytes", [["a"], ["b"], ["c"]]],
    ["an empty path", [[]]],
    ["a path through a string", [["text", "0", "x"]]],
    ["a path through inherited members", [["constructor", "prototype", "x"]]],
  ])("with %s is read as far as possible", (_, paths) => {
    expect(joinState({ text: "t" }, paths, [Uint8Array.of(1)])).toHaveProperty("text", "t");
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });

  test.each([undefined, null, 5, "text"])("of %j has the entries of its object", (given) => {
    expect(joinState(given, [], [])).toEqual(typeof given === "string" ? { ...Object(given) } : {});
  });
});
