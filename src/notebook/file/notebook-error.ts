import { SiteframeError } from "../../core/errors.js";
import type { Notebook } from "./notebook.js";

/** A file is no notebook that we can read. */
export class NotebookFormatError extends SiteframeError {
  /** The file, or another name of the notebook. */
  readonly notebookName: string;
  /** JSON path of what is wrong, for example `$.cells[3].source`. */
  readonly path: string;

  constructor(notebookName: string, path: string, problem: string, options: { cause?: unknown } = {}) {
    super("ERR_NOTEBOOK_FORMAT", `${notebookName} is not a notebook of nbformat 4: ${path} ${problem}.`, {
      ...options,
      facts: { notebook: notebookName, path },
    });
    this.notebookName = notebookName;
    this.path = path;
  }
}

/** What is known when a notebook stops. */
export interface NotebookFailure {
  /** `error`: the cell threw or does not compile. `timeout`: it ran too long. `exit`: its process ended. */
  readonly reason: "error" | "timeout" | "exit";
  /** The notebook as far as it came, with the outputs of the failing cell. */
  readonly notebook: Notebook;
  /** Index of the failing cell in `notebook.cells`. */
  readonly cellIndex: number;
  /** The lines of the failing cell, the failing one marked if it is known. */
  readonly excerpt: readonly string[];
}

/** A notebook stopped at a cell. */
export class NotebookRunError extends SiteframeError {
  readonly reason: NotebookFailure["reason"];
  readonly notebook: Notebook;
  readonly cellIndex: number;
  readonly excerpt: readonly string[];

  constructor(message: string, failure: NotebookFailure) {
    super("ERR_NOTEBOOK_RUN", message, { facts: { reason: failure.reason, cellIndex: failure.cellIndex } });
    this.reason = failure.reason;
    this.notebook = failure.notebook;
    this.cellIndex = failure.cellIndex;
    this.excerpt = failure.excerpt;
  }
}
