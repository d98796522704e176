import { readFileSync } from "node:fs";
import { Temporal } from "temporal-polyfill";
import ts from "typescript";
import { expect, it } from "vitest";
import { aq } from "../../src/arquero.js";
import { progress } from "../../src/history/questions/site-progress.js";
import { calendar } from "../../src/history/time/working-calendar.js";
import { fromRecords } from "../../src/source/from-records.js";

const guide = readFileSync(new URL("../../docs/guide/time.md", import.meta.url), "utf8");

/** The guide's code as one program that notes what each line with an arrow gave, beside what the guide says. */
function program(): string {
  const blocks = [...guide.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code).join("\n");
  const noting = blocks
    .replace(/^import .*$/gm, "")
    .replace(
      /^(.*); \/\/ → (.*)$/gm,
      (_, code: string, said: string) => `note(${JSON.stringify(code)}, ${code}, ${said});`,
    );
  return ts.transpile(noting, { target: ts.ScriptTarget.ES2022 });
}

it("gives what the guide says", async () => {
  const noted: { readonly code: string; readonly given: unknown; readonly said: unknown }[] = [];
  const note = (code: string, given: unknown, said: unknown) => noted.push({ code, given, said });
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  await new AsyncFunction("fromRecords", "aq", "Temporal", "calendar", "progress", "note", program())(
    fromRecords,
    aq,
    Temporal,
    calendar,
    progress,
    note,
  );
  expect(noted.length).toBeGreaterThan(20);
  expect(noted.map(({ code, given }) => [code, given])).toEqual(noted.map(({ code, said }) => [code, said]));
});
