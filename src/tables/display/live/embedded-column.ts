import { type Axis, axisOf } from "../../../api/property-types.js";
import { DAY } from "../../../core/calendar-period.js";
import type { NumberForm } from "../../../core/format/format-in-column.js";
import type { NumberLocale } from "../../../core/format/format-number.js";

/** Kind of a column's cells. Numbers and dates are sorted by size, strings in natural order. */
type ColumnKind = "number" | "date" | "text";

/** Values that are neither numbers nor strings: by row, with their shown text. Rows with null are excluded. */
type OddCells = readonly (readonly [row: number, text: string])[];

/** The embedded values of a column. */
export type EmbeddedColumn = EmbeddedNumbers | EmbeddedTexts;

/** Numbers, or milliseconds since 1970; null for missing values. */
export interface EmbeddedNumbers {
  readonly kind: "number" | "date";
  readonly numbers: readonly (number | null)[];
  /** Unit of all numbers, which are multiples of it. Default: 1. */
  readonly unit?: number;
  /** Offset to add to each number, in units. */
  readonly from?: number;
  /** Whether each number is the difference from the previous one. */
  readonly isDelta?: true;
  readonly odd?: OddCells;
  /** Strings among numbers, by row. */
  readonly words?: OddCells;
}

/**
 * Distinct strings, and the index of each row's string; -1 for missing values. Dates and 64-bit numbers may be strings.
 */
export interface EmbeddedTexts {
  readonly kind: ColumnKind;
  readonly texts: readonly string[];
  readonly codes: readonly number[];
  readonly odd?: OddCells;
}

/** Summary of a column, from all rows of its table or a sample. */
export interface ColumnSummary {
  readonly kind: ColumnKind;
  /** Number of summarized rows. */
  readonly rows: number;
  /** Number of rows with null, `undefined` or `NaN`. */
  readonly nulls: number;
  /** Number of distinct values; undefined if it was not counted. */
  readonly distinct?: number;
  /** Whether there are more than `distinct`. */
  readonly isMore?: true;
  /** Minimum and maximum of numbers and dates. */
  readonly range?: readonly [least: number, greatest: number];
  /**
   * For numbers and dates, except ids and constants: width of the bars, number of widths before the first bar, and
   * counts. Bar n holds the values for which `Math.floor(value / step)` is `first + n`.
   */
  readonly bars?: { readonly first: number; readonly step: number; readonly counts: readonly number[] };
  /** For strings, unless there is only one or all are distinct: the most frequent ones, with their counts. */
  readonly top?: readonly (readonly [text: string, count: number])[];
}

/** Data for the script of a table. */
export interface TablePayload {
  /** Rows of the whole table. */
  readonly rows: number;
  readonly columns: number;
  /** Number of columns that are left out because there are too many. */
  readonly left: number;
  /** Number of summarized rows; fewer than `rows` for a sample. */
  readonly summarised: number;
  /** Number of strings that were shortened. */
  readonly cut: number;
  readonly heads: readonly ColumnHead[];
  /** The first rows, by column. */
  readonly cells: readonly EmbeddedColumn[];
  /** Expression for the table, for code that reproduces the shown rows. */
  readonly code?: string;
  /** File name for its rows, without extension. Default: `table`. */
  readonly file?: string;
  /** Name of the table in the kernel, if the kernel has the other rows. */
  readonly table?: string;
}

type ZoneOffset = readonly [from: number, offset: number];

/** Time zone of a column's dates. Its name is in the type of the column. */
export interface HeadZone {
  /** Offsets from UTC in milliseconds, each with the time from which it applies; the first also applies before. */
  readonly offsets: readonly [ZoneOffset, ...ZoneOffset[]];
}

