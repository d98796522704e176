// Notebooks as scripts with cells between `// %%`: the percent format of jupytext, which VS Code and Spyder know too.
import { type Cell, type Metadata, type Notebook, NotebookFormatError } from "./notebook.js";

/** The line that begins a cell. */
const MARKER = /^\/\/ ?%%(?!%)(.*)$/;
/** A line of code that would be one, or stands for such a line: written with one more comment sign. */
const LIKE_MARKER = /^(?:\/\/ )*\/\/ ?%%(?!%)/;
const WRITTEN_MARKER = /^\/\/ (?=(?:\/\/ )*\/\/ ?%%(?!%))/;
const KEY = /^[A-Za-z_][\w.-]*$/;
/** Metadata that are called like the id of the cell are written with one more underscore. */
const OF_ID = /^_*id$/;
const WRITTEN_OF_ID = /^_+id$/;
/** What stands before `[type]` and metadata. */
const TITLE = /^[^=[\]{}"\s][^=[\]{}"\r\n\u2028\u2029]*$/;

/**
 * A notebook as a script. Code stands as it is, Markdown and raw text as comments; types, tags, ids and all other metadata
 * of cells stand behind their `// %%`, the kernel in the head. Outputs and attachments are not in it.
 */
export function toPercentScript({ metadata, cells }: Notebook): string {
  return [headOf(metadata), ...cells.map(cellText)].filter((part) => part !== "").join("\n");
}

/**
 * The notebook that a script is: without outputs. Text before the first `// %%` is a cell of code, and front matter in the
 * head a raw one. A cell without an id of its own gets one by its place.
 *
 * @param name what to call the script in errors
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
  const idOf = ({ id }: ScriptCell, place: number): string => {
    const own = id === undefined || given.has(id) ? freeId(place, taken) : id;
    given.add(own);
    return own;
  };
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: headMetadata(head),
    cells: all.map((cell, place) => finished(cell, idOf(cell, place))),
  };
}

/** A cell of code where it stands in a script. */
export interface ScriptCode {
  /** Counted from 0. */
  readonly firstLine: number;
  /** As it is written, also where a line begins with one more comment sign. */
  readonly code: string;
}

/** The code of a script's cells, for those who show it where it is. A text without `// %%` has none. */
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

/** Whether a file is a script, by its name. */
export function isScript(path: string): boolean {
  return /\.[cm]?[jt]s$/i.test(path);
}

// The head: as jupytext writes it, of which the kernel is read.

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
  // jupytext says how a file is written that has letters beyond ASCII.
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

/** What stands in the head and is not jupytext's: it puts a first raw cell between lines of `---` there. */
function frontMatter(head: readonly string[]): readonly ScriptCell[] {
  const lines = head.slice(head.indexOf("// ---") + 1, -1).map((line) => line.replace(/^\/\/ ?/, ""));
  const start = lines.findIndex((line) => /^jupyter:\s*$/.test(line));
  const length = start < 0 ? 0 : lines.slice(start + 1).findIndex((line) => !/^\s/.test(line));
  const end = length < 0 ? lines.length : start + 1 + length;
  const own = start < 0 ? lines : [...lines.slice(0, start), ...lines.slice(end)];
  if (own.every((line) => line.trim() === "")) return [];
  return [{ type: "raw", metadata: {}, source: ["---", ...own, "---"].join("\n") }];
}

/** Of one line: plain, or between quotes. */
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
  const own = cell.cell_type !== "code" && cell.cell_type;
  const isTitle = typeof title === "string" && TITLE.test(title) && title === title.trim();
  const facts = {
    ...(cell.id === undefined ? {} : { id: cell.id }),
    ...(isTitle || title === undefined ? {} : { title }),
    ...renamedKeys(metadata, (key) => (OF_ID.test(key) ? `_${key}` : key)),
  };
  const words = [isTitle ? title : "", own ? `[${own}]` : "", factsText(facts)].filter((word) => word !== "");
  const source = own ? escapeSeparators(cell.source) : cell.source;
  const lines = source === "" ? [] : source.split("\n");
  const written = lines.map((line) => escapedMarker(own ? commented(line) : line));
  return [["// %%", ...words].join(" "), ...written, ""].join("\n");
}

function renamedKeys(facts: Metadata, rename: (key: string) => string): Metadata {
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [rename(key), value]));
}

function escapedMarker(line: string): string {
  return LIKE_MARKER.test(line) ? `// ${line}` : line;
}

/** JavaScript also ends comments at these characters: the rest of the Markdown would become code. */
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

/** Keys that are words stand by themselves; others make it one object. */
function factsText(facts: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(facts).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return "";
  if (!entries.every(([key]) => KEY.test(key))) return oneLine(Object.fromEntries(entries));
  return entries.map(([key, value]) => `${key}=${oneLine(value)}`).join(" ");
}

function oneLine(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

function parseCell([marker = "", ...lines]: readonly string[], name: string, place: number): ScriptCell {
  const [, said = ""] = MARKER.exec(marker) ?? [];
  const { title, type, facts } = splitMarker(said);
  const found = facts === "" ? {} : parseFacts(facts);
  if (found === undefined) {
    const line = place + 1;
    throw new NotebookFormatError(
      name,
      `line ${line}`,
      `has metadata ${facts} that are not key=value, with values of JSON`,
      { format: "a script with cells between // %%", hint: 'Write them as JSON: tags=["parameters"].' },
    );
  }
  const { id, ...others } = found;
  const isOwnId = typeof id === "string";
  const metadata = {
    ...(isOwnId || id === undefined ? {} : { id }),
    ...renamedKeys(others, (key) => (WRITTEN_OF_ID.test(key) ? key.slice(1) : key)),
  };
  // One blank line, or the end of the file, stands between cells.
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

function splitMarker(said: string) {
  const [, title = "", type, facts = ""] =
    /^\s*(.*?)\s*(?:\[(markdown|md|raw)\]\s*)?((?:[A-Za-z_][\w.-]*=|\{).*)?$/.exec(said) ?? [];
  return {
    title,
    type: type === undefined ? ("code" as const) : types[type as keyof typeof types],
    facts: facts.trim(),
  };
}

/** Undefined for what is none. */
function parseFacts(text: string): Record<string, unknown> | undefined {
  if (text.startsWith("{")) {
    const all = jsonOf(text);
    return typeof all === "object" && all !== null ? (all as Record<string, unknown>) : undefined;
  }
  const found: Record<string, unknown> = {};
  let rest = text;
  while (rest !== "") {
    const [whole = "", key = ""] = /^([A-Za-z_][\w.-]*)=/.exec(rest) ?? [];
    if (whole === "") return undefined;
    const value = jsonAtStart(rest.slice(whole.length));
    if (value === undefined) return undefined;
    Object.defineProperty(found, key, { value: value.json, enumerable: true, configurable: true, writable: true });
    rest = rest.slice(whole.length + value.length).trimStart();
  }
  return found;
}

/** The JSON that a text begins with, up to a blank or the end. */
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

function freeId(place: number, taken: Set<string>): string {
  const id = `cell-${place + 1}`;
  const free = taken.has(id) ? freeId(place + 1000, taken) : id;
  taken.add(free);
  return free;
}

/** Of a script that an editor on Windows has written. */
function unixLines(text: string): string {
  return /^[^\n]*\r\n/.test(text) ? text.replaceAll("\r\n", "\n") : text;
}
