import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CellLanguage } from "../../../../src/kernel/engine/cell/language-engine.js";
import { createLanguage } from "../../../../src/kernel/engine/create-language.js";
import { temporaryFolder } from "../../../snapshot/temporary-folder.js";
import { writeNotebookFiles } from "./notebook-files.js";
import { cellsBefore, type Question, questions } from "./questions.js";

describe.each(["tslab", "typescript"] as const)("questions about cells, by %s", (engineName) => {
  const directory = temporaryFolder();
  let language: CellLanguage;

  beforeAll(async () => {
    await writeNotebookFiles(directory);
    language = await createLanguage(directory, engineName);
    for (const cell of cellsBefore) await language.compile(cell, "Cell 1");
  });
  afterAll(() => {
    language.close();
  });

  async function answerTo(question: Question, marked: string): Promise<string | undefined> {
    const [code, offset] = [marked.replace("|", ""), marked.indexOf("|")];
    if (question === "is complete") return (await language.isComplete(code)).status;
    if (question === "inspect") return (await language.inspect(code, offset))?.signature;
    const { matches, start, end } = await language.complete(code, offset);
    return matches[0] === undefined ? undefined : code.slice(0, start) + matches[0] + code.slice(end);
  }

  const cases = questions.map(([question, code, everywhere, tslab]) => ({ question, code, everywhere, tslab }));
  test.each(cases)("$question: $code", async ({ question, code, everywhere, tslab }) => {
    const expected = engineName === "tslab" && tslab ? tslab.answer : everywhere;
    expect(await answerTo(question, code)).toBe(expected);
  });
});
