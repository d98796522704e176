import { type Problem, withAwaitHint } from "../../cell/cell-errors.js";
import { positionAt } from "../../cell/cell-positions.js";
import type { ReadingProblem } from "../compile-cell.js";
import { linesBefore, positionIn } from "./earlier-cells.js";
import type { ServerProblem } from "./type-checker.js";

/** Error code of an assignment to an import; to the compiler, names of earlier cells are imports. */
const assignedImport = 2632;
const assignedConstant = 2588;

/** A compiler message with the names of packages instead of their files. */
const packageFiles = /import\("[^"]*\/node_modules\/((?:@[^/"]+\/)?[^/"]+)[^"]*"\)/g;

/** An error in the compiler's text of a cell. Errors from other sources have no number. */
export interface FoundProblem extends Pick<ServerProblem, "range" | "message" | "relatedInformation"> {
  readonly code: number | undefined;
}

/** Data for translating the compiler's errors for users. */
export interface Wording {
  /** See `EarlierCells`. */
  readonly nameCells: (message: string) => string;
  /** Whether a name is one of an earlier cell. */
  readonly isEarlier: (name: string) => boolean;
}

/** An error in terms of cells: without imports that the user did not write. */
export function rewordProblem<Found extends FoundProblem>(problem: Found, { nameCells, isEarlier }: Wording): Found {
  const related = (problem.relatedInformation ?? []).map((one) => one.message);
  const message = nameCells(withAwaitHint(problem.message, related)).replace(packageFiles, 'import("$1")');
  const [, name = ""] = (problem.code === assignedImport && /Cannot assign to '(.+)' because/.exec(message)) || [];
  if (!isEarlier(name)) return { ...problem, message };
  return { ...problem, code: assignedConstant, message: `Cannot assign to '${name}' because it is a constant.` };
}

/** The problems of a cell, with positions in the cell. */
export function describeProblems(
  problems: readonly FoundProblem[],
  code: string,
  wording: Wording,
): readonly Problem[] {
  const end = positionAt(code, code.length);
  return problems.map((problem) => {
    const { range, code: number, message } = rewordProblem(problem, wording);
    const line = range.start.line - linesBefore + 1;
    // A problem at the end of a cell may be reported for the code after it.
    const position = line <= end.line ? { line, column: range.start.character + 1 } : end;
    return { position, message: number === undefined ? message : `TS${number}: ${message}` };
  });
}

/**
 * The compiler's message for oxc's error, otherwise oxc's own. The meaning of names in such code is ignored.
 *
 * @param problems the compiler's errors in the code, as `cellText` returns it
 */
export function syntaxProblems(
  problems: readonly ServerProblem[],
  code: string,
  { message, offset }: ReadingProblem,
): readonly FoundProblem[] {
  const start = positionIn(code, offset);
  const isThere = ({ range }: ServerProblem) =>
    range.start.line === start.line && range.start.character === start.character;
  const reported = problems.some(isOfSyntax) ? problems.filter(isOfSyntax) : problems.filter(isThere);
  if (reported.length > 0) return reported;
  return [{ range: { start, end: { ...start, character: start.character + 1 } }, code: undefined, message }];
}

/** Whether the compiler cannot parse the code, by the numbers of such errors. */
function isOfSyntax({ code }: ServerProblem): boolean {
  return [1, 17, 18].includes(Math.floor(code / 1000));
}
