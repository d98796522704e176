import { codeTokens } from "../../../core/code-tokens.js";
import { readSafely } from "../../../core/show-value.js";
import { type ErrorLink, errorChain, errorHeading, isErrorLike } from "../../../tables/display/html/error-chain.js";
import { sourceExcerpt } from "../cell/cell-errors.js";
import { type CellPosition, type CellSource, positionAt } from "../cell/cell-positions.js";
import type { CellError } from "../cell/language-engine.js";

const called = /\(0 , __siteframe_(?:names|of_[\p{ID_Continue}$]+)\.([\p{ID_Continue}$]+)\)/gu;
const read = /\b__siteframe_(?:names|of_[\p{ID_Continue}$]+)\.([\p{ID_Continue}$]+)/gu;

/** Finds a cell by its name in stack frames. */
export type FindCell = (name: string) => CellSource | undefined;

interface Frame extends CellPosition {
  readonly cell: string;
  readonly code: string;
  readonly text: string;
}

/** More frames indicate a recursion, of which the first frames are enough. */
const maxFrames = 10;

/**
 * Describes what a cell threw as Jupyter shows it: name, message and hint; the frames in cells, with an excerpt for the
 * first; then the causes. Frames of Node, packages and the engine are omitted, as are frames of Siteframe errors.
 */
export function describeError(thrown: unknown, cellName: string, findCell: FindCell): CellError {
  const chain = errorChain(thrown).map((link) => ({ ...link, message: withUserNames(link.message) }));
  const ownFrame = cellFrames(thrown, findCell).find((frame) => frame.cell === cellName);
  const { name = "Thrown", message = "", hint } = chain[0] ?? {};
  return {
    ename: name,
    evalue: message,
    ...(hint === undefined ? {} : { hint }),
    traceback: chain.flatMap((link) => [...errorHeading(link), ...where(link, findCell)]),
    ...(ownFrame ? { line: ownFrame.line, column: ownFrame.column } : {}),
  };
}

/** A message of V8 with names as the user wrote them: `f is not a function`. Scripts read names from objects. */
function withUserNames(message: string): string {
  return message.replace(called, "$1").replace(read, "$1");
}

function where({ error, isOwn }: ErrorLink, findCell: FindCell): string[] {
  const [first] = cellFrames(error, findCell);
  if (!first) return [];
  return [...(isOwn ? [] : shownFrames(error, findCell)), "", `${first.cell}:`, ...sourceExcerpt(first.code, first)];
}

/** The frames of an error's stack that are in cells, one line each, and the number of omitted frames. */
export function shownFrames(error: unknown, findCell: FindCell): readonly string[] {
  const frames = cellFrames(error, findCell);
  const lines = frames.slice(0, maxFrames).map((frame) => `    at ${frame.text}`);
  return frames.length > maxFrames ? [...lines, `    … ${frames.length - maxFrames} more`] : lines;
}

/** Names that a cell declares, and the names among them without a value. */
export interface CellNames {
  readonly declared: readonly string[];
  readonly unset: readonly string[];
}

/**
 * The same for an error from an `await` of the cell. The stack of an error created in a Node callback, or many calls
 * deep, does not lead to the cell. If only one `await` can be the origin, the error is located there.
 */
export function describeAwaited(
  thrown: unknown,
  cellName: string,
  findCell: FindCell,
  { declared, unset }: CellNames,
): CellError {
  const described = describeError(thrown, cellName, findCell);
  const code = findCell(cellName)?.text.code;
  const isFound = cellFrames(thrown, findCell).length > 0;
  const offset = code === undefined || isFound ? undefined : pendingAwait(code, declared, unset);
  if (code === undefined || offset === undefined) return described;
  const position = positionAt(code, offset);
  const { length } = errorChain(thrown).slice(0, 1).flatMap(errorHeading);
  const { traceback } = described;
  const excerpt = ["", `${cellName}:`, ...sourceExcerpt(code, position)];
  return {
    ...described,
    traceback: [...traceback.slice(0, length), ...excerpt, ...traceback.slice(length)],
    ...position,
  };
}

