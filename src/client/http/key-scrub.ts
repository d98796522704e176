import { letterEnds } from "./letter-ends.js";

/** Shorter keys are looked for as whole words only: they could be part of any. */
const SYLLABLE = 6;
/** Fewer letters before an ellipsis say nothing. */
const LEAST_CUT = 4;
const CUT = /(?:[%\\&][\w#%\\;]{0,10})?…/y;
const MARK = "[key]";

/** One form in which a key may appear. */
interface Form {
  readonly letters: string;
  /** Where it may begin. */
  readonly start: RegExp;
  readonly kind: "plain" | "word" | "base64";
}

/**
 * Makes what takes a key out of a text that a service or proxy may have written: as it is, in either case, escaped for
 * URLs, JSON or HTML, in base64 wherever it begins there, in hexadecimal, and its beginning where a text was cut.
 */
export function keyScrub(key: string): (text: string) => string {
  const forms = key.length < SYLLABLE ? [formOf(key, "word")] : [formOf(key, "plain"), ...packedForms(key)];
  return (text) => forms.reduce(withoutForm, text);
}

function packedForms(key: string): readonly Form[] {
  const bytes = Buffer.from(key);
  const base64 = [0, 1, 2].flatMap((skipped) => {
    const text = Buffer.concat([Buffer.alloc(skipped), bytes]).toString("base64");
    // Six bits a letter: the first and the last one may hold bits of what stands around the key.
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

/** Where a form ends that begins at a place; undefined if it is not there. */
function formEnd(text: string, start: number, { letters, kind }: Form): number | undefined {
  let places = [start];
  for (const [index, letter] of [...letters].entries()) {
    const cut = index < LEAST_CUT ? undefined : places.flatMap((place) => cutAt(text, place) ?? [])[0];
    if (cut !== undefined) return cut;
    places = [...new Set(places.flatMap((place) => letterEnds(text, place, letter)))];
    if (places.length === 0) return undefined;
  }
  const end = Math.max(...places);
  return kind === "word" && (isLetter(text[start - 1]) || isLetter(text[end])) ? undefined : end;
}

/** Where the text was cut, if that is at a place or within the escape that begins there. */
function cutAt(text: string, place: number): number | undefined {
  CUT.lastIndex = place;
  const found = CUT.exec(text);
  return found ? place + found[0].length - 1 : undefined;
}

function isLetter(letter: string | undefined): boolean {
  return letter !== undefined && /[a-z\d]/i.test(letter);
}

function isBase64(letter: string | undefined): boolean {
  return letter !== undefined && /[\w+/-]/.test(letter);
}
