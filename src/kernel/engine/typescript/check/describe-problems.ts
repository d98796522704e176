import { type Problem, withAwaitHint } from "../../cell/cell-errors.js";
import { positionAt } from "../../cell/cell-positions.js";
import type { ReadingProblem } from "../compile-cell.js";
import { linesBefore, positionIn } from "./earlier-cells.js";
import type { ServerProblem } from "./type-checker.js";

/** An assignment to something imported, which is what names of earlier cells are to the compiler. */
const assignedImport = 2632;
const assignedConstant = 2588;

/** A message of the compiler's that calls files of packages by the packages that they are of. */
const packageFiles = /import\("[^"]*\/node_modules\/((?:@[^/"]+\/)?[^/"]+)[^"]*"\)/g;

/** An error in a cell, in the text that the compiler sees. One that the compiler does not tell has no number. */
export interface FoundProblem extends Pick<ServerProblem, "range" | "message" | "relatedInformation"> {
  readonly code: number | undefined;
}

/** How errors are told to those who do not see what the compiler does. */
export interface Wording {
  /** See `EarlierCells`. */
  readonly nameCells: (message: string) => string;
  /** Whether a name is one of an earlier cell. */
  readonly isEarlier: (name: string) => boolean;
}

/** An error in the words of cells: no imports are spoken of that nobody wrote. */
export function rewordProblem<Found extends FoundProblem>(problem: Found, { nameCells, isEarlier }: Wording): Found {
  const related = (problem.relatedInformation ?? []).map((one) => one.message);
  const message = nameCells(withAwaitHint(problem.message, related)).replace(packageFiles, 'import("$1")');
  const [, name = ""] = (problem.code === assignedImport && /Cannot assign to '(.+)' because/.exec(message)) || [];
  if (!isEarlier(name)) return { ...problem, message };
  return { ...problem, code: assignedConstant, message: `Cannot assign to '${name}' because it is a constant.` };
}

/** What is wrong with a cell, with its places in the cell. */
export function describeProblems(
  problems: readonly FoundProblem[],
  code: string,
  wording: Wording,
): readonly Problem[] {
  const end = positionAt(code, code.length);
  return problems.map((problem) => {
    const { range, code: number, message } = rewordProblem(problem, wording);
    const line = range.start.line - linesBefore + 1;
    // What misses at the end of a cell may be told for what stands after it.
    const position = line <= end.line ? { line, column: range.start.character + 1 } : end;
    return { position, message: number === undefined ? message : `TS${number}: ${message}` };
  });
}

/**
 * The compiler's words for what oxc finds, or else oxc's. What names mean in such code is of no interest.
 *
 * @param found what the compiler has found in the code, as `cellText` has it
 */
export function syntaxProblems(
  found: readonly ServerProblem[],
  code: string,
  { message, offset }: ReadingProblem,
): readonly FoundProblem[] {
  const start = positionIn(code, offset);
  const isThere = ({ range }: ServerProblem) =>
    range.start.line === start.line && range.start.character === start.character;
  const told = found.some(isOfSyntax) ? found.filter(isOfSyntax) : found.filter(isThere);
  if (told.length > 0) return told;
  return [{ range: { start, end: { ...start, character: start.character + 1 } }, code: undefined, message }];
}

/** Whether the compiler cannot read the code, by the numbers that such errors have. */
function isOfSyntax({ code }: ServerProblem): boolean {
  return [1, 17, 18].includes(Math.floor(code / 1000));
}
