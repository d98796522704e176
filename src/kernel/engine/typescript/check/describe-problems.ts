import type { Problem } from "../../cell/problem-error.js";
import { linesBefore } from "./cell-text.js";
import type { ServerProblem } from "./type-checker.js";

/** Whether the compiler cannot read the code, by the numbers that such errors have. */
export function isOfSyntax({ code }: ServerProblem): boolean {
  return [1, 17, 18].includes(Math.floor(code / 1000));
}

/** An assignment to something imported, which is what names of earlier cells are to the compiler. */
const assignedImport = 2632;

/** A message of the compiler's that calls files of packages by the packages that they are of. */
const packageFiles = /import\("[^"]*\/node_modules\/((?:@[^/"]+\/)?[^/"]+)[^"]*"\)/g;

/**
 * What is wrong with a cell, with its places in the cell.
 *
 * @param nameCells see `EarlierCells`
 * @param isEarlier whether a name is one of an earlier cell
 */
export function describeProblems(
  problems: readonly ServerProblem[],
  code: string,
  nameCells: (message: string) => string,
  isEarlier: (name: string) => boolean,
): readonly Problem[] {
  const lines = code.split("\n");
  return problems.map(({ range: { start }, code: number, message }) => {
    const line = start.line - linesBefore;
    const text = nameCells(message).replace(packageFiles, 'import("$1")');
    // What misses at the end of a cell may be told for what stands after it.
    const position =
      line < lines.length
        ? { line: line + 1, column: start.character + 1 }
        : { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    return { position, message: asConstant(`TS${number}: ${text}`, number, isEarlier) };
  });
}

function asConstant(message: string, number: number, isEarlier: (name: string) => boolean): string {
  const [, name = ""] = (number === assignedImport && /Cannot assign to '(.+)' because/.exec(message)) || [];
  return isEarlier(name) ? `TS2588: Cannot assign to '${name}' because it is a constant.` : message;
}
