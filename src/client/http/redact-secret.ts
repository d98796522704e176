/** Maximum depth of nested escapes. */
const DEPTH = 4;
const HEX = /^[0-9a-f]{2}$/i;
const ENTITY = /&(?:amp;){0,3}(?:#0{0,5}(\d{1,3})|#x0{0,6}([0-9a-f]{2})|(amp|lt|gt|quot|apos));/iy;

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Shorter keys are searched for only as whole words, since they could be part of any word. */
const SYLLABLE = 6;
/** Minimum characters before an ellipsis that count as the start of a key. */
const LEAST_CUT = 4;
const CUT = /(?:[%\\&][\w#%\\;]{0,10})?…/y;
const MARK = "[key]";

/** A form in which a key can appear. */
interface Form {
  readonly letters: string;
  /** Matches a possible start. */
  readonly start: RegExp;
  readonly kind: "plain" | "word" | "base64";
}

/**
 * Returns a function that removes a key from text of a service or proxy: plain in any case, escaped for URLs, JSON or
 * HTML, in base64 at any offset, in hexadecimal, and cut off at the end.
 */
export function secretRedactor(key: string): (text: string) => string {
  const forms = key.length < SYLLABLE ? [formOf(key, "word")] : [formOf(key, "plain"), ...packedForms(key)];
  return (text) => forms.reduce(withoutForm, text);
}

/** Possible ends of an ASCII character that begins at an index: plain, or escaped for URLs, JSON or HTML. */
function letterEnds(text: string, at: number, letter: string): readonly number[] {
  const begin = text[at];
  if (begin === "%") return [...literalEnds(text, at, letter), ...percentEnds(text, at, letter)];
  if (begin === "\\") return [...literalEnds(text, at, letter), ...escapeEnds(text, at, letter)];
  if (begin === "&") return [...literalEnds(text, at, letter), ...entityEnds(text, at, letter)];
  return literalEnds(text, at, letter);
}

/** Ends of the plain character, with optional backslashes. */
function literalEnds(text: string, at: number, letter: string): readonly number[] {
  const ends: number[] = [];
  for (let index = at; index <= at + DEPTH; index += 1) {
    if (isSame(text[index], letter)) ends.push(index + 1);
    if (text[index] !== "\\") break;
  }
  return ends;
}

function percentEnds(text: string, at: number, letter: string): readonly number[] {
  const ends: number[] = [];
  let index = at + 1;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    if (isCode(text.slice(index, index + 2), letter)) ends.push(index + 2);
    if (!text.startsWith("25", index)) break;
    index += 2;
  }
  return ends;
}

function escapeEnds(text: string, at: number, letter: string): readonly number[] {
  let index = at;
  while (text[index] === "\\" && index < at + DEPTH) index += 1;
  const start = index + (/^u00/i.test(text.slice(index, index + 3)) ? 3 : 1);
  const isEscape = start === index + 3 || /x/i.test(text.charAt(index));
  return isEscape && isCode(text.slice(start, start + 2), letter) ? [start + 2] : [];
}

function entityEnds(text: string, at: number, letter: string): readonly number[] {
  ENTITY.lastIndex = at;
  const [entity, decimal, hex, name] = ENTITY.exec(text) ?? [];
  if (entity === undefined) return [];
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const meant = name === undefined ? String.fromCharCode(code) : named[name.toLowerCase()];
  return isSame(meant, letter) ? [at + entity.length] : [];
}

function isCode(hex: string, letter: string): boolean {
  return HEX.test(hex) && isSame(String.fromCharCode(Number.parseInt(hex, 16)), letter);
}

function isSame(character: string | undefined, letter: string): boolean {
  return character !== undefined && character.toLowerCase() === letter.toLowerCase();
}

function packedForms(key: string): readonly Form[] {
  const bytes = Buffer.from(key);
  const base64 = [0, 1, 2].flatMap((skipped) => {
    const text = Buffer.concat([Buffer.alloc(skipped), bytes]).toString("base64");
    // Six bits per character: the first and last can contain bits of the text around the key.
    const letters = text.slice(Math.ceil((skipped * 8) / 6), Math.floor(((skipped + bytes.length) * 8) / 6));
    return [letters, letters.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [formOf(bytes.toString("hex"), "plain"), ...[...new Set(base64)].map((letters) => formOf(letters, "base64"))];
}

function formOf(letters: string, kind: Form["kind"]): Form {
  const first = letters.charAt(0).replace(/\W/, "\\$&");
  return { letters, kind, start: new RegExp(`[${first}%\\\\&]`, "gi") };
}

function withoutForm(text: string, form: Form): string {
  const kept: string[] = [];
  let done = 0;
  for (const { index } of text.matchAll(form.start)) {
    const end = index < done ? undefined : formEnd(text, index, form);
    if (end === undefined) continue;
    const isPacked = form.kind === "base64";
    kept.push(text.slice(done, isPacked && isBase64(text[index - 1]) ? Math.max(done, index - 1) : index), MARK);
    done = isPacked && isBase64(text[end]) ? end + 1 : end;
  }
  return kept.join("") + text.slice(done);
}

/** End of a form that begins at an index; undefined if it does not. */
function formEnd(text: string, start: number, { letters, kind }: Form): number | undefined {
  let ends = [start];
  for (const [index, letter] of [...letters].entries()) {
    const cut = index < LEAST_CUT ? undefined : ends.flatMap((position) => cutAt(text, position) ?? [])[0];
    if (cut !== undefined) return cut;
    ends = [...new Set(ends.flatMap((position) => letterEnds(text, position, letter)))];
    if (ends.length === 0) return undefined;
  }
  const end = Math.max(...ends);
  return kind === "word" && (isLetter(text[start - 1]) || isLetter(text[end])) ? undefined : end;
}

/** Index at which the text was cut, if that is the given index or within the escape that begins there. */
function cutAt(text: string, index: number): number | undefined {
  CUT.lastIndex = index;
  const cut = CUT.exec(text);
  return cut ? index + cut[0].length - 1 : undefined;
}

function isLetter(letter: string | undefined): boolean {
  return letter !== undefined && /[a-z\d]/i.test(letter);
}

function isBase64(letter: string | undefined): boolean {
  return letter !== undefined && /[\w+/-]/.test(letter);
}

/**
 * Returns a value with all strings cleaned: a copy of plain objects and arrays if something changes, the same error
 * object with its message, stack, facts and causes.
 */
export function redactSecret<T>(value: T, scrub: (text: string) => string): T {
  return cleaned(value, scrub, new Map()) as T;
}

/** Results by object, so that a repeated or circular object becomes the same clean object everywhere. */
type Seen = Map<object, unknown>;

function cleaned(value: unknown, scrub: (text: string) => string, seen: Seen): unknown {
  if (typeof value === "string") return scrub(value);
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  seen.set(value, value);
  if (value instanceof Error) return cleanedError(value, scrub, seen);
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    seen.set(value, items);
    for (const item of value) items.push(cleaned(item, scrub, seen));
    if (items.every((item, index) => item === value[index])) seen.set(value, value);
  } else if (isPlain(value)) {
    const copy = {};
    seen.set(value, copy);
    const members = Object.entries(value).map(([name, item]) => [scrub(name), cleaned(item, scrub, seen), name, item]);
    Object.defineProperties(
      copy,
      Object.getOwnPropertyDescriptors(Object.fromEntries(members.map(([newName, newItem]) => [newName, newItem]))),
    );
    if (members.every(([newName, newItem, name, item]) => newName === name && newItem === item)) seen.set(value, value);
  }
  return seen.get(value);
}

/** Callers may compare errors by identity, so the error stays the same object. */
function cleanedError(error: Error, scrub: (text: string) => string, seen: Seen): Error {
  for (const name of Reflect.ownKeys(error)) {
    const value: unknown = Reflect.get(error, name);
    const clean = cleaned(value, scrub, seen);
    if (clean === value) continue;
    const enumerable = Object.getOwnPropertyDescriptor(error, name)?.enumerable ?? false;
    Reflect.defineProperty(error, name, { value: clean, enumerable, writable: true, configurable: true });
  }
  return error;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