/** The cell at the bottom of an error's stack: for a callback, the cell that contains it. */
export function outermostCell(thrown: unknown, findCell: FindCell): string | undefined {
  return cellFrames(thrown, findCell).at(-1)?.cell;
}

function cellFrames(thrown: unknown, findCell: FindCell): Frame[] {
  const stack = readSafely(() => (isErrorLike(thrown) ? thrown["stack"] : undefined), undefined);
  if (typeof stack !== "string") return [];
  return stack.split("\n").flatMap((line) => cellFrame(line, findCell) ?? []);
}

/** Reads `    at parse (Cell 3:4:5)` and `    at async Cell 3:4:5`. */
function cellFrame(line: string, findCell: FindCell): Frame | undefined {
  const [, caller, cell = "", row, column] = /^\s+at (?:(.*) \(|async )?(.+):(\d+):(\d+)\)?$/.exec(line) ?? [];
  const source = findCell(cell);
  const position = source?.locate(Number(row), Number(column));
  if (!source || !position) return undefined;
  const where = `${cell}:${position.line}:${position.column}`;
  // Functions of cells are called as properties of `exports`, which readers need not see.
  const name = caller?.replace(/^(async )?Object\./, "$1");
  return { ...position, cell, code: source.text.code, text: name ? `${name} (${where})` : where };
}

const declaring = new Set(["const", "let", "var", "class", "function"]);
const opening = new Set(["(", "[", "{"]);
const closing = new Set([")", "]", "}"]);

/** A statement of a cell from one semicolon or declaration to the next. */
interface Statement {
  /** Names that it declares, and those of their types. */
  readonly names: Set<string>;
  readonly awaits: number[];
}

/**
 * Finds the `await` at which a cell ended, from its code and the names without a value: it is after the last statement
 * that set its names, and not after the first statement that did not.
 *
 * @param unset names that the cell declares but did not set
 * @returns an offset; undefined if several could be it
 */
export function pendingAwait(code: string, declared: readonly string[], unset: readonly string[]): number | undefined {
  const statements = [...statementsOf(code)];
  const declares = (names: readonly string[]) => (statement: Statement) =>
    names.some((name) => statement.names.has(name));
  const set = declared.filter((name) => !unset.includes(name));
  const first = statements.findIndex(declares(unset));
  const reached = first === -1 ? statements : statements.slice(0, first + 1);
  const last = reached.findLastIndex((statement, index) => index !== first && declares(set)(statement));
  const all = statements.flatMap(({ awaits }) => awaits);
  const [only, ...others] = all.length === 1 ? all : reached.slice(last + 1).flatMap(({ awaits }) => awaits);
  return others.length === 0 ? only : undefined;
}

function* statementsOf(code: string): Generator<Statement> {
  let [offset, depth] = [0, 0];
  let statement = newStatement();
  let [isName, isOne] = [false, false];
  for (const { type, value } of codeTokens(code)) {
    const isDeclaring = type === "IdentifierName" && declaring.has(value);
    if (depth === 0 && (value === ";" || isDeclaring)) {
      yield statement;
      statement = newStatement();
      isName = isDeclaring;
      isOne = value === "class" || value === "function";
    } else if (type === "IdentifierName" && isName) {
      statement.names.add(value);
      isName = !isOne;
    }
    if (depth === 0 && value === "=") isName = false;
    if (type === "TemplateHead" || (type === "Punctuator" && opening.has(value))) depth += 1;
    if (type === "TemplateTail" || (type === "Punctuator" && closing.has(value))) depth -= 1;
    if (type === "IdentifierName" && value === "await") statement.awaits.push(offset);
    offset += value.length;
  }
  yield statement;
}

function newStatement(): Statement {
  return { names: new Set(), awaits: [] };
}
