// Words of reports in six languages. English is the key; the other languages are tables in `assets/locales`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatDay, inUtc } from "./format/format-date.js";
import { ISO_DAY } from "./format/format-local.js";
import { isOptionCode } from "./option-codes.js";
import { packageFolder } from "./package-folder.js";
import { reportLocale } from "./provenance.js";

/** Languages of reports. */
export const languages = ["en", "de", "es", "fr", "it", "pt"] as const;

/** Returns words in a language, with values for its placeholders: `{count} tickets are open.` */
export type Translate = (text: string, values?: Readonly<Record<string, string | number>>) => string;

const tables = new Map<string, Readonly<Record<string, string>>>();

/** The words of a language by their English; empty for English and other languages. */
function wordsOf(locale: string): Readonly<Record<string, string>> {
  const language = locale.split("-", 1)[0] as string;
  if (language === "en" || !languages.some((name) => name === language)) return {};
  const path = join(packageFolder, "assets", "locales", `${language}.json`);
  const words = tables.get(language) ?? (JSON.parse(readFileSync(path, "utf8")) as Record<string, string>);
  tables.set(language, words);
  return words;
}

/**
 * Returns a function that translates texts. Missing entries stay English.
 *
 * @param locale BCP 47 tag of one of `languages`
 */
export function translator(locale: string): Translate {
  const words = wordsOf(locale);
  // Texts can be values of a layer, such as `constructor`.
  return (text, values = {}) =>
    String(ownValue(words, text) ?? text).replace(
      /\{(\w+)\}/g,
      (name, key: string) => `${ownValue(values, key) ?? name}`,
    );
}

function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Translates words to the language of the report that is being made; otherwise, it stays English. */
export const translate: Translate = (text, values) => translator(reportLocale() ?? "en")(text, values);

/** A code of an option, such as `IN_PROGRESS`, but neither an id, such as `B05`, nor an abbreviation, such as `EUR`. */
const CODE = /^(?:[A-Z]{4,}|[A-Z]+(?:_[A-Z]+)+|LOW)$/;

/** Whether a word is a code: of several words, of a definition, or a usual one, such as `OPEN`. */
function isCode(text: string): boolean {
  return (
    CODE.test(text) &&
    (text.includes("_") || isOptionCode(text) || ownValue(wordsOf("de"), codeWords(text)) !== undefined)
  );
}

/**
 * Returns a word of a figure or a table for the readers of a report: codes of options as words, and days, in the report's
 * language. Other words stay unchanged, and all words do if no report is being made.
 */
export function readerWord(text: string): string {
  const locale = reportLocale();
  if (locale === undefined) return text;
  if (ISO_DAY.test(text)) return formatDay(new Date(text), { ...inUtc, locale });
  return translator(locale)(isCode(text) ? codeWords(text) : text);
}

/** The words of a code: `In progress` for `IN_PROGRESS`. Other text is unchanged. */
export function codeWords(text: string): string {
  return CODE.test(text) ? `${text.slice(0, 1)}${text.slice(1).toLowerCase().replaceAll("_", " ")}` : text;
}
