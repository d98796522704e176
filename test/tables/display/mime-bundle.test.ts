import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { randomRuns } from "../../support/random-runs.js";

const show = Symbol.for("Jupyter.display");
const shown = (bundle: unknown) => toMimeBundle({ [show]: () => bundle });

/** Whether a bundle meets Jupyter's notebook schema: formats of JSON contain JSON, all others a string. */
function isValid(bundle: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(bundle).every(([mime, value]) =>
    /^application\/(.*\+)?json$/.test(mime) ? value !== undefined : typeof value === "string",
  );
}

describe("a bundle returned by a value", () => {
  test.each<[string, unknown, unknown]>([
    ["a number", 5, "5"],
    ["a BigInt", 5n, "5"],
    ["a boolean", false, "false"],
    ["lines", ["a\n", "b"], "a\nb"],
    ["text", "a", "a"],
  ])("converts %s to text in text formats", (_, given, text) => {
    expect(shown({ "text/plain": given })).toEqual({ "text/plain": text });
    expect(shown({ "text/plain": "t", "model/gltf+json": given })).toEqual({
      "text/plain": "t",
      "model/gltf+json": text,
    });
  });

  test.each<[string, unknown, unknown]>([
    ["a BigInt becomes its digits", { a: [1n] }, { a: ["1"] }],
    ["values that JSON omits are omitted", { a: undefined, b: () => 1, c: Number.NaN }, { c: null }],
    ["dates become strings", [new Date(0)], ["1970-01-01T00:00:00.000Z"]],
    ["lists stay lists", ["a\n", "b"], ["a\n", "b"]],
    ["null is JSON", null, null],
  ])("in formats of JSON, %s", (_, given, json) => {
    for (const mime of ["application/json", "application/vnd.vega.v5+json"]) {
      expect(shown({ "text/plain": "t", [mime]: given })).toEqual({ "text/plain": "t", [mime]: json });
    }
  });

  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  test.each<[string, unknown, string]>([
    ["an object as text", { "text/html": { a: 1 } }, 'text/html must be text, not {"a":1}.'],
    ["nothing as text", { "text/html": null }, "text/html must be text, not null."],
    ["bytes as text", { "image/png": new Uint8Array(3) }, "image/png must be text, with bytes as base64."],
    [
      "JSON in a circle",
      { "application/json": circle },
      "application/json must be JSON: Converting circular structure",
    ],
    ["a function as JSON", { "application/json": () => 1 }, "application/json must be JSON, not a function."],
    ["text", "<b>", 'Invalid display "<b>".'],
    ["a list", ["<b>"], 'Invalid display ["<b>"].'],
  ])("reports %s, returned directly or by a promise", async (_, bundle, problem) => {
    for (const given of [bundle, Promise.resolve(bundle)]) {
      const { "text/plain": text, ...others } = await shown(given);
      expect(text).toContain(`[cannot be displayed: ${problem}`);
      expect(others).toEqual({});
    }
  });

  test("omits undefined formats, and may be undefined itself", async () => {
    expect(shown({ "text/plain": "t", "text/html": undefined })).toEqual({ "text/plain": "t" });
    expect(await toMimeBundle({ a: 1, [show]: () => undefined })).toHaveProperty("text/plain");
    expect(await toMimeBundle({ a: 1, [show]: async () => undefined })).toHaveProperty("text/plain");
  });

  test("can always be stored, with any content", async () => {
    const mime = fc.constantFrom("text/plain", "text/html", "image/png", "application/json", "application/a+json", "x");
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(mime, anything), async (bundle) => {
        const ready = await shown(bundle);
        expect(ready).toHaveProperty("text/plain");
        expect(isValid(ready)).toBe(true);
        expect(JSON.parse(JSON.stringify(ready))).toEqual(ready);
      }),
      { numRuns: randomRuns(1000) },
    );
  });
});
