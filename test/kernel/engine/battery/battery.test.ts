import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LanguageEngine } from "../../../../src/kernel/engine/cell/language-engine.js";
import { createEngine } from "../../../../src/kernel/engine/create-engine.js";
import { temporaryFolder } from "../../../snapshot/temporary-folder.js";
import { RecordingSink } from "../recording-sink.js";
import { useNodeConsole } from "../run-cells.js";
import type { BatteryCase, Ending } from "./battery-case.js";
import { declarations } from "./declarations.js";
import { errors } from "./errors.js";
import { imports } from "./imports.js";
import { loops } from "./loops.js";
import { writeNotebookFiles } from "./notebook-files.js";
import { results } from "./results.js";
import { rowFunctions } from "./row-functions.js";

const rooms: Readonly<Record<string, readonly BatteryCase[]>> = {
  declarations,
  imports,
  loops,
  results,
  rowFunctions,
  errors,
};

describe.each(["tslab", "typescript"] as const)("the battery of cells, by %s", (engineName) => {
  const directory = temporaryFolder();
  let engine: LanguageEngine;
  let restoreConsole: () => void;

  beforeAll(async () => {
    restoreConsole = useNodeConsole();
    await writeNotebookFiles(directory);
    engine = await createEngine({ directory, engine: engineName });
  });
  afterAll(() => {
    engine.close();
    restoreConsole();
  });

  async function endingOf(cells: readonly string[]): Promise<Ending> {
    let ending: Ending;
    engine.reset();
    for (const cell of cells) {
      const outcome = await engine.execute(cell, { sink: new RecordingSink() });
      const text = outcome.status === "ok" ? outcome.result?.["text/plain"] : undefined;
      ending = text === undefined ? undefined : String(text);
      if (outcome.status === "error") ending = { error: `${outcome.error.ename}: ${outcome.error.evalue}` };
    }
    return ending;
  }

  describe.each(Object.entries(rooms))("%s", (_, cases) => {
    test.each(cases.map((each) => ({ cells: each[0], each })))(
      "$cells",
      async ({ cells, each: [, everywhere, tslab] }) => {
        const expected = engineName === "tslab" && tslab ? tslab.ending : everywhere;
        const ending = await endingOf(cells);
        if (typeof expected === "object") expect(ending).toEqual({ error: expect.stringContaining(expected.error) });
        else expect(ending).toBe(expected);
      },
    );
  });
});
