/**
 * Errors of cells that did not complete: interrupted, stopped, without input, or with a process that ended.
 * `docs/decisions/0024-kernel.md` describes interrupts.
 */

import type { DepthProblem } from "../../../core/code-depth.js";
import { SiteframeError } from "../../../core/errors.js";
import { reasonOf } from "../../../core/show-value.js";
import { type CellPosition, lineEnd, positionAt } from "./cell-positions.js";
import type { CellError, Outcome } from "./language-engine.js";

/** An error without a value in the cell: only its name and message can be shown. */
export function plainError(ename: string, evalue: string, hint?: string): CellError {
  const traceback = [`${ename}: ${evalue}`];
  return hint === undefined ? { ename, evalue, traceback } : { ename, evalue, hint, traceback: [...traceback, hint] };
}

/**
 * The error of an interrupted cell, whether interrupted before it began, while it ran or just before its end was
 * reported.
 */
export const interruptedError: CellError = plainError("AbortError", "The cell was interrupted.");

/** The error of a cell interrupted before its first statement. */
export const interruptedBefore: Outcome = { status: "error", error: interruptedError, hasRun: false };

/** A request to the compiler was interrupted: see `interruptedError`. */
export class InterruptError extends Error {
  override readonly name = "AbortError";
}

/** Handles the interrupt of a request to the compiler; throws other errors. */
export function ignoreInterrupt(error: unknown): undefined {
  if (!(error instanceof InterruptError)) throw error;
}

/** The error of a cell whose compiler, or connection to it, failed. */
export function kernelError(error: unknown): CellError {
  if (error instanceof InterruptError) return interruptedError;
  return plainError("KernelError", reasonOf(error));
}

/** The error of a cell that exceeded `timeoutMs` milliseconds. */
export function timeoutError(timeoutMs: number): CellError {
  return plainError("TimeoutError", `The cell ran longer than ${timeoutMs} ms.`);
}

/** The error of a cell whose process ended by a signal or with an exit code. */
export function exitError(code: number | null, signal: string | null): CellError {
  const how = signal ? `by signal ${signal}` : `with exit code ${code}`;
  return plainError("ProcessExit", `The cell ended its process ${how}.`);
}

/** The error of a cell with an output that cannot be sent to its readers. */
export function unsentError(error: unknown): CellError {
  return plainError("OutputError", `An output of the cell cannot be sent: ${reasonOf(error)}`);
}

/** Thrown into a stopped cell where it would continue. Never shown to users. */
export class CellStopped extends Error {
  override readonly name = "CellStopped";
}

/** The cell asked for input, but no user can answer. */
export class NoInputError extends SiteframeError {
  constructor() {
    super("ERR_NO_INPUT", "The cell asks for input, which is not available here.", {
      hint: "Run the cell in a notebook, or pass the value as a parameter.",
    });
  }
}

/** A compiler's error and its position. */
export interface Problem {
  readonly position: CellPosition;
  readonly message: string;
}

/** Appended to compiler messages. */
export const awaitQuestion = "Did you forget `await`?";

/**
 * Returns a compiler message with the question whether `await` was forgotten, if the compiler asks it. The compiler
 * asks in related information, which clients do not show.
 *
 * @param related the compiler's related information
 */
export function withAwaitHint(message: string, related: readonly string[]): string {
  if (!related.includes("Did you forget to use 'await'?")) return message;
  return message.replace(/$/m, ` ${awaitQuestion}`);
}

/** The error of a cell that is not passed to a parser. */
export function depthError({ message, offset }: DepthProblem, code: string, cellName: string): CellError {
  return problemError([{ position: positionAt(code, offset), message }], code, cellName);
}

const maxShown = 5;

/** Type and syntax errors of a cell as one error, with the position and source line of each. */
export function problemError(problems: readonly Problem[], code: string, cellName: string): CellError {
  const first = problems[0];
  const more = problems.length > maxShown ? [`… and ${problems.length - maxShown} more errors`] : [];
  const lines = problems
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
    traceback: [...lines, ...more],
    ...first?.position,
  };
}

/** Longer lines are cut to this length around the marked column. */
const maxLine = 200;

/** The lines of a cell around a position, numbered, with the line marked and a caret under the column. */
export function sourceExcerpt(code: string, { line, column }: CellPosition, around = 2): string[] {
  const lines = code.split(lineEnd);
  const first = Math.max(1, line - around);
  const last = Math.min(lines.length, line + around);
  const width = String(last).length;
  const excerpt: string[] = [];
  for (let number = first; number <= last; number++) {
    const full = lines[number - 1] as string;
    const start = Math.max(0, column - maxLine + 20);
    const text = full.length > maxLine ? full.slice(start, start + maxLine) : full;
    excerpt.push(`${number === line ? ">" : " "} ${String(number).padStart(width)} | ${text}`);
    if (number === line)
      excerpt.push(`  ${" ".repeat(width)} | ${indentLike(text, full.length > maxLine ? column - start : column)}^`);
  }
  return excerpt;
}

/** Tabs are kept, so that the caret aligns with its column at any tab width. */
function indentLike(text: string, column: number): string {
  return text.slice(0, column - 1).replace(/[^\t]/g, " ");
}

/** In the normal color, which is readable on the red background of JupyterLab's errors, unlike cyan. */
const bold = "1";
/** As in Python. In bold, JupyterLab would use a red that its dark theme hides. */
const red = "31";
/** JupyterLab ignores it and shows the text in the normal color, which is readable on every background. */
const dim = "2";

const labels = new Set(["Caused by:", "One of its errors:"]);
const frame = /^ {4}(at |… \d+ more$)/;
const excerptLine = /^([ >] +\d+ \|)(.*)$/s;
const caretLine = /^( +\| *)\^$/;

/** A traceback as terminals and notebooks show it: names in red, frames dim, and positions and the line that failed bold. */
export function colouredTraceback({ ename, traceback }: Pick<CellError, "ename" | "traceback">): readonly string[] {
  return traceback.map((line, index) => {
    if (index === 0 || labels.has(traceback[index - 1] as string)) return heading(line, ename);
    if (frame.test(line)) return coloured(dim, line);
    const [, gutter, code] = excerptLine.exec(line) ?? [];
    if (gutter !== undefined && code !== undefined) {
      return gutter.startsWith(">")
        ? `${coloured(red, gutter)}${coloured(bold, code)}`
        : `${coloured(dim, gutter)}${code}`;
    }
    const [, before] = caretLine.exec(line) ?? [];
    if (before !== undefined) return `${coloured(dim, before)}${coloured(red, "^")}`;
    if (excerptLine.test(traceback[index + 1] ?? "")) return heading(line, ename);
    return line;
  });
}

/** The name of an error, or a position in a cell with the compiler's error code. */
function heading(line: string, ename: string): string {
  if (line.startsWith(`${ename}:`)) return `${coloured(red, ename)}${line.slice(ename.length)}`;
  const [match = "", position, problem] = /^([^:\n]+:(?:\d+:\d+)?)(?: - (TS\d+)|(?= - )|$)/.exec(line) ?? [];
  if (position !== undefined) {
    const code = problem === undefined ? "" : ` - ${coloured(red, problem)}`;
    return `${coloured(bold, position)}${code}${line.slice(match.length)}`;
  }
  return line.replace(/^[\p{L}\p{N}_$.]+(?=: )/u, (name) => coloured(red, name));
}

function coloured(codes: string, text: string): string {
  return text === "" ? "" : `\u001b[${codes}m${text}\u001b[0m`;
}
