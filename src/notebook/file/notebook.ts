import { SiteframeError } from "../../core/errors.js";
import { isJsonFormat, type MimeBundle } from "../../tables/display/mime-bundle.js";

/** A notebook in memory, as in nbformat 4, except that texts are strings instead of lists of lines. */
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

/** An invalid notebook or script. */
export class NotebookFormatError extends SiteframeError {
  /** The file, or another name for the notebook. */
  readonly notebookName: string;
  /** JSON path of the problem, for example `$.cells[3].source`; for a script, the line. */
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

/** Details of a notebook that stopped. */
export interface NotebookFailure {
  /** `error`: the cell threw or does not compile. `timeout`: it ran too long. `exit`: its process ended. */
  readonly reason: "error" | "timeout" | "exit";
  /** The notebook up to the failing cell, with the outputs of that cell. */
  readonly notebook: Notebook;
  /** Index of the failing cell in `notebook.cells`. */
  readonly cellIndex: number;
  /** The lines of the failing cell; the failing line is marked if known. */
  readonly excerpt: readonly string[];
  /** Fix for the error, if the cell's error has one. */
  readonly hint: string | undefined;
}

/** The run of a notebook stopped at a cell. */
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

/** Text formats of a bundle, with their lines joined. */
export function joinBundle(bundle: MimeBundle): MimeBundle {
  return mapText(bundle, (value) => (isLines(value) ? value.join("") : value));
}

/** Text formats of a bundle as lists of lines, as in notebook files, for readable diffs. */
export function splitBundle(bundle: MimeBundle): MimeBundle {
  return mapText(bundle, (value) => (typeof value === "string" ? splitLines(value) : value));
}

/** A string as lines, each with its line end. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Converts text formats. JSON formats contain arbitrary values, in which lists are lists. */
function mapText(bundle: MimeBundle, convert: (value: unknown) => unknown): MimeBundle {
  return Object.fromEntries(
    Object.entries(bundle).map(([mime, value]) => [mime, isJsonFormat(mime) ? value : convert(value)]),
  );
}

function isLines(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}
