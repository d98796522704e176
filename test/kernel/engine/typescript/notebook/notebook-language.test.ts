import { tmpdir } from "node:os";
import { afterAll, describe, expect, test } from "vitest";
import { NotebookLanguage } from "../../../../../src/kernel/engine/typescript/notebook/notebook-language.js";
import { TypeScriptLanguage } from "../../../../../src/kernel/engine/typescript/typescript-language.js";

const ran = [
  "let total = 1;\nconst fixed = 2;\ninterface Pile { depth: number }\nimport { join } from 'node:path';",
  "const t = aq.table({ a: [1, 2] });\nexport const out = 1;",
  "class Made { #own = 1 }\nconst made = new Made();",
  "class Made { #own = 1 }\nlet total = 'anew';",
];

/** Each has an error after `ran`. */
const wrong = [
  "const n: number = total;",
  "fixed = 3;",
  "t.nothing;\nunknownName;",
  "const m: Made = made;",
  "const p: Pile = { depth: 'x' };",
  "join(1);\njoin('a').toFixed();",
  "function f( {",
  "const a = ;\nconst b = 'x;",
  "let x = [1, 2\n",
  "out = 5;",
  "await 5 +;",
  "import { nothing } from 'node:fs';",
  "import x from 'no-such-package';",
  "const __siteframe_x = 1;",
  "const { a, a } = { a: 1 };",
  "process.nothing;",
];

const directory = tmpdir();
const kernel = new TypeScriptLanguage(directory);
const typed = new NotebookLanguage(directory);

afterAll(() => {
  kernel.close();
  typed.close();
});

describe("an error has the same position and message in an editor as in the kernel", () => {
  test.each(wrong)("%j", async (code) => {
    kernel.reset();
    for (const [index, cell] of ran.entries()) {
      expect(await kernel.compile(cell, `cell ${index + 1}`)).toMatchObject({ status: "ok" });
    }
    const compiled = await kernel.compile(code, "this cell");
    const uri = `cell:${ran.length}`;
    typed.update([...ran, code].map((each, index) => ({ uri: `cell:${index}`, code: each })));
    const problems = await typed.problems(uri);
    const shown = problems.map(({ range: { start }, code: number, message }) => {
      const text = number === undefined ? message : `TS${number}: ${message}`;
      return `${start.line + 1}:${start.character + 1} - ${text}`;
    });
    const { error } = compiled as {
      readonly error?: { readonly evalue: string; readonly traceback: readonly string[] };
    };
    expect(shown[0]).toBe(error?.evalue);
    for (const each of shown.slice(0, 5)) expect(error?.traceback).toContain(`this cell:${each}`);
  });
});
