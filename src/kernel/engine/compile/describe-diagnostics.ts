import type { Diagnostic } from "tslab/dist/converter.js";
import type { CellError } from "../cell/language-engine.js";
import { sourceExcerpt } from "../cell/source-excerpt.js";
import { namePackages } from "./far-types.js";

const maxShown = 5;

/** Type and syntax errors of a cell as one error, with the place and the source of each. */
export function describeDiagnostics(diagnostics: readonly Diagnostic[], code: string, cellName: string): CellError {
  const problems = mergeDetails(diagnostics);
  const first = problems[0];
  const more = problems.length > maxShown ? [`… and ${problems.length - maxShown} more errors`] : [];
  const shown = problems
    .slice(0, maxShown)
    .flatMap(({ position, message }) => [
      `${cellName}:${position.line}:${position.column} - ${message}`,
      ...sourceExcerpt(code, position, 1),
      "",
    ]);
  return {
    ename: "TypeScriptError",
    evalue: first
      ? `${first.position.line}:${first.position.column} - ${first.message}`
      : "The cell cannot be compiled.",
    traceback: [...shown, ...more],
    ...first?.position,
  };
}

interface Problem {
  readonly position: { readonly line: number; readonly column: number };
  readonly message: string;
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
