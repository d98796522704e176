import { expect, test } from "vitest";
import { isReadable, parseModule } from "../../../../../src/kernel/engine/typescript/analyze/syntax.js";

const name = `a${" ".repeat(100)}`;

// Each error holds the whole line: without a bound these take gigabytes.
test.each([
  ["declarations", `const ${`${name},`.repeat(5000)}a = 1;`],
  ["statements", `const ${name};`.repeat(10_000)],
  ["lines that end with a character that is not a line end for the parser", `const ${name};\u2028`.repeat(10_000)],
  ["many lines of 2,000 characters", `${"const a;".repeat(250)}\n`.repeat(500)],
  ["modifiers between comments", `class A { ${"public/**/".repeat(9000)} x = 1 }`],
  ["modifiers", `class A { ${"public ".repeat(9000)} x = 1 }`],
])("many errors in long lines are counted first: %s", (_, code) => {
  expect(isReadable("cell.ts", code)).toBe(false);
  expect(parseModule("cell.ts", code).errors.length).toBeLessThanOrEqual(20);
});

test("names that are declared twice in a long line are not errors of the syntax", () => {
  const code = `let ${name};`.repeat(10_000);
  expect(isReadable("cell.ts", code)).toBe(false);
  expect(parseModule("cell.ts", code).errors).toEqual([]);
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
  const text = `const text = "${"a, b; (c ".repeat(10_000)}";`;
  expect(parseModule("cell.ts", text).errors).toEqual([]);
});
