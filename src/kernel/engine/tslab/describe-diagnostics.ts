import type { Diagnostic } from "tslab/dist/converter.js";
import type { CellPosition } from "../cell/cell-positions.js";
import type { CellError } from "../cell/language-engine.js";
import { type Problem, problemError } from "../cell/problem-error.js";
import { namePackages } from "./far-types.js";

/** The file that a cell is to the compiler. */
const cellFile = /import\("[^"]*\/__tslab__"\)/g;

/** Lines end here for the compiler, and, but for Unicode's separators, for editors. */
const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;
const editorsLineEnd = /\r\n|[\n\r]/;

/** What tslab writes behind a cell has such names with an underscore more. */
const namesBehind = /Cannot find name '_(__[^']+)'/;

/** Type and syntax errors of a cell as one error, with the place and the source of each. */
export function describeDiagnostics(diagnostics: readonly Diagnostic[], code: string, cellName: string): CellError {
  const problems = diagnostics.map(({ start, code: number, messageText }): Problem => {
    const name = namesBehind.exec(messageText)?.[1];
    const offset = offsetOf(code, start);
    if (offset === undefined && name !== undefined) {
      const message = `With tslab no name can begin with two underscores, as ${name} does.`;
      return { position: positionOf(code, Math.max(0, code.search(nameAlone(name)))), message };
    }
    const message = `TS${number}: ${namePackages(messageText).replace(cellFile, 'import("this cell")')}`;
    return { position: positionOf(code, offset ?? code.length), message };
  });
  return problemError(problems, code, cellName);
}

function nameAlone(name: string): RegExp {
  return new RegExp(`(?<![\\p{ID_Continue}$])${name.replaceAll("$", "\\$")}(?![\\p{ID_Continue}$])`, "u");
}

/** Where a place of the compiler's is; undefined behind the cell, where tslab has written more. */
function offsetOf(code: string, { line, character }: Diagnostic["start"]): number | undefined {
  if (line === 0) return character;
  const end = [...code.matchAll(lineEnd)][line - 1];
  return end && end.index + end[0].length + character;
}

function positionOf(code: string, offset: number): CellPosition {
  const lines = code.slice(0, offset).split(editorsLineEnd);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
