import type { CodeCell, Notebook, Output, TextCell } from "../../src/notebook/file/notebook.js";

export function code(source: string, ...tags: string[]): CodeCell {
  return { cell_type: "code", metadata: tags.length > 0 ? { tags } : {}, source, execution_count: null, outputs: [] };
}

export function markdown(source: string): TextCell {
  return { cell_type: "markdown", metadata: {}, source };
}

export function notebookOf(...cells: Notebook["cells"]): Notebook {
  return { nbformat: 4, nbformat_minor: 4, metadata: {}, cells };
}

/** A cell with outputs. */
export function shownBy(source: string, ...outputs: Output[]): CodeCell {
  return { ...code(source), outputs };
}

export function displayed(data: Readonly<Record<string, unknown>>): Output {
  return { output_type: "display_data", data, metadata: {} };
}

export function printed(text: string): Output {
  return { output_type: "stream", name: "stdout", text };
}
