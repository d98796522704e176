// Notebooks as scripts with cells between `// %%`: the percent format of jupytext, which VS Code and Spyder support, too.
import { type Cell, type Metadata, type Notebook, NotebookFormatError } from "./notebook.js";

/** The first line of a cell. */
const MARKER = /^\/\/ ?%%(?!%)(.*)$/;
/** A line of code that looks like a marker, or like an escaped one: written with an additional comment sign. */
const LIKE_MARKER = /^(?:\/\/ )*\/\/ ?%%(?!%)/;
const WRITTEN_MARKER = /^\/\/ (?=(?:\/\/ )*\/\/ ?%%(?!%))/;
const KEY = /^[A-Za-z_][\w.-]*$/;
/** Metadata with the name of the cell's id are written with an additional underscore. */
const OF_ID = /^_*id$/;
const WRITTEN_OF_ID = /^_+id$/;
/** Text before `[type]` and metadata. */
const TITLE = /^[^=[\]{}"\s][^=[\]{}"\r\n\u2028\u2029]*$/;

/**
 * Returns a notebook as a script. Code is unchanged, Markdown and raw text are comments; types, tags, ids and other metadata
 * of cells follow their `// %%`, the kernel is in the header. Outputs and attachments are omitted.
 */
export function toPercentScript({ metadata, cells }: Notebook): string {
  return [headOf(metadata), ...cells.map(cellText)].filter((part) => part !== "").join("\n");
}

/**
 * Returns the notebook of a script, without outputs. Text before the first `// %%` is a code cell, and front matter in the
 * header a raw cell. A cell without an id gets one from its index.
 *
 * @param name of the script in errors
 * @throws NotebookFormatError for metadata of a cell that are not JSON
 */
export function parsePercentScript(text: string, name = "The text"): Notebook {
  const lines = unixLines(text.replace(/^\uFEFF/, "")).split("\n");
  const { head, body } = splitHead(lines);
  const starts = body.flatMap((line, at) => (MARKER.test(line) ? [at] : []));
  const [first = body.length] = starts;
  const before = body.slice(0, first).join("\n").trim();
  const cells = starts.map((start, index) =>
    parseCell(body.slice(start, starts[index + 1]), name, head.length + start),
  );
  const all: readonly ScriptCell[] = [
    ...frontMatter(head),
    ...(before === "" ? [] : [{ type: "code" as const, metadata: {}, source: before }]),
    ...cells,
  ];
  const taken = new Set(all.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const given = new Set<string>();
  const idOf = ({ id }: ScriptCell, index: number): string => {
    const unique = id === undefined || given.has(id) ? freeId(index, taken) : id;
    given.add(unique);
    return unique;
  };
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: headMetadata(head),
    cells: all.map((cell, index) => finished(cell, idOf(cell, index))),
  };
}

/** A code cell in a script. */
export interface ScriptCode {
  /** Line number, from 0. */
  readonly firstLine: number;
  /** Source as written, including escaped lines. */
  readonly code: string;
}

/** The code cells of a script, with their positions. A string without `// %%` has no cells. */
export function scriptCode(text: string): readonly ScriptCode[] {
  const lines = text.split(/\r?\n/);
  const { head, body } = splitHead(lines);
  const starts = body.flatMap((line, at) => (MARKER.test(line) ? [at] : []));
  const [first] = starts;
  if (first === undefined) return [];
  const before = { type: "code", from: 0, to: first };
  const cells = starts.map((start, index) => {
    const { type } = splitMarker((body[start] as string).replace(MARKER, "$1"));
    return { type, from: start + 1, to: starts[index + 1] ?? body.length };
  });
  return [before, ...cells]
    .filter(({ type }) => type === "code")
    .map(({ from, to }) => ({ firstLine: head.length + from, code: body.slice(from, to).join("\n") }));
}

/** Whether a file name is that of a script. */
export function isScript(path: string): boolean {
  return /\.[cm]?[jt]s$/i.test(path);
}

// The header: as jupytext writes it; the kernel is read from it.

const EXTENSION = { extension: ".ts", format_name: "percent", format_version: "1.3" };

