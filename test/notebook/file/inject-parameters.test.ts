import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parameterNames } from "../../../src/notebook/file/inject-parameters.js";
import { code, notebookOf } from "../cells.js";

function namesIn(source: string): readonly string[] | undefined {
  return parameterNames(notebookOf(code("let other = 1"), code(source, "parameters"), code("let later = 1")));
}

describe("the names in the cell of parameters", () => {
  test.each([
    ["const a = 1;\nlet b = 2\nvar c", ["a", "b", "c"]],
    ["let a = 1, b = [1, 2], c = { d: 3, e: f(1, g) }", ["a", "b", "c"]],
    ['// let no = 1, not = 2\nconst a = "let no = 1"; /* let no */ let b = `let no, not`;', ["a", "b"]],
    ["let a: Map<string, number> = new Map<string, number>(), b: string | undefined, c!: number", ["a", "b", "c"]],
    ["let a: (x: number, y: string) => void = (x, y) => { let inner = 1; }, b = 1", ["a", "b"]],
    ["const { a, b: renamed } = { a: 1, b: 2 };\nconst [first, second] = [1, 2];", ["a", "renamed", "first", "second"]],
    ["let größe = 1, $x_1 = 2", ["größe", "$x_1"]],
    ["let a = 1;\na = a, nothing;", ["a"]],
    ["object.let = x, y", []],
    ["let quotes = /[\"']/g, a: Map<string, Array<number>>= new Map(), b = a! / 2, c = 1", ["quotes", "a", "b", "c"]],
    [
      `const [first, ...rest] = [1, 2]; let text = \`${"$"}{\`let no = ${"$"}{1}\`}\`, d = 1`,
      ["first", "rest", "text", "d"],
    ],
    ["", []],
  ])("%s", (source, expected) => {
    expect(namesIn(source)).toEqual(expected);
  });

  test("are undefined without such a cell", () => {
    expect(parameterNames(notebookOf(code("let a = 1")))).toBeUndefined();
  });

  test("are found with any values", () => {
    const name = fc.stringMatching(/^[a-z]{1,5}[0-9]$/);
    const declaration = fc.tuple(name, fc.constantFrom("let", "const", "var", ","), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(declaration, { minLength: 1 }), (declarations) => {
        const source = declarations.map(([each, word, value], index) => {
          const start = word === "," && index > 0 ? "," : `${index > 0 ? ";" : ""}\n${word === "," ? "let" : word}`;
          return `${start} ${each} = ${JSON.stringify(value)}`;
        });
        expect(namesIn(source.join(""))).toEqual([...new Set(declarations.map(([each]) => each))]);
      }),
    );
  });
});
