import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { Editor } from "./editor.js";

const editors = [new Editor(), new Editor()] as const;

afterAll(async () => {
  await Promise.all(editors.map((editor) => editor.end()));
}, 240_000);

/** Cells that declare, shadow, use and break names. */
const texts = [
  "const a = 1;",
  "let a = 'one';",
  "a.toFixed();",
  "a = a;",
  "const { b, c } = { b: a, c: [a] };",
  "b;\nc.length;\nd?.e;",
  "interface A { a: number }\nfunction make(): A { return { a: 1 }; }",
  "class A { #own = make() }",
  "const made: A = make();",
  "let d = (;",
  "const b = {\n  a,",
  "import { join } from 'node:path';",
  "join('a', b);",
  "const t = aq.table({ a: [1] });\nt.nothing;",
  "declare module 'made-up' { export const up: number }",
  "import { up } from 'made-up';\nup.toFixed();",
  "declare global { interface Array<T> { mine: T } }",
  "[1].mine.toFixed();",
  "await Promise.resolve(c);",
  "document.title; process.pid;",
  "export const e = 5;\nexport { join as f } from 'node:path';",
  "f(e);\nusing g = { [Symbol.dispose]() {} };",
  "'😀'; h;",
  "",
];
const text = fc.constantFrom(...texts);
const place = fc.nat(11);

const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("edit" as const), at: place, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("insert" as const), at: place, text }) },
  fc.record({ kind: fc.constant("remove" as const), at: place }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("move" as const), at: place, to: place }) },
);

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

async function apply(editor: Editor, made: Change): Promise<void> {
  const { length } = editor.cells;
  if (made.kind === "insert" || length === 0)
    return editor.insert(made.at % (length + 1), "text" in made ? made.text : "");
  const at = made.at % length;
  if (made.kind === "edit") return editor.edit(at, made.text);
  if (made.kind === "remove") return editor.remove(at);
  return editor.move(at, made.to % length);
}

/** Sorted, since errors at one position can come in any order. */
async function allErrors(editor: Editor): Promise<readonly (readonly string[])[]> {
  const errors = await Promise.all(editor.cells.map((_, at) => editor.errors(at)));
  return errors.map((each) => [...each].sort());
}

test("after any edits the errors are those of the same notebook when it is opened", async () => {
  const [edited, fresh] = editors;
  await Promise.all(editors.map((editor) => editor.initialize({ textDocument: { diagnostic: {} } })));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 8 }), fc.array(change, { maxLength: 15 }), async (cells, changes) => {
      await edited.open(...cells);
      for (const [index, made] of changes.entries()) {
        await apply(edited, made);
        // Requests in between must not matter.
        if (index % 4 === 0) await allErrors(edited);
      }
      await fresh.open(...edited.cells.map((cell) => cell.text));
      expect(await allErrors(edited)).toEqual(await allErrors(fresh));
      await Promise.all([edited.close(), fresh.close()]);
    }),
    { numRuns: Number(process.env["SITEFRAME_TEST_RUNS"] ?? 25) },
  );
}, 240_000);
