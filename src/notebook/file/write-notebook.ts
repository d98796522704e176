import { writeFile } from "node:fs/promises";
import { makeFolderOf } from "../../core/make-folder.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { type Cell, type Notebook, type Output, splitBundle, splitLines } from "./notebook.js";

/** Writes a notebook as Jupyter does: indented by one space, keys sorted, strings as lists of lines. Atomic. */
export async function writeNotebook(notebook: Notebook, path: string): Promise<void> {
  await makeFolderOf(path);
  await replaceFile(path, (unfinished) => writeFile(unfinished, formatNotebook(notebook)));
}

/** The content of a notebook file. */
export function formatNotebook(notebook: Notebook): string {
  return `${JSON.stringify(sortKeys({ ...notebook, cells: notebook.cells.map(fileCell) }), null, 1)}\n`;
}

function fileCell(cell: Cell): object {
  const source = splitLines(cell.source);
  return cell.cell_type === "code" ? { ...cell, source, outputs: cell.outputs.map(fileOutput) } : { ...cell, source };
}

function fileOutput(output: Output): object {
  switch (output.output_type) {
    case "stream":
      return { ...output, text: splitLines(output.text) };
    case "error":
      return output;
    default:
      return { ...output, data: splitBundle(output.data) };
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
