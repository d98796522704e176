/**
 * What a cell ends with, or meets, that did not come to its own end: it was interrupted, stopped, refused an answer,
 * or lost its process. What an interrupt does is told in `docs/decisions/0024-kernel.md`.
 */

import type { DepthProblem } from "../../../core/code-depth.js";
import { SiteframeError } from "../../../core/errors.js";
import { reasonOf } from "../../../core/show-value.js";
import { type CellPosition, lineEnd, positionAt } from "./cell-positions.js";
import type { CellError, Outcome } from "./language-engine.js";

/** An error that is no value of the cell's: its name and its text are all that there is to show. */
export function plainError(ename: string, evalue: string, hint?: string): CellError {
  const traceback = [`${ename}: ${evalue}`];
  return hint === undefined ? { ename, evalue, traceback } : { ename, evalue, hint, traceback: [...traceback, hint] };
}

/** What a cell ends with that was interrupted, be it before it began, while it ran or just before its end was told. */
export const interruptedError: CellError = plainError("AbortError", "The cell was interrupted.");

/** What a cell ends with that was interrupted before its first statement. */
export const interruptedBefore: Outcome = { status: "error", error: interruptedError, hasRun: false };

/** A request to the compiler was interrupted: see `interruptedError`. */
export class InterruptError extends Error {
  override readonly name = "AbortError";
}

/** What a cell ends with whose compiler, or whose way to it, failed. */
export function kernelError(error: unknown): CellError {
  if (error instanceof InterruptError) return interruptedError;
  return plainError("KernelError", reasonOf(error));
}

/** What a cell ends with that was given up after `timeoutMs` milliseconds. */
export function timeoutError(timeoutMs: number): CellError {
  return plainError("TimeoutError", `The cell ran longer than ${timeoutMs} ms.`);
}

/** What a cell ends with whose process has gone, by a signal or with an exit code. */
export function exitError(code: number | null, signal: string | null): CellError {
  const how = signal ? `by signal ${signal}` : `with exit code ${code}`;
  return plainError("ProcessExit", `The cell ended its process ${how}.`);
}

/** What a cell ends with that showed what cannot be sent to those who would see it. */
export function unsentError(error: unknown): CellError {
  return plainError("OutputError", `An output of the cell cannot be sent: ${reasonOf(error)}`);
}

/** Thrown into the code of a cell that was stopped, where it would go on. Nobody is to see it. */
export class CellStopped extends Error {
  override readonly name = "CellStopped";
}

/** A cell asked for input where no one can answer. */
export class NoInputError extends SiteframeError {
  constructor() {
    super("ERR_NO_INPUT", "The cell asks for input, but no one is there to answer.", {
      hint: "Run it in a notebook, or give the value as a parameter.",
    });
  }
}

/** What the compiler complains about, and where. */
export interface Problem {
  readonly position: CellPosition;
  readonly message: string;
}

/** Stands behind messages of the compiler's. */
export const awaitQuestion = "Did you forget `await`?";

/**
 * A message of the compiler's with the question whether `await` was forgotten, if the compiler asks it: it says so beside the
 * message, where nobody sees it.
 *
 * @param related what the compiler says beside the message
 */
export function withAwaitHint(message: string, related: readonly string[]): string {
  if (!related.includes("Did you forget to use 'await'?")) return message;
  return message.replace(/$/m, ` ${awaitQuestion}`);
}

/** What a cell ends with that is not given to a parser. */
export function depthError({ message, offset }: DepthProblem, code: string, cellName: string): CellError {
  return problemError([{ position: positionAt(code, offset), message }], code, cellName);
}

const maxShown = 5;

/** Type and syntax errors of a cell as one error, with the place and the source of each. */
export function problemError(problems: readonly Problem[], code: string, cellName: string): CellError {
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

/** Lines are cut to this; a column beyond it moves into sight. */
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

/** Tabs are kept, so that the caret stands under its column however wide a tab is. */
function indentLike(text: string, column: number): string {
  return text.slice(0, column - 1).replace(/[^\t]/g, " ");
}

const bold = "1";
/** As Python has it. Bold, JupyterLab would make it a red that its dark theme hides. */
const red = "31";
const cyan = "36";
/** JupyterLab, which does not know it, shows the text as all other, and so readable on each of its grounds. */
const dim = "2";

const labels = new Set(["Caused by:", "One of its errors:"]);
const frame = /^ {4}(at |… \d+ more$)/;
const excerptLine = /^([ >] +\d+ \|)(.*)$/s;
const caretLine = /^( +\| *)\^$/;

/** A traceback as terminals and notebooks show it: names in red, frames dim, and the line that failed bold. */
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

/** The name of an error; or a place in a cell, and the compiler's number of what is wrong there. */
function heading(line: string, ename: string): string {
  if (line.startsWith(`${ename}:`)) return `${coloured(red, ename)}${line.slice(ename.length)}`;
  const [found = "", place, problem] = /^([^:\n]+:(?:\d+:\d+)?)(?: - (TS\d+)|(?= - )|$)/.exec(line) ?? [];
  if (place !== undefined) {
    const told = problem === undefined ? "" : ` - ${coloured(red, problem)}`;
    return `${coloured(cyan, place)}${told}${line.slice(found.length)}`;
  }
  return line.replace(/^[\p{L}\p{N}_$.]+(?=: )/u, (name) => coloured(red, name));
}

function coloured(codes: string, text: string): string {
  return text === "" ? "" : `\u001b[${codes}m${text}\u001b[0m`;
}
