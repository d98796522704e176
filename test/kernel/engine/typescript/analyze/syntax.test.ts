import { expect, test } from "vitest";
import { isReadable, parseModule } from "../../../../../src/kernel/engine/typescript/analyze/syntax.js";

const name = `a${" ".repeat(100)}`;

// Each error holds the whole line: 10 GB without a bound.
test.each([
  ["declarations", `const ${`${name},`.repeat(5000)}a = 1;`],
  ["statements", `const ${name};`.repeat(10_000)],
  ["names that are declared twice", `let ${name};`.repeat(10_000)],
  ["modifiers", `class A { ${"public ".repeat(9000)} x = 1 }`],
])("many errors in one line are counted first: %s", (_, code) => {
  expect(isReadable("cell.ts", code)).toBe(false);
  expect(parseModule("cell.ts", code).errors.length).toBeLessThanOrEqual(20);
});

test("an error in a long line has its offset in the code", () => {
  const code = `const ${"a, ".repeat(5000)}a = 1;`;
  const [first, second] = parseModule("cell.ts", code).errors;
  expect([first?.labels[0]?.start, second?.labels[0]?.start]).toEqual([6, 9]);
});

test("long lines without errors are read as they are", () => {
  const data = `const data = [${Array.from({ length: 100_000 }, (_, index) => index).join(",")}];`;
  const { program, errors } = parseModule("cell.ts", data);
  expect(errors).toEqual([]);
  expect(program.body[0]).toMatchObject({ start: 0, end: data.length });
  const text = `const text = "${"a, b; (c ".repeat(1000)}";`;
  expect(isReadable("cell.ts", text)).toBe(true);
});
