import { expect, test } from "vitest";
import { pendingAwait } from "../../../../src/kernel/engine/run/describe-error.js";

/** The code from the found await on. */
function found(code: string, declared: readonly string[], unset: readonly string[]): string | undefined {
  const offset = pendingAwait(code, declared, unset);
  return offset === undefined ? undefined : code.slice(offset).split(/[;\n]/)[0];
}

const code = [
  'import { connect } from "siteframe";',
  "const source = connect();",
  'const site = await source.site("Llano Verde"); // await the site',
  'const [layer, log] = await Promise.all([site.layer("await"), site.history(`await`)]);',
  "for (const row of layer) { row.id; }",
  "await site.check();",
  "let last = await log.last()",
  "const count = layer.rowCount;",
].join("\n");
const names = ["source", "site", "layer", "log", "last", "count"];

test.each([
  [1, 'await source.site("Llano Verde")'],
  [2, 'await Promise.all([site.layer("await"), site.history(`await`)])'],
])("the first await is found whose names have no value: %d are set", (set, expected) => {
  expect(found(code, names, names.slice(set))).toBe(expected);
});

test("none of two possible awaits is found", () => {
  expect(found(code, names, names.slice(4))).toBeUndefined();
  expect(found(code, names, names.slice(5))).toBeUndefined();
});

test("one behind all names, or without any, is found", () => {
  expect(found("const a = 1; await f(a);", ["a"], [])).toBe("await f(a)");
  expect(found("const f = async () => { await g(); await h(); };\nawait f();", ["f"], [])).toBe("await f()");
  expect(found("await f()", [], [])).toBe("await f()");
  const uses = "const f = async () => { await later(); };\nconst later = await g();";
  expect(found(uses, ["f", "later"], ["later"])).toBe("await g()");
  expect(found("f()", [], [])).toBeUndefined();
  // The only one is found, also where names have values from the beginning.
  expect(found("const a = await f();", ["a"], [])).toBe("await f()");
});
