import { inspectValue } from "../../display/inspect-value.js";
import type { CellPosition, CellSource } from "./cell-positions.js";
import type { CellError } from "./language-engine.js";
import { sourceExcerpt } from "./source-excerpt.js";

/** Finds a cell by the name that its stack frames bear. */
export type FindCell = (name: string) => CellSource | undefined;

interface Frame extends CellPosition {
  readonly cell: string;
  readonly code: string;
  readonly text: string;
}

const maxCauses = 5;

/**
 * What a cell threw, as Jupyter shows it: name, message and hint; the frames that are in cells, with the first of them
 * excerpted; then the causes. Frames of Node, of packages and of the engine are left out.
 */
export function describeError(thrown: unknown, cellName: string, findCell: FindCell): CellError {
  const frames = cellFrames(thrown, findCell);
  const own = frames.find((frame) => frame.cell === cellName);
  return {
    ename: errorName(thrown),
    evalue: errorMessage(thrown),
    traceback: traceback(thrown, findCell),
    ...(own ? { line: own.line, column: own.column } : {}),
  };
}

function traceback(thrown: unknown, findCell: FindCell, depth = 0): string[] {
  const frames = cellFrames(thrown, findCell);
  const first = frames[0];
  const lines = [
    ...heading(thrown),
    ...frames.map((frame) => `    at ${frame.text}`),
    ...(first ? ["", `${first.cell}:`, ...sourceExcerpt(first.code, first)] : []),
  ];
  if (depth === maxCauses) return lines;
  const related = thrown instanceof AggregateError ? thrown.errors.slice(0, maxCauses) : causeOf(thrown);
  const label = thrown instanceof AggregateError ? "One of its errors:" : "Caused by:";
  return [...lines, ...related.flatMap((cause) => ["", label, ...traceback(cause, findCell, depth + 1)])];
}

function causeOf(thrown: unknown): unknown[] {
  return thrown instanceof Error && thrown.cause !== undefined ? [thrown.cause] : [];
}

function heading(thrown: unknown): string[] {
  const hint = typeof thrown === "object" && thrown !== null && "hint" in thrown ? thrown.hint : undefined;
  const title = `${errorName(thrown)}: ${errorMessage(thrown)}`;
  return typeof hint === "string" ? [title, hint] : [title];
}

function errorName(thrown: unknown): string {
  return isErrorLike(thrown) ? String(thrown.name) : "Thrown";
}

function errorMessage(thrown: unknown): string {
  return isErrorLike(thrown) ? String(thrown.message) : inspectValue(thrown);
}

/** Errors may come from another realm or another copy of a library, so `instanceof` does not recognise them all. */
function isErrorLike(thrown: unknown): thrown is { name: unknown; message: unknown; stack?: unknown } {
  return typeof thrown === "object" && thrown !== null && "name" in thrown && "message" in thrown;
}

function cellFrames(thrown: unknown, findCell: FindCell): Frame[] {
  if (!isErrorLike(thrown) || typeof thrown.stack !== "string") return [];
  return thrown.stack.split("\n").flatMap((line) => cellFrame(line, findCell) ?? []);
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
  return { ...position, cell, code: source.code, text: name ? `${name} (${place})` : place };
}
