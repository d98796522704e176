import type { MimeBundle } from "../../tables/display/bundle/mime-bundle.js";

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

export interface StreamOutput {
  readonly output_type: "stream";
  readonly name: "stdout" | "stderr";
  readonly text: string;
}

export interface DisplayOutput {
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

export interface ErrorOutput {
  readonly output_type: "error";
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}
