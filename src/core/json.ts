import { MAX_DEPTH } from "./depth.js";
import { ArgumentError } from "./errors.js";
import { reasonOf, showValue } from "./show-value.js";

/**
 * Returns a JSON value as a string that does not depend on the order of object keys: equal values have equal strings,
 * and a number differs from a string of its digits. `JSON.parse` restores the value, including the infinity of a number
 * like `1e400`, which `JSON.stringify` writes as null.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => compareText(a, b));
    return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join()}}`;
  }
  if (value === Infinity || value === -Infinity) return value > 0 ? "1e999" : "-1e999";
  return JSON.stringify(value) ?? "null";
}

/** Whether two JSON values are equal: arrays and objects by content, a number never equal to its text. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return isComposite(a) && isComposite(b) && canonicalJson(a) === canonicalJson(b);
}

/** Order of strings by code unit: the same on every machine and in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** An escape in JSON; the group is half of a surrogate pair, which `JSON.stringify` escapes only if it is unpaired. */
const escapes = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/** Saved: user code runs in the same process. */
const { stringify } = JSON;
const { getOwnPropertyDescriptor, defineProperty, deleteProperty } = Reflect;
const top = Object.prototype;

/** Returns a value as JSON, even if other code has changed `JSON` or `Object.prototype`. */
export function ownJson(value: unknown): string {
  const added = getOwnPropertyDescriptor(top, "toJSON");
  if (!added) return stringify(value);
  deleteProperty(top, "toJSON");
  try {
    return stringify(value);
  } finally {
    defineProperty(top, "toJSON", added);
  }
}

/**
 * Returns a value as JSON that can be encoded as UTF-8. JavaScript's strings may contain half of a surrogate pair,
 * which other languages reject, in values as well as in keys. It is replaced by U+FFFD, the replacement character.
 *
 * @throws TypeError for values that JSON cannot hold: a value that contains itself, a BigInt
 */
export function wellFormedJson(value: unknown): string {
  const json = ownJson(value);
  if (!json.includes("\\ud")) return json;
  return json.replace(escapes, (whole, half: string | undefined) => (half === undefined ? whole : "\ufffd"));
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACKET, OPEN_BRACE, CLOSE_BRACKET, CLOSE_BRACE, COMMA] = [0x5b, 0x7b, 0x5d, 0x7d, 0x2c];

/** Whether arrays and objects in JSON text are nested deeper than a limit. See `deepOffset`. */
export function nestsDeeper(text: string, most = MAX_DEPTH): boolean {
  return deepOffset(text, most) !== undefined;
}

/**
 * Returns the offset of the first array or object in JSON text that is nested deeper than a limit. The parser takes
 * minutes for millions of levels, and recursive functions over its result overflow the stack.
 */
export function deepOffset(text: string, most = MAX_DEPTH): number | undefined {
  // Text nested that deeply has at least as many opening and closing brackets.
  if (text.length < 2 * most) return undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = textEnd(text, at + 1);
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth += 1;
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
    if (depth > most) return at;
  }
  return undefined;
}

/**
 * Returns the JSON path of the array or object that begins at an offset of JSON text.
 *
 * @param most number of steps to show: `$.data[3].properties.status` has four
 */
export function jsonPath(text: string, offset: number, most: number): string {
  const steps: (string | number)[] = [];
  let depth = 0;
  for (let at = 0; at < offset; at += 1) {
    const code = text.charCodeAt(at);
    const inner = depth - 1;
    if (code === QUOTE) {
      const end = textEnd(text, at + 1);
      if (inner < most && /^\s*:/.test(text.slice(end + 1, end + 20))) steps[inner] = text.slice(at + 1, end);
      at = end;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if (depth < most) steps[depth] = code === OPEN_BRACKET ? 0 : "";
      depth += 1;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      depth -= 1;
      steps.length = Math.min(steps.length, depth);
    } else if (code === COMMA && inner < most) {
      const step = steps[inner];
      if (typeof step === "number") steps[inner] = step + 1;
    }
  }
  return `$${steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("")}`;
}

/** Returns the offset of the quote that ends a JSON string; if unterminated, the end of the JSON. */
function textEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Whether a value nests arrays and objects deeper than a limit, or contains itself. */
export function valueNestsDeeper(value: unknown, most = MAX_DEPTH): boolean {
  if (!isComposite(value)) return false;
  if (most === 0) return true;
  if (Array.isArray(value)) return value.some((inner) => valueNestsDeeper(inner, most - 1));
  for (const inner of Object.values(value)) if (valueNestsDeeper(inner, most - 1)) return true;
  return false;
}

/**
 * Returns a value as JSON data: with `toJSON` applied, without values that JSON omits. BigInts, which JSON lacks,
 * become strings of digits.
 *
 * @param name the value's name in errors
 * @throws ArgumentError for values that JSON cannot hold, such as a function or a value that contains itself
 */
export function plainJson(value: unknown, name: string): unknown {
  const json = toJson(value, name);
  if (json === undefined) throw new ArgumentError(`${name} must be JSON, not ${showValue(value)}.`);
  return JSON.parse(json);
}

function toJson(value: unknown, name: string): string | undefined {
  try {
    return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner));
  } catch (cause) {
    const [reason = ""] = reasonOf(cause).split("\n");
    throw new ArgumentError(`${name} must be JSON: ${reason}.`, { cause });
  }
}
