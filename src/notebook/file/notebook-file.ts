import { readFile, writeFile } from "node:fs/promises";
import { MAX_DEPTH } from "../../core/depth.js";
import { ArgumentError } from "../../core/errors.js";
import { makeFolderOf } from "../../core/make-folder.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import type { MimeBundle } from "../../tables/display/mime-bundle.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import {
  type Cell,
  joinBundle,
  type Metadata,
  type Notebook,
  NotebookFormatError,
  type Output,
  splitBundle,
  splitLines,
} from "./notebook.js";
import { isScript, parsePercentScript } from "./percent-script.js";

/**
 * Returns the notebook in a file, or in a script with cells between `// %%`.
 *
 * @throws ArgumentError if the file cannot be read, NotebookFormatError if it is not a notebook of nbformat 4
 */
export async function readNotebook(path: string): Promise<Notebook> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    const problem = cause.code === "ENOENT" ? "does not exist" : `cannot be read (${cause.code ?? cause.message})`;
    throw new ArgumentError(`The notebook ${path} ${problem}.`, { cause, facts: { path } });
  });
  return isScript(path) ? parsePercentScript(text, path) : parseNotebook(text, path);
}

/**
 * Returns the notebook in a JSON string. Unknown fields of cells and outputs are dropped, metadata is kept.
 *
 * @param name of the notebook in errors
 * @throws NotebookFormatError for an invalid notebook
 */
export function parseNotebook(text: string, name = "The text"): Notebook {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // The parser's message quotes the file, whose outputs may contain records.
    throw new NotebookFormatError(name, "$", "is not valid JSON");
  }
  refuseDepths(json, name);
  return new NotebookReader(name).notebook(json);
}

const PATH_LEVELS = 4;

/** @throws NotebookFormatError for JSON that is nested too deeply to be written */
function refuseDepths(json: unknown, name: string): void {
  let level: (readonly [path: string, value: unknown])[] = [["$", json]];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) {
      const [[path = "$"] = []] = level;
      throw new NotebookFormatError(name, path, `is nested deeper than ${MAX_DEPTH} levels`);
    }
    level = level.flatMap(([path, value]) => {
      if (typeof value !== "object" || value === null) return [];
      const step = (key: string) => (Array.isArray(value) ? `[${key}]` : `.${key}`);
      return Object.entries(value)
        .filter(([, inner]) => typeof inner === "object")
        .map(([key, inner]) => [depth < PATH_LEVELS ? path + step(key) : path, inner] as const);
    });
  }
}

class NotebookReader {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  notebook(value: unknown): Notebook {
    const { nbformat, nbformat_minor, metadata, cells } = this.#object(value, "$");
    if (nbformat !== 4) this.#fail("$.nbformat", "must be 4", nbformat);
    if (!Array.isArray(cells)) this.#fail("$.cells", "must be a list", cells);
    return {
      nbformat: 4,
      nbformat_minor: typeof nbformat_minor === "number" ? nbformat_minor : 0,
      metadata: this.#metadata(metadata, "$.metadata"),
      cells: cells.map((cell, index) => this.#cell(cell, `$.cells[${index}]`)),
    };
  }

  #cell(value: unknown, path: string): Cell {
    const cell = this.#object(value, path);
    const common = {
      ...(typeof cell["id"] === "string" ? { id: cell["id"] } : {}),
      metadata: this.#metadata(cell["metadata"], `${path}.metadata`),
      source: this.#text(cell["source"], `${path}.source`),
    };
    switch (cell["cell_type"]) {
      case "code": {
        const outputs = cell["outputs"] ?? [];
        if (!Array.isArray(outputs)) this.#fail(`${path}.outputs`, "must be a list", outputs);
        return {
          cell_type: "code",
          ...common,
          execution_count: this.#count(cell["execution_count"]),
          outputs: outputs.map((output, index) => this.#output(output, `${path}.outputs[${index}]`)),
        };
      }
      case "markdown":
      case "raw":
        return {
          cell_type: cell["cell_type"],
          ...common,
          ...("attachments" in cell ? { attachments: cell["attachments"] } : {}),
        };
      default:
        return this.#fail(`${path}.cell_type`, 'must be "code", "markdown" or "raw"', cell["cell_type"]);
    }
  }

  #output(value: unknown, path: string): Output {
    const output = this.#object(value, path);
    const data = () => this.#bundle(output["data"], `${path}.data`);
    const metadata = () => this.#metadata(output["metadata"], `${path}.metadata`);
    switch (output["output_type"]) {
      case "stream":
        return {
          output_type: "stream",
          name: output["name"] === "stderr" ? "stderr" : "stdout",
          text: this.#text(output["text"], `${path}.text`),
        };
      case "display_data":
        return { output_type: "display_data", data: data(), metadata: metadata() };
      case "execute_result": {
        const execution_count = this.#count(output["execution_count"]);
        return { output_type: "execute_result", data: data(), metadata: metadata(), execution_count };
      }
      case "error":
        return {
          output_type: "error",
          ename: this.#text(output["ename"], `${path}.ename`),
          evalue: this.#text(output["evalue"], `${path}.evalue`),
          traceback: this.#lines(output["traceback"] ?? [], `${path}.traceback`),
        };
      default:
        return this.#fail(`${path}.output_type`, "is unknown", output["output_type"]);
    }
  }

  #bundle(value: unknown, path: string): MimeBundle {
    const bundle = this.#object(value, path);
    for (const [mime, content] of Object.entries(bundle))
      if (mime.startsWith("text/")) this.#text(content, `${path}["${mime}"]`);
    return joinBundle(bundle);
  }

  #lines(value: unknown, path: string): readonly string[] {
    if (!Array.isArray(value)) this.#fail(path, "must be a list of lines", value);
    return value.map((line, index) => this.#text(line, `${path}[${index}]`));
  }

  #metadata(value: unknown, path: string): Metadata {
    return value === undefined ? {} : this.#object(value, path);
  }

  #object(value: unknown, path: string): Record<string, unknown> {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      this.#fail(path, "must be an object", value);
    return value as Record<string, unknown>;
  }

  #text(value: unknown, path: string): string {
    if (typeof value === "string") return value;
    if (Array.isArray(value) && value.every((line) => typeof line === "string")) return value.join("");
    return this.#fail(path, "must be a string or a list of lines", value);
  }

  #count(value: unknown): number | null {
    return typeof value === "number" ? value : null;
  }

  #fail(path: string, rule: string, value: unknown): never {
    throw new NotebookFormatError(this.#name, path, `${rule}, not ${showTimeOrNumber(value)}`);
  }
}

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
