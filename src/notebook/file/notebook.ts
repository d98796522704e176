import { SiteframeError } from "../../core/errors.js";
import { isJsonFormat, type MimeBundle } from "../../tables/display/mime-bundle.js";

/** A notebook in memory, as nbformat 4 describes it, except that texts are strings and not lists of lines. */
export interface Notebook {
  readonly nbformat: 4;
  readonly nbformat_minor: number;
  readonly metadata: Metadata;
  readonly cells: readonly Cell[];
}

export type Metadata = Readonly<Record<string, unknown>>;

export type Cell = CodeCell | TextCell;

export interface CodeCell {
  readonly cell_type: "code";
  readonly id?: string;
  readonly metadata: Metadata;
  readonly source: string;
  readonly execution_count: number | null;
  readonly outputs: readonly Output[];
}

export interface TextCell {
  readonly cell_type: "markdown" | "raw";
  readonly id?: string;
  readonly metadata: Metadata;
  readonly source: string;
  readonly attachments?: unknown;
}

export type Output = StreamOutput | DisplayOutput | ResultOutput | ErrorOutput;

interface StreamOutput {
  readonly output_type: "stream";
  readonly name: "stdout" | "stderr";
  readonly text: string;
}

interface DisplayOutput {
  readonly output_type: "display_data";
  readonly data: MimeBundle;
  readonly metadata: Metadata;
}

export interface ResultOutput {
  readonly output_type: "execute_result";
  readonly data: MimeBundle;
  readonly metadata: Metadata;
  readonly execution_count: number | null;
}

interface ErrorOutput {
  readonly output_type: "error";
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}

/** A file is no notebook, or no script, that we can read. */
export class NotebookFormatError extends SiteframeError {
  /** The file, or another name of the notebook. */
  readonly notebookName: string;
  /** JSON path of what is wrong, for example `$.cells[3].source`; of a script the line. */
  readonly path: string;

  constructor(
    notebookName: string,
    path: string,
    problem: string,
    { format = "a notebook of nbformat 4", ...options }: { cause?: unknown; format?: string; hint?: string } = {},
  ) {
    super("ERR_NOTEBOOK_FORMAT", `${notebookName} is not ${format}: ${path} ${problem}.`, {
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
  /** What to do about it, if the error of the cell says. */
  readonly hint: string | undefined;
}

/** A notebook stopped at a cell. */
export class NotebookRunError extends SiteframeError {
  readonly reason: NotebookFailure["reason"];
  readonly notebook: Notebook;
  readonly cellIndex: number;
  readonly excerpt: readonly string[];

  constructor(message: string, failure: NotebookFailure) {
    const { reason, cellIndex, hint } = failure;
    super("ERR_NOTEBOOK_RUN", message, { ...(hint === undefined ? {} : { hint }), facts: { reason, cellIndex } });
    this.reason = failure.reason;
    this.notebook = failure.notebook;
    this.cellIndex = failure.cellIndex;
    this.excerpt = failure.excerpt;
  }
}

/** The tags of a cell; papermill marks the cell of parameters with the tag `parameters`. */
export function cellTags({ metadata }: Cell): readonly string[] {
  const tags = metadata["tags"];
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

/** Text formats of a bundle with their lines joined. */
export function joinBundle(bundle: MimeBundle): MimeBundle {
  return mapText(bundle, (value) => (isLines(value) ? value.join("") : value));
}

/** Text formats of a bundle as lists of lines, as notebook files keep them for the sake of diffs. */
export function splitBundle(bundle: MimeBundle): MimeBundle {
  return mapText(bundle, (value) => (typeof value === "string" ? splitLines(value) : value));
}

/** A text as lines, each with its line end. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** JSON formats hold values of their own, in which lists are lists. */
function mapText(bundle: MimeBundle, convert: (value: unknown) => unknown): MimeBundle {
  return Object.fromEntries(
    Object.entries(bundle).map(([mime, value]) => [mime, isJsonFormat(mime) ? value : convert(value)]),
  );
}

function isLines(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}
