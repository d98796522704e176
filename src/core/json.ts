import { MAX_DEPTH } from "./depth.js";
import { ArgumentError } from "./errors.js";
import { reasonOf, showValue } from "./show-value.js";

/**
 * A JSON value as text in which the order of object keys makes no difference, so that equal values have equal texts
 * and a number differs from its text. `JSON.parse` gives the value back: also the infinity that a number like `1e400`
 * is read as, which `JSON.stringify` takes for null.
 */
export function canonicalJson(value: unknown): string {
  try {
    return canonicalText(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return deepJson(value, canonicalText, (members) => members.sort(([a], [b]) => compareText(a, b)));
  }
}

function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => compareText(a, b));
    return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item)}`).join()}}`;
  }
  if (value === Infinity || value === -Infinity) return value > 0 ? "1e999" : "-1e999";
  return JSON.stringify(value) ?? "null";
}

/**
 * A JSON value as text, however deep it is nested: `JSON.stringify` and functions that call themselves meet the end of the
 * stack. What is undefined is left out, in arrays null.
 *
 * @param leaf the text of what is neither an array nor an object
 * @param ordered puts members of an object in order
 * @throws TypeError for a value that holds itself, as `JSON.stringify` does
 */
export function deepJson(
  value: unknown,
  leaf: (value: unknown) => string,
  ordered: (members: [string, unknown][]) => [string, unknown][] = (members) => members,
): string {
  const parts: string[] = [];
  const within = new Set<object>();
  const open: OpenValue[] = [];
  const write = (given: unknown) => {
    const item = isComposite(given) && "toJSON" in given && typeof given.toJSON === "function" ? given.toJSON() : given;
    if (!isComposite(item)) return void parts.push(leaf(item));
    if (within.has(item)) throw new TypeError("A value holds itself, which JSON cannot say");
    within.add(item);
    const items = Array.isArray(item)
      ? item.map((one: unknown) => ["", one] as const)
      : ordered(Object.entries(item).filter(([, one]) => one !== undefined)).map(
          ([key, one]) => [`${JSON.stringify(key)}:`, one] as const,
        );
    parts.push(Array.isArray(item) ? "[" : "{");
    open.push({ of: item, items, next: 0, end: Array.isArray(item) ? "]" : "}" });
  };
  write(value);
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const [prefix, item] = last.items[last.next] ?? [];
    if (prefix === undefined) {
      parts.push(last.end);
      within.delete(last.of);
      open.pop();
      continue;
    }
    parts.push(last.next > 0 ? "," : "", prefix);
    last.next += 1;
    write(item);
  }
  return parts.join("");
}

/** An array or object of which so many items are written. */
interface OpenValue {
  readonly of: object;
  /** Each behind what stands before it: the name of a member. */
  readonly items: readonly (readonly [prefix: string, item: unknown])[];
  next: number;
  readonly end: string;
}

/** Whether two JSON values are equal: arrays and objects by content, a number never equal to its text. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return isComposite(a) && isComposite(b) && canonicalJson(a) === canonicalJson(b);
}

/** Order of texts by code unit: the same on every machine and in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** An escape of JSON; the group is half of a surrogate pair, which `JSON.stringify` escapes only where it stands alone. */
const escapes = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/** Kept as they are: this runs beside code of others. */
const { stringify } = JSON;
const { getOwnPropertyDescriptor, defineProperty, deleteProperty } = Reflect;
const top = Object.prototype;

/** A value as JSON, whatever code of others has made of `JSON`, and of what all objects inherit. */
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
 * A value as JSON that can be written as UTF-8: JavaScript's texts may hold half of a surrogate pair, which no other
 * language takes, in values as well as in keys. It becomes U+FFFD, the replacement character.
 *
 * @throws TypeError for what is no JSON: a value that holds itself, a BigInt
 */
export function wellFormedJson(value: unknown): string {
  const json = ownJson(value);
  if (!json.includes("\\ud")) return json;
  return json.replace(escapes, (whole, half: string | undefined) => (half === undefined ? whole : "\ufffd"));
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACKET, OPEN_BRACE, CLOSE_BRACKET, CLOSE_BRACE] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * Whether JSON text has arrays and objects within each other, more than so many. The parser takes minutes for millions,
 * and whoever walks through its result meets the end of the stack.
 */
export function nestsDeeper(text: string, most = MAX_DEPTH): boolean {
  if (text.length <= most) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = textEnd(text, at + 1);
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth += 1;
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

/** Where the quote is that ends a JSON text, or the end of all. */
function textEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Whether a value has arrays and objects within each other, more than so many; also one that holds itself. */
export function valueNestsDeeper(value: unknown, most = MAX_DEPTH): boolean {
  const left: { readonly of: object; readonly depth: number }[] = isComposite(value) ? [{ of: value, depth: 1 }] : [];
  for (let next = left.pop(); next; next = left.pop()) {
    const { of, depth } = next;
    if (depth > most) return true;
    for (const inner of Object.values(of)) if (isComposite(inner)) left.push({ of: inner, depth: depth + 1 });
  }
  return false;
}

/**
 * A value as the JSON data that others will see of it: with `toJSON` applied, without what JSON leaves out. BigInts,
 * which JSON has not, are the text of their digits.
 *
 * @param name what the value is called in errors
 * @throws ArgumentError if it is no JSON, such as a function or a value that holds itself
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
