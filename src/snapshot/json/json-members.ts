import { stringEnd } from "./string-end.js";

/** Where a member of an object stands in its JSON text. */
export interface JsonMember {
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
 * The members of an object, not of the objects in it. Values can be read, replaced and left out by their place, so
 * that the rest of the text stays as it came.
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