function headOf({ kernelspec }: Metadata): string {
  if (typeof kernelspec !== "object" || kernelspec === null) return "";
  const kernel = Object.entries(kernelspec).filter(([key, value]) => KEY.test(key) && typeof value === "string");
  const lines = [
    ...["---", "jupyter:", "  jupytext:", "    text_representation:"],
    ...Object.entries(EXTENSION).map(
      ([key, value]) => `      ${key}: ${key === "format_version" ? `'${value}'` : value}`,
    ),
    "  kernelspec:",
    // JSON is YAML.
    ...kernel.map(([key, value]) => `    ${key}: ${oneLine(value)}`),
    "---",
  ];
  return `${lines.map((line) => `// ${line}`).join("\n")}\n`;
}

function splitHead(lines: readonly string[]): { readonly head: readonly string[]; readonly body: readonly string[] } {
  // jupytext declares the encoding of a file with characters beyond ASCII.
  const start = lines[0]?.startsWith("// -*- coding:") ? 1 : 0;
  const end = lines.findIndex((line, at) => at > start && (line === "// ---" || !line.startsWith("//")));
  if (lines[start] !== "// ---" || lines[end] !== "// ---") return { head: [], body: lines };
  return { head: lines.slice(0, end + 1), body: lines.slice(end + 1) };
}

function headMetadata(head: readonly string[]): Metadata {
  const start = head.findIndex((line) => /^\/\/ {3}kernelspec:\s*$/.test(line));
  if (start < 0) return {};
  const entries: (readonly [string, string])[] = [];
  for (const line of head.slice(start + 1)) {
    const [, key, value = ""] = /^\/\/ {5}([\w.-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined) break;
    entries.push([key, yamlText(value)]);
  }
  return { kernelspec: Object.fromEntries(entries) };
}

/** The header without jupytext's part: jupytext puts a first raw cell between lines of `---` there. */
function frontMatter(head: readonly string[]): readonly ScriptCell[] {
  const lines = head.slice(head.indexOf("// ---") + 1, -1).map((line) => line.replace(/^\/\/ ?/, ""));
  const start = lines.findIndex((line) => /^jupyter:\s*$/.test(line));
  const length = start < 0 ? 0 : lines.slice(start + 1).findIndex((line) => !/^\s/.test(line));
  const end = length < 0 ? lines.length : start + 1 + length;
  const ownLines = start < 0 ? lines : [...lines.slice(0, start), ...lines.slice(end)];
  if (ownLines.every((line) => line.trim() === "")) return [];
  return [{ type: "raw", metadata: {}, source: ["---", ...ownLines, "---"].join("\n") }];
}

/** A YAML string on one line: plain or quoted. */
function yamlText(value: string): string {
  if (/^".*"$/.test(value)) return String(jsonOf(value) ?? value);
  return value.replace(/^'(.*)'$/, (_, inner: string) => inner.replaceAll("''", "'"));
}

// Cells.

interface ScriptCell {
  readonly type: "code" | "markdown" | "raw";
  readonly id?: string;
  readonly metadata: Metadata;
  readonly source: string;
}

function cellText(cell: Cell): string {
  const { title, ...metadata } = cell.metadata;
  const cellType = cell.cell_type !== "code" && cell.cell_type;
  const isTitle = typeof title === "string" && TITLE.test(title) && title === title.trim();
  const facts = {
    ...(cell.id === undefined ? {} : { id: cell.id }),
    ...(isTitle || title === undefined ? {} : { title }),
    ...renamedKeys(metadata, (key) => (OF_ID.test(key) ? `_${key}` : key)),
  };
  const words = [isTitle ? title : "", cellType ? `[${cellType}]` : "", factsText(facts)].filter((word) => word !== "");
  const source = cellType ? escapeSeparators(cell.source) : cell.source;
  const lines = source === "" ? [] : source.split("\n");
  const written = lines.map((line) => escapedMarker(cellType ? commented(line) : line));
  return [["// %%", ...words].join(" "), ...written, ""].join("\n");
}

function renamedKeys(facts: Metadata, rename: (key: string) => string): Metadata {
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [rename(key), value]));
}

function escapedMarker(line: string): string {
  return LIKE_MARKER.test(line) ? `// ${line}` : line;
}

