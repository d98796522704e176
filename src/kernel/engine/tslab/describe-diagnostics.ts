import type { Diagnostic } from "tslab/dist/converter.js";
import type { CellError } from "../cell/language-engine.js";
import { type Problem, problemError } from "../cell/problem-error.js";
import { namePackages } from "./far-types.js";

/** Type and syntax errors of a cell as one error, with the place and the source of each. */
export function describeDiagnostics(diagnostics: readonly Diagnostic[], code: string, cellName: string): CellError {
  return problemError(mergeDetails(diagnostics), code, cellName);
}

/** tslab gives the detail of a message as further diagnostics at the same place. */
function mergeDetails(diagnostics: readonly Diagnostic[]): Problem[] {
  const byPlace = new Map<string, Problem>();
  for (const { start, code, messageText: text } of diagnostics) {
    const messageText = namePackages(text);
    const key = `${start.offset}`;
    const earlier = byPlace.get(key);
    const position = { line: start.line + 1, column: start.character + 1 };
    const message = earlier ? `${earlier.message}\n  ${messageText}` : `TS${code}: ${messageText}`;
    byPlace.set(key, { position, message });
  }
  return [...byPlace.values()];
}
