/**
 * What a cell ends with, or meets, that did not come to its own end: it was interrupted, stopped, refused an answer,
 * or lost its process. What an interrupt does is told in `docs/decisions/0028-interrupts.md`.
 */
import { SiteframeError } from "../../../core/errors.js";
import { reasonOf } from "../../../core/reason-of.js";
import type { CellError } from "./language-engine.js";

/** An error that is no value of the cell's: its name and its text are all that there is to show. */
export function plainError(ename: string, evalue: string): CellError {
  return { ename, evalue, traceback: [`${ename}: ${evalue}`] };
}

/** What a cell ends with that was interrupted, be it before it began, while it ran or just before its end was told. */
export const interruptedError: CellError = plainError("AbortError", "The cell was interrupted.");

/** What a cell ends with whose compiler, or whose way to it, failed. */
export function kernelError(error: unknown): CellError {
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
