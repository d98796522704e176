import { ArgumentError } from "../../core/errors.js";
import { isDateText, type ParsedInstant, parseInstant } from "../../core/instant.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import { strptime } from "../../core/strptime.js";

/** Parses a time; undefined if it is invalid. */
export type ReadTime = (text: string) => ParsedInstant | undefined;

/**
 * Returns a parser for the times of a log: in the format of the option `timeFormat`, or as ISO 8601 if it is omitted. A
 * calendar date is its midnight.
 *
 * @throws ArgumentError for an invalid format
 */
export function timeReader(timeFormat: string | undefined): ReadTime {
  return timeFormat === undefined ? isoTime : strptime(timeFormat);
}

/** Parses ISO 8601. */
export function isoTime(text: string): ParsedInstant | undefined {
  return parseInstant(text) ?? (isDateText(text) ? parseInstant(`${text}T00:00`) : undefined);
}

/** The error for a row with an invalid or missing time. */
export function noTime(option: string, value: unknown, row: number): ArgumentError {
  const problem = value === null || value === undefined ? "missing time" : `invalid time ${showTimeOrNumber(value)}`;
  return new ArgumentError(`fromChanges(): ${problem} in row ${row} (option ${option}).`, {
    hint: timeHint(option, value),
    facts: { option, row },
  });
}

const dateFormats = ["%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%Y/%m/%d", "%d/%b/%y", "%d/%b/%Y"];
const candidates = [
  ...dateFormats.flatMap((format) => [
    format,
    format.replaceAll("/", "-"),
    format.replaceAll("/", "."),
    format.replaceAll("/", " "),
  ]),
  "%b %d, %Y",
  "%Y%m%d",
  "%a %b %d %Y",
  "%a, %d %b %Y",
].flatMap((date) =>
  ["", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", " %H:%M:%S %z"].map((time) => date + time),
);

function timeHint(option: string, value: unknown): string {
  const iso = 'ISO 8601 ("2025-06-30T12:00:00+02:00")';
  if (typeof value !== "string") {
    return typeof value === "number" || typeof value === "bigint"
      ? `The unit of a number is unknown. Convert it: ${option}: (row) => new Date(row.t * 1000).`
      : `Use Dates or ${iso}.`;
  }
  if (/^\d{5}(\.\d+)?$/.test(value)) {
    return `It looks like a serial number of Excel. Format the column in Excel as "yyyy-mm-dd hh:mm:ss" and export it again.`;
  }
  const likely = [
    ...(/^\d{9,10}$/.test(value) ? ["%s"] : []),
    ...(/^\d{12,13}$/.test(value) ? ["%Q"] : []),
    ...candidates.filter((format) => strptime(format)(value) !== undefined),
  ];
  const formats = likely.map((format) => `timeFormat: "${format}"`).join(" or ");
  return formats === "" ? `Use ${iso}, or set timeFormat: "%d/%b/%y %I:%M %p".` : `Set ${formats}, or use ${iso}.`;
}
