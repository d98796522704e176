import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Notebook, NotebookRunError, type Output } from "../../../src/notebook/file/notebook.js";
import { type RunNotebookOptions, runNotebook as run } from "../../../src/notebook/run/run-notebook.js";
import type { MimeBundle } from "../../../src/tables/display/mime-bundle.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { testedEngine } from "../../support/tested-engine.js";

export const repository = join(import.meta.dirname, "..", "..", "..");

/** A folder in which Siteframe is installed. */
export function temporaryProject(): string {
  const project = temporaryFolder();
  mkdirSync(join(project, "node_modules"));
  symlinkSync(repository, join(project, "node_modules", "siteframe"));
  return project;
}

/** Runs a notebook with the tested engine. */
export const runNotebook = (input: string | Notebook, options: RunNotebookOptions) =>
  run(input, { engine: testedEngine, ...options });

/** The error of a notebook that fails. */
export async function failureOf(notebook: Notebook, options: RunNotebookOptions): Promise<NotebookRunError> {
  const error: unknown = await runNotebook(notebook, options).catch((thrown: unknown) => thrown);
  if (!(error instanceof NotebookRunError)) throw error;
  return error;
}

/** The outputs of each cell with code. */
export function outputsOf({ cells }: Notebook): (readonly Output[])[] {
  return cells.flatMap((cell) => (cell.cell_type === "code" ? [cell.outputs] : []));
}

export const dataOf = (output: Output | undefined): MimeBundle => (output && "data" in output ? output.data : {});
