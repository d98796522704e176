/**
 * Returns a JSON value as compact text. Unlike `JSON.stringify`, it keeps all results of `JSON.parse`: `-0`, and the
 * infinity of a number such as `1e400`.
 */
export function jsonText(value: unknown): string {
  return hasOddNumber(value) ? exactText(value) : JSON.stringify(value);
}

function hasOddNumber(value: unknown): boolean {
  if (typeof value === "number") return isOdd(value);
  if (Array.isArray(value)) return value.some(hasOddNumber);
  return typeof value === "object" && value !== null && Object.values(value).some(hasOddNumber);
}

function isOdd(value: number): boolean {
  return Object.is(value, -0) || value === Infinity || value === -Infinity;
}

function exactText(value: unknown): string {
  if (typeof value === "number" && isOdd(value)) return value === 0 ? "-0" : value > 0 ? "1e999" : "-1e999";
  if (Array.isArray(value)) return `[${value.map(exactText).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${exactText(item)}`).join()}}`;
}

const TOKEN_OR_SPACE = /("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g;
/** Matches white space next to a JSON sign. Strings can contain such text, too; then the whole text is scanned. */
const SPACE = /[[\]{},:][ \t\r\n]|[ \t\r\n][[\]{},:]|^[ \t\r\n]|[ \t\r\n]$/;

/** Valid JSON text without white space between its tokens. Numbers and strings stay unchanged. */
export function compactJson(text: string): string {
  return SPACE.test(text) ? text.replace(TOKEN_OR_SPACE, "$1") : text;
}

/** Position of a member of an object in its JSON text. */
interface JsonMember {
  readonly key: string;
  /** Start of the key's text. */
  readonly start: number;
  readonly valueStart: number;
  /** End of the value's text. */
  readonly end: number;
}

const QUOTE = 34;
const COMMA = 44;
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [91, 93, 123, 125];

/**
 * The members of an object, without those of nested objects. Values can be read, replaced and removed by position, so
 * that the rest of the text stays unchanged.
 *
 * @param text valid JSON text of an object, without white space between tokens
 */
export function jsonMembers(text: string): JsonMember[] {
  const members: JsonMember[] = [];
  for (let start = 1; start < text.length - 1; ) {
    const keyEnd = stringEnd(text, start) + 1;
    const valueStart = keyEnd + 1;
    const end = valueEnd(text, valueStart);
    members.push({ key: JSON.parse(text.slice(start, keyEnd)) as string, start, valueStart, end });
    start = end + 1;
  }
  return members;
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at) + 1;
      continue;
    }
    const closes = code === CLOSE_BRACE || code === CLOSE_BRACKET;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (depth === 0 && (code === COMMA || closes)) return at;
    else if (closes) depth--;
    at++;
  }
  return at;
}

/**
 * The JSON text of an object with some members replaced or removed. The rest stays unchanged.
 *
 * @param text valid JSON text of an object, without white space between tokens
 * @param changes new text of a member; undefined removes it. A new member is added at the end
 */
export function editMembers(text: string, changes: ReadonlyMap<string, string | undefined>): string {
  const parts: string[] = [];
  const missing = new Map(changes);
  for (const { key, start, end } of jsonMembers(text)) {
    if (!changes.has(key)) parts.push(text.slice(start, end));
    else if (missing.has(key)) parts.push(...memberText(key, changes.get(key)));
    missing.delete(key);
  }
  for (const [key, value] of missing) parts.push(...memberText(key, value));
  return `{${parts.join()}}`;
}

function memberText(key: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${JSON.stringify(key)}:${value}`];
}

const BACKSLASH = 92;

/**
 * Returns the end of a JSON string: the index of its closing quote.
 *
 * @param start index of its opening quote
 * @throws SyntaxError if the quote is missing
 */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at;
  }
  throw new SyntaxError("the JSON ends within a string");
}

/** A page of the API in parts. */
export interface SplitPage {
  /** The original text of each record. */
  readonly records: readonly string[];
  /** The page without its records. */
  readonly rest: unknown;
}

/**
 * Splits the JSON of a page into the JSON of each record, so that records can be stored unchanged.
 *
 * @throws SyntaxError if the text is not a JSON object. Records are not parsed
 */
export function splitPage(text: string): SplitPage {
  const start = dataStart(text);
  if (start === undefined) return { records: [], rest: JSON.parse(text) };
  const records: string[] = [];
  let from = start + 1;
  let at = from;
  for (let depth = 0; ; at++) {
    const code = text.charCodeAt(at);
    if (Number.isNaN(code)) throw new SyntaxError("the page ends within its records");
    if (code === QUOTE) at = stringEnd(text, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (depth > 0 && (code === CLOSE_BRACE || code === CLOSE_BRACKET)) depth--;
    else if (depth === 0 && (code === COMMA || code === CLOSE_BRACKET)) {
      const record = text.slice(from, at).trim();
      if (record !== "" || code === COMMA || records.length > 0) records.push(record);
      from = at + 1;
      if (code === CLOSE_BRACKET) break;
    }
  }
  return { records, rest: JSON.parse(`${text.slice(0, start)}[]${text.slice(at + 1)}`) };
}

/** Start of the array in the member `data`; undefined if the member is missing. */
function dataStart(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = stringEnd(text, at);
      if (depth === 1 && text.slice(at, end + 1) === '"data"') {
        const value = /\s*:\s*\[/y;
        value.lastIndex = end + 1;
        if (value.test(text)) return value.lastIndex - 1;
      }
      at = end;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return undefined;
}
