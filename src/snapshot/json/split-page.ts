import { stringEnd } from "./json-text.js";

const QUOTE = 34;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const COMMA = 44;

/** A page of the API in pieces. */
export interface SplitPage {
  /** The text of each record, as it came. */
  readonly records: readonly string[];
  /** The page without its records. */
  readonly rest: unknown;
}

/**
 * Cuts the JSON text of a page into the texts of its records, so that they can be stored as they came.
 *
 * @throws SyntaxError if the text is no JSON object. Records are not parsed.
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
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
    else if (depth > 0 && (code === CLOSE_OBJECT || code === CLOSE_ARRAY)) depth--;
    else if (depth === 0 && (code === COMMA || code === CLOSE_ARRAY)) {
      const record = text.slice(from, at).trim();
      if (record !== "" || code === COMMA || records.length > 0) records.push(record);
      from = at + 1;
      if (code === CLOSE_ARRAY) break;
    }
  }
  return { records, rest: JSON.parse(`${text.slice(0, start)}[]${text.slice(at + 1)}`) };
}

/** Where the array of the member `data` begins; undefined if there is none. */
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
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth--;
  }
  return undefined;
}