/** The head of a column. */
export interface ColumnHead {
  readonly name: string;
  /** Symbol of its unit. */
  readonly symbol?: string;
  /** Shown below the name. */
  readonly type: string;
  /** Form of its numbers, with their language in reports. */
  readonly numbers: NumberForm & NumberLocale;
  /** For dates: milliseconds to which they are shown. */
  readonly unit?: number;
  /** Language of its dates in reports. Default: ISO dates. */
  readonly locale?: string;
  /** Time zone of its dates. Default: UTC. */
  readonly zone?: HeadZone;
  /**
   * Whether some values differ from its kind (strings and 64-bit numbers among numbers, other strings among dates,
   * other values among strings), or are objects.
   */
  readonly holds?: "mixed" | "objects";
  readonly summary: ColumnSummary;
  /** In pixels. */
  readonly width: number;
}

/** Text of a cell without a value, for readers who do not know null. */
export const NO_VALUE = "–";

/** Height of a row of an interactive table in pixels. */
export const ROW_HEIGHT = 25;

/** Width in pixels of the sign for further columns. */
export const BESIDE = 130;

/** Other contents of a column of strings, numbers or dates. */
export function contents(values: readonly unknown[], kind: CellKind): { readonly holds?: "mixed" | "objects" } {
  const others = values.filter((value) => value !== null && value !== undefined && typeof value !== "string");
  if (kind === "text" && others.some((value) => typeof value === "object" || typeof value === "function"))
    return { holds: "objects" };
  const isText = (value: unknown) =>
    typeof value === "string" && (kind === "number" || Number.isNaN(Date.parse(value)));
  if (kind !== "text" && values.some(isText)) return { holds: "mixed" };
  const isMixed = kind === "text" ? others.length > 0 : others.some((value) => typeof value === "bigint");
  return isMixed ? { holds: "mixed" } : {};
}

/** Present but meaningless values: `undefined`, `NaN`, infinite numbers, invalid dates. */
export function isOdd(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value === "number") return !Number.isFinite(value);
  return value instanceof Date && Number.isNaN(value.getTime());
}

/** Kind of a column's values; 64-bit numbers are distinct from others. */
export type CellKind = "number" | "bigint" | "date" | "text";

/**
 * Common kind of all present values: `text` if they differ, or if all are missing.
 *
 * @param type type of the property, if any: its numbers or dates, which are strings, may be mixed with other strings
 */
export function cellKind(values: Iterable<unknown>, type?: string): CellKind {
  let [areSome, areNumbers, areDates, areBig] = [false, true, true, true];
  const typed = axisOf(type);
  let [areTyped, isFound] = [typed !== "value", false];
  for (const value of values) {
    if (value === null || isOdd(value)) continue;
    areSome = true;
    areNumbers &&= typeof value === "number" || isSafeBigint(value);
    areDates &&= value instanceof Date;
    areBig &&= typeof value === "bigint";
    const isNumber = typed === "number" && (typeof value === "number" || isSafeBigint(value));
    const size = isNumber ? Number(value) : typeof value === "string" ? sizeAmong(typed, value) : undefined;
    areTyped &&= size !== undefined;
    isFound ||= !Number.isNaN(size ?? Number.NaN);
    if (!areNumbers && !areDates && !areBig && !areTyped) return "text";
  }
  if (areTyped && isFound) return typed === "number" ? "number" : "date";
  if (!areNumbers && !areDates && !areBig) return "text";
  if (!areSome) return "text";
  if (areNumbers) return "number";
  return areDates ? "date" : "bigint";
}

/** A day, or an instant with its zone. */
const MOMENT = new RegExp(`^${DAY}(T\\d\\d:\\d\\d.*(Z|[+-]\\d\\d:\\d\\d))?$`);

/**
 * Sort key of a string in a column of numbers or dates: NaN if it is neither; undefined if the page or the generated
 * code would misread it, as `Date.parse` finds a date in "Block 5".
 */
export function sizeAmong(typed: Axis, text: string): number | undefined {
  if (typed === "number") return text.trim() === "" ? undefined : Number(text);
  if (typed !== "instant") return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) || MOMENT.test(text) ? time : undefined;
}

function isSafeBigint(value: unknown): boolean {
  return typeof value === "bigint" && Number.isSafeInteger(Number(value));
}
