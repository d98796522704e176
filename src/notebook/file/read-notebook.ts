import { readFile } from "node:fs/promises";
import { ArgumentError } from "../../core/errors.js";
import type { Notebook } from "./notebook.js";
import { parseNotebook } from "./parse-notebook.js";

/**
 * Reads a notebook file.
 *
 * @throws ArgumentError if the file cannot be read, NotebookFormatError if it is no notebook of nbformat 4
 */
export async function readNotebook(path: string): Promise<Notebook> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    const problem = cause.code === "ENOENT" ? "does not exist" : `cannot be read (${cause.code ?? cause.message})`;
    throw new ArgumentError(`The notebook ${path} ${problem}.`, { cause, facts: { path } });
  });
  return parseNotebook(text, path);
}
