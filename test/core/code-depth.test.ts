import { describe, expect, it } from "vitest";
import { depthProblem } from "../../src/core/code-depth.js";

const times = (text: string, count: number) => text.repeat(count);

/** Code that is nested to a depth. */
const nested: Readonly<Record<string, (depth: number) => string>> = {
  brackets: (n) => `${times("[", n)}${times("]", n)}`,
  "brackets in an assignment": (n) => `const a = ${times("[", n)}${times("]", n)};`,
  parentheses: (n) => `${times("(", n)}1${times(")", n)}`,
  blocks: (n) => `${times("{", n)}${times("}", n)}`,
  objects: (n) => `x = ${times("{ a: ", n)}1${times("}", n)}`,
  calls: (n) => `${times("f(", n)}1${times(")", n)}`,
  functions: (n) => `${times("function f() {", n)}${times("}", n)}`,
  templates: (n) => `${times("`${", n)}1${times("}`", n)}`,
  "groups of a regular expression": (n) => `x = /${times("(", n)}a${times(")", n)}/`,
  "tuple types": (n) => `type T = ${times("[", n)}A${times("]", n)};`,
  "type arguments": (n) => `type T = ${times("A<", n)}B${times(">", n)};`,
  "type arguments of a call": (n) => `f<${times("A<", n)}B${times(">", n)}>()`,
  "conditions without blocks": (n) => `${times("if (a) ", n)}x`,
  "conditions on lines": (n) => `${times("if (a)\n", n)}x`,
  "else after else": (n) => `${times("if (a) x; else ", n)}x`,
  "else after a block": (n) => `${times("if (a) { x } else ", n)}x`,
  loops: (n) => `${times("for await (const x of y)\n", n)}x`,
  // Nesting without brackets: the first construct is not counted as a level.
  decorators: (n) => `${times("@", n + 2)}x class Y {}`,
  negations: (n) => `${times("!", n + 1)}x`,
  "negations after a line": (n) => `x\n${times("!", n + 1)}y`,
  signs: (n) => `${times("- ", n + 1)}x`,
  typeof: (n) => `${times("typeof ", n + 1)}x`,
  await: (n) => `${times("await ", n + 1)}x`,
  new: (n) => `${times("new ", n + 1)}X`,
  choices: (n) => `${times("a ? b : ", n + 1)}c`,
  "choices on lines": (n) => `${times("a\n? b\n: ", n + 1)}c`,
  "choices in choices": (n) => `${times("a ? ", n + 1)}b${times(" : c", n + 1)}`,
  "arrow functions": (n) => `${times("x => ", n + 1)}1`,
  assignments: (n) => `${times("a = ", n + 1)}1`,
  powers: (n) => `${times("a ** ", n + 1)}1`,
  labels: (n) => `${times("a: ", n + 1)}x`,
  casts: (n) => `${times("<A>", n)}x`,
  "conditional types": (n) => `type T = ${times("A extends B ? C : ", n)}D;`,
  "types of keys": (n) => `type T = ${times("keyof ", n)}D;`,
  "types of functions": (n) => `type T = ${times("() => ", n)}D;`,
  // Parsers try whether these are type arguments.
  comparisons: (n) => `f(${times("a < b, ", n)}a)`,
  "brackets behind a slash that ends no regular expression": (n) => `x! / ${times("[", n)}${times("]", n)} / 2`,
};

describe("code", () => {
  it.each(Object.keys(nested))("of %s may be 500 levels deep", (name) => {
    const code = nested[name] as (depth: number) => string;
    expect(depthProblem(code(500))).toBeUndefined();
    expect(depthProblem(code(501))?.message).toContain("is nested 501 levels deep. Limit: 500.");
    expect(depthProblem(code(20_000))?.message).toContain("is nested 20,000 levels deep. Limit: 500.");
  });

  it("may have elements of JSX in each other", () => {
    const elements = (depth: number) => `${times("<a>don't ", depth)}${times("</a>", depth)}`;
    expect(depthProblem(elements(400), { jsx: true })).toBeUndefined();
    expect(depthProblem(elements(600), { jsx: true })).toBeDefined();
    expect(depthProblem(`x = <ul>${times("<li>don't</li><br/>\n", 600)}</ul>`, { jsx: true })).toBeUndefined();
    const behindParameter = `const f = <T,>(x: T) => x;\n${times("[", 600)}${times("]", 600)}`;
    expect(depthProblem(behindParameter, { jsx: true })).toBeDefined();
  });

  it("reports the offset where the limit is exceeded", () => {
    expect(depthProblem(`x;\n${times("[", 501)}`)?.offset).toBe(503);
  });

  it("may have any length", () => {
    const long = {
      array: `x = [${times("{ a: 1, b: [2, a < b ? 3 : 4] },\n", 3000)}]`,
      "statements without semicolons": times("const x = a < b ? !c : y => -y\n", 3000),
      "statements on a line": times("if(a){b=1}", 3000),
      cases: `switch (a) { ${times("case 1: ", 3000)} }`,
      members: `interface A {\n${times("a?: Map<string, () => void>\nb: X<Y>\n", 3000)}}`,
      classes: times("class A extends B { c = 1 }\n", 3000),
      guards: times("if (a) return\n", 3000),
      texts: `x = "${times("[", 3000)}" + \`${times("{", 3000)}\` // ${times("(", 3000)}\n/* ${times("<", 3000)} */`,
      chain: `x = "a"${times(' +\n "b"', 3000)}`,
      squares: `x = a ** 2${times(" + b ** 2", 3000)}`,
      calls: `x${times(".then((y) => !y)", 3000)}`,
      elements: `x = [${times("1, ", 20_000)}]`,
      properties: `x = {${times("a: 1, ", 20_000)}}`,
      arguments: `f(${times("1, ", 20_000)})`,
    };
    for (const [name, code] of Object.entries(long)) expect(depthProblem(code), name).toBeUndefined();
  });

  it("may be invalid", () => {
    for (const code of ["", times("]", 3000), times("}`", 3000), times("/ ", 3000), "`${", "'", "/*", "/["]) {
      expect(depthProblem(code), code.slice(0, 5)).toBeUndefined();
    }
  });
});

describe("an expression", () => {
  it.each([
    ["a sum", (n: number) => `a${times(" + a", n)}`],
    ["members", (n: number) => `a${times(".b", n)}`],
    ["calls", (n: number) => `a${times("()", n)}`],
    ["indexes", (n: number) => `a${times("[0]", n)}`],
    ["casts", (n: number) => `a${times(" as unknown", n)}`],
    ["marks", (n: number) => `a${times("!", n)}`],
    ["commas", (n: number) => `a${times(", a", n)}`],
    ["commas in parentheses", (n: number) => `b = (a${times(", a", n)})`],
    ["templates", (n: number) => `a${times("``", n)}`],
    ["types of arrays", (n: number) => `type T = A${times("[]", n)}`],
    ["sums that go on in brackets", (n: number) => `${times("(", 100)}a${times(`${times("+a", n / 100 - 1)})`, 100)}`],
  ])("may chain 10,000 parts of %s", (_, code) => {
    expect(depthProblem(code(10_000))).toBeUndefined();
    expect(depthProblem(code(10_200))?.message).toMatch(
      /^An expression chains 10,\d{3} operators, calls and members\. Limit: 10,000\./,
    );
  });
});
