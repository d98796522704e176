import { formatDay, inUtc } from "../../core/format/format-date.js";
import { checkOptions, type OptionRules, text, texts } from "../../core/options.js";
import { printable } from "../../core/printable.js";
import { reportLocale } from "../../core/provenance.js";
import { readerWord, type Translate, translate } from "../../core/translate.js";
import { displaySymbol, type MimeBundle } from "../../tables/display/mime-bundle.js";

/** Contents of the header of a report. */
export interface ReportHeaderOptions {
  /** Kind of the report: `Progress`. */
  readonly title: string;
  /** Name of the site. */
  readonly site: string;
  /** Document number. */
  readonly document?: string;
  /** Day of the previous report, `2026-06-02`. */
  readonly since?: string;
  /** Day of the report, `2026-06-30`. */
  readonly until: string;
  /** One sentence with the most important findings. */
  readonly summary: string;
  /** Further sentences, such as what the report leaves out. */
  readonly notes?: readonly string[];
}

/** A header of a report. Notebooks display it; `siteframe report` adds the client, the logo and the author. */
export interface ReportHeader {
  /** Markdown for Jupyter and other hosts. */
  [displaySymbol](): MimeBundle;
  /** The header as text. */
  toString(): string;
}

const rules: OptionRules<ReportHeaderOptions> = {
  title: text,
  site: text,
  document: text,
  since: text,
  until: text,
  summary: text,
  notes: texts,
};

/** MIME type of the header for programs. */
export const reportMime = "application/vnd.siteframe.report+json";

/**
 * Returns the header of a report: title, site, period, document number, and a sentence that sums up the findings.
 *
 * @throws ArgumentError for missing and unknown options
 * @example
 * reportHeader({ title: "Punch list", site: "Llano Verde", until: "2026-06-30", summary: "24 tickets are open." })
 */
export function reportHeader(options: ReportHeaderOptions): ReportHeader {
  checkOptions("reportHeader()", options, rules);
  const { title, site, summary, notes = [] } = options;
  const asText = () => printable([`${title}, ${site}`, summary, periodText(options), ...notes].join("\n"));
  return {
    [displaySymbol]: () => ({
      "text/markdown": [`# ${title}, ${site}`, summary, [periodText(options), ...notes].join(" ")].join("\n\n"),
      "text/plain": asText(),
      [reportMime]: options,
    }),
    toString: asText,
  };
}

/** Whether a notebook output is the header of a report. */
export function isReportHeader(value: unknown): value is ReportHeaderOptions {
  const { title, site, until, summary } = Object(value) as Partial<Record<string, unknown>>;
  return [title, site, until, summary].every((each) => typeof each === "string");
}

/** `2 Jun 2026 – 30 Jun 2026`, or one day. */
export function periodText(
  { since, until }: Pick<ReportHeaderOptions, "since" | "until">,
  locale = reportLocale(),
): string {
  const days = [since, until].filter((day) => day !== undefined);
  return days
    .map((day) => formatDay(new Date(day), { ...inUtc, ...(locale === undefined ? {} : { locale }) }))
    .join(" – ");
}

/** The language of the report that is being made. */
export interface ReportLanguage {
  /** BCP 47 tag. */
  readonly locale: string;
  /** Translates words with placeholders, `{count} tickets are open.`; unknown words stay English. */
  readonly text: Translate;
  /**
   * Returns a value of a list for readers: a code such as `IN_PROGRESS` as words.
   *
   * @param value the code, or any other value
   */
  word(value: unknown): unknown;
  /**
   * Returns a day as it is written: `30 Jun 2026`.
   *
   * @param day a calendar date, `2026-06-30`
   */
  day(day: string): string;
}

/**
 * Returns the language of the report that is being made, which `siteframe report --locale` sets: English, German, Spanish,
 * French, Italian or Portuguese. Default: English.
 *
 * @example
 * reportLanguage().day("2026-06-30") // 30 Jun 2026
 */
export function reportLanguage(): ReportLanguage {
  const locale = reportLocale() ?? "en";
  return {
    locale,
    text: translate,
    word: (value) => (typeof value === "string" ? readerWord(value) : value),
    day: (day) => periodText({ until: day }, locale),
  };
}