/** JavaScript also ends comments at these characters, so the rest of the Markdown would become code. */
function escapeSeparators(text: string): string {
  return text
    .replace(/(?<!\\)\\+(?=u(?:000d|2028|2029))/g, "$&$&")
    .replace(/\r(?!\n)|[\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function unescapeSeparators(text: string): string {
  return text.replace(/(?<!\\)(\\+)u(000d|2028|2029)/g, (_, signs: string, hex: string) => {
    const half = signs.slice(0, signs.length / 2);
    return half + (signs.length % 2 === 0 ? `u${hex}` : String.fromCharCode(Number.parseInt(hex, 16)));
  });
}

function commented(line: string): string {
  return line === "" ? "//" : `// ${line}`;
}

/** Word keys are written one by one; with other keys, all are one object. */
function factsText(facts: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(facts).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return "";
  if (!entries.every(([key]) => KEY.test(key))) return oneLine(Object.fromEntries(entries));
  return entries.map(([key, value]) => `${key}=${oneLine(value)}`).join(" ");
}

function oneLine(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

function parseCell([marker = "", ...lines]: readonly string[], name: string, index: number): ScriptCell {
  const [, header = ""] = MARKER.exec(marker) ?? [];
  const { title, type, facts } = splitMarker(header);
  const members = facts === "" ? {} : parseFacts(facts);
  if (members === undefined) {
    const line = index + 1;
    throw new NotebookFormatError(name, `line ${line}`, `has invalid metadata ${facts}`, {
      format: "a script with cells between // %%",
      hint: 'Use key=value with JSON values: tags=["parameters"].',
    });
  }
  const { id, ...others } = members;
  const isOwnId = typeof id === "string";
  const metadata = {
    ...(isOwnId || id === undefined ? {} : { id }),
    ...renamedKeys(others, (key) => (WRITTEN_OF_ID.test(key) ? key.slice(1) : key)),
  };
  // Cells are separated by one blank line, or by the end of the file.
  const kept = lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  const read = (line: string) => {
    const plain = line.replace(WRITTEN_MARKER, "");
    return type === "code" ? plain : unescapeSeparators(plain.replace(/^\/\/ ?/, ""));
  };
  return {
    type,
    ...(isOwnId ? { id } : {}),
    metadata: { ...(title === "" ? {} : { title }), ...metadata },
    source: kept.map(read).join("\n"),
  };
}

const types = { markdown: "markdown", md: "markdown", raw: "raw" } as const;

function splitMarker(header: string) {
  const [, title = "", type, facts = ""] =
    /^\s*(.*?)\s*(?:\[(markdown|md|raw)\]\s*)?((?:[A-Za-z_][\w.-]*=|\{).*)?$/.exec(header) ?? [];
  return {
    title,
    type: type === undefined ? ("code" as const) : types[type as keyof typeof types],
    facts: facts.trim(),
  };
}

/** Undefined if invalid. */
function parseFacts(text: string): Record<string, unknown> | undefined {
  if (text.startsWith("{")) {
    const all = jsonOf(text);
    return typeof all === "object" && all !== null ? (all as Record<string, unknown>) : undefined;
  }
  const metadata: Record<string, unknown> = {};
  let rest = text;
  while (rest !== "") {
    const [whole = "", key = ""] = /^([A-Za-z_][\w.-]*)=/.exec(rest) ?? [];
    if (whole === "") return undefined;
    const value = jsonAtStart(rest.slice(whole.length));
    if (value === undefined) return undefined;
    Object.defineProperty(metadata, key, { value: value.json, enumerable: true, configurable: true, writable: true });
    rest = rest.slice(whole.length + value.length).trimStart();
  }
  return metadata;
}

/** The JSON at the start of a string, up to a blank or the end. */
function jsonAtStart(text: string): { readonly json: unknown; readonly length: number } | undefined {
  for (const match of text.matchAll(/\s|$/g)) {
    const json = jsonOf(text.slice(0, match.index));
    if (json !== undefined) return { json, length: match.index };
  }
  return undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function finished({ type, metadata, source }: ScriptCell, id: string): Cell {
  if (type !== "code") return { cell_type: type, id, metadata, source };
  return { cell_type: "code", id, metadata, source, execution_count: null, outputs: [] };
}

function freeId(index: number, taken: Set<string>): string {
  const id = `cell-${index + 1}`;
  const free = taken.has(id) ? freeId(index + 1000, taken) : id;
  taken.add(free);
  return free;
}

/** Converts the line ends of a Windows editor. */
function unixLines(text: string): string {
  return /^[^\n]*\r\n/.test(text) ? text.replaceAll("\r\n", "\n") : text;
}
