import { readSafely } from "../../../core/show-value.js";
import { type ErrorLink, errorChain, errorHeading, isErrorLike } from "../../../tables/display/html/error-chain.js";
import { sourceExcerpt } from "../cell/cell-errors.js";
import { type CellPosition, type CellSource, positionAt } from "../cell/cell-positions.js";
import type { CellError } from "../cell/language-engine.js";
import { pendingAwait } from "./pending-await.js";

const called = /\(0 , __siteframe_(?:names|of_[\p{ID_Continue}$]+)\.([\p{ID_Continue}$]+)\)/gu;
const read = /\b__siteframe_(?:names|of_[\p{ID_Continue}$]+)\.([\p{ID_Continue}$]+)/gu;

/** Finds a cell by the name that its stack frames bear. */
export type FindCell = (name: string) => CellSource | undefined;

interface Frame extends CellPosition {
  readonly cell: string;
  readonly code: string;
  readonly text: string;
}

/** More frames than this are a recursion, of which the first ones tell enough. */
const maxFrames = 10;

/**
 * What a cell threw, as Jupyter shows it: name, message and hint; the frames that are in cells, with the first of them
 * excerpted; then the causes. Frames of Node, of packages and of the engine are left out, and all frames of errors of
 * our own.
 */
export function describeError(thrown: unknown, cellName: string, findCell: FindCell): CellError {
  const chain = errorChain(thrown).map((link) => ({ ...link, message: withUserNames(link.message) }));
  const own = cellFrames(thrown, findCell).find((frame) => frame.cell === cellName);
  const { name = "Thrown", message = "", hint } = chain[0] ?? {};
  return {
    ename: name,
    evalue: message,
    ...(hint === undefined ? {} : { hint }),
    traceback: chain.flatMap((link) => [...errorHeading(link), ...place(link, findCell)]),
    ...(own ? { line: own.line, column: own.column } : {}),
  };
}

/** A message of V8's, with names as the user wrote them: `f is not a function`. Scripts read them from objects. */
function withUserNames(message: string): string {
  return message.replace(called, "$1").replace(read, "$1");
}

function place({ error, isOwn }: ErrorLink, findCell: FindCell): string[] {
  const [first] = cellFrames(error, findCell);
  if (!first) return [];
  return [...(isOwn ? [] : shownFrames(error, findCell)), "", `${first.cell}:`, ...sourceExcerpt(first.code, first)];
}

/** The frames of an error's stack that are in cells, a line each, and how many more there are. */
export function shownFrames(error: unknown, findCell: FindCell): readonly string[] {
  const frames = cellFrames(error, findCell);
  const shown = frames.slice(0, maxFrames).map((frame) => `    at ${frame.text}`);
  return frames.length > maxFrames ? [...shown, `    … ${frames.length - maxFrames} more`] : shown;
}

/** Names that a cell declares, and those of them that it did not come to set. */
export interface CellNames {
  readonly declared: readonly string[];
  readonly unset: readonly string[];
}

/**
 * The same for what came out of an `await` of the cell. The stack of an error that was made in a callback of Node's, or many
 * calls deep, does not lead to the cell; where only one `await` can have been it, it was there.
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

/** The cell at the bottom of an error's stack: where the callback stands that threw it, if it was a callback. */
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
  const place = `${cell}:${position.line}:${position.column}`;
  // Functions of cells are called as properties of `exports`, which is no concern of the reader's.
  const name = caller?.replace(/^(async )?Object\./, "$1");
  return { ...position, cell, code: source.text.code, text: name ? `${name} (${place})` : place };
}
