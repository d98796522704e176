import type { Diagnostic } from "tslab/dist/converter.js";
import type { CellError } from "../cell/language-engine.js";
import { problemError } from "../cell/problem-error.js";
import { namePackages } from "./far-types.js";

/** The file that a cell is to the compiler. */
const cellFile = /import\("[^"]*\/__tslab__"\)/g;

/** Type and syntax errors of a cell as one error, with the place and the source of each. */
export function describeDiagnostics(diagnostics: readonly Diagnostic[], code: string, cellName: string): CellError {
  const problems = diagnostics.map(({ start, code: number, messageText }) => ({
    position: { line: start.line + 1, column: start.character + 1 },
    message: `TS${number}: ${namePackages(messageText).replace(cellFile, 'import("this cell")')}`,
  }));
  return problemError(problems, code, cellName);
}
