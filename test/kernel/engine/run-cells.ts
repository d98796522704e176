import { Console } from "node:console";
import type { CellError, CellSink, LanguageEngine } from "../../../src/kernel/engine/cell/language-engine.js";

/** Has `console` write to process.stdout, as Node's does and vitest's does not. Returns the way back. */
export function useNodeConsole(): () => void {
  const before = globalThis.console;
  globalThis.console = new Console(process.stdout, process.stderr);
  return () => {
    globalThis.console = before;
  };
}

/** Runs cells one after the other and gives the text of the last one's result. */
export async function resultOfCells(
  engine: LanguageEngine,
  sink: CellSink,
  cells: readonly string[],
): Promise<unknown> {
  let text: unknown;
  for (const cell of cells) {
    const outcome = await engine.execute(cell, { sink });
    if (outcome.status === "error") throw new Error(outcome.error.traceback.join("\n"));
    text = outcome.result?.["text/plain"];
  }
  return text;
}

/** Runs cells one after the other, whatever becomes of them, and gives the error of the last one. */
export async function errorOfCells(
  engine: LanguageEngine,
  sink: CellSink,
  cells: readonly string[],
): Promise<CellError> {
  let error: CellError | undefined;
  for (const cell of cells) {
    const outcome = await engine.execute(cell, { sink });
    error = outcome.status === "error" ? outcome.error : undefined;
  }
  if (!error) throw new Error("the last cell did not fail");
  return error;
}
