import { typeComparison } from "../../../api/select-records.js";

/** What the cells of a column are. Numbers and dates are sorted by their size, texts as people sort them. */
type ColumnKind = "number" | "date" | "text";

/** Values that are neither a number nor a text: by row, with what is shown. Rows that hold null are not among them. */
type OddCells = readonly (readonly [row: number, text: string])[];

/** The embedded values of a column. */
export type EmbeddedColumn = EmbeddedNumbers | EmbeddedTexts;

/** Numbers, or milliseconds since 1970; null where there is none. */
export interface EmbeddedNumbers {
  readonly kind: "number" | "date";
  readonly numbers: readonly (number | null)[];
  /** Of which all numbers are multiples, and in which they are given; 1 where it is left out. */
  readonly unit?: number;
  /** What is to be added to each, in units. */
  readonly from?: number;
  /** Whether each number is given as its distance from the one before it. */
  readonly isDelta?: true;
  readonly odd?: OddCells;
  /** Texts among numbers, by row. */
  readonly words?: OddCells;
}

/** Each text once, and for each row its place among them; -1 where there is none. Dates may be texts, and numbers of 64 bits. */
export interface EmbeddedTexts {
  readonly kind: ColumnKind;
  readonly texts: readonly string[];
  readonly codes: readonly number[];
  readonly odd?: OddCells;
}

/** What a column holds, of all rows of its table or of those that were looked at. */
export interface ColumnSummary {
  readonly kind: ColumnKind;
  /** Rows looked at. */
  readonly rows: number;
  /** Those that hold null, `undefined` or `NaN`. */
  readonly nulls: number;
  /** How many values are different; undefined where that was not counted. */
  readonly distinct?: number;
  /** Whether there are more than `distinct` says. */
  readonly isMore?: true;
  /** Of numbers and dates: from the least to the greatest. */
  readonly range?: readonly [least: number, greatest: number];
  /**
   * Of numbers and dates, but for ids and constants: how wide each bar is, how many such widths before the first one, and what
   * falls into each: bar n holds the values of which `Math.floor(value / step)` is `first + n`.
   */
  readonly bars?: { readonly first: number; readonly step: number; readonly counts: readonly number[] };
  /** Of texts, unless there is one alone, or each once: the most frequent, with their counts. */
  readonly top?: readonly (readonly [text: string, count: number])[];
}

/** What the script of a table reads. */
export interface TableFacts {
  /** Of the whole table. */
  readonly rows: number;
  readonly columns: number;
  /** Columns that are left out since there are too many. */
  readonly left: number;
  /** Rows that the summaries are of; fewer than `rows` where those are evenly taken. */
  readonly summarised: number;
  /** Texts that were too long to be embedded whole. */
  readonly cut: number;
  readonly heads: readonly ColumnHead[];
  /** The first rows, by column. */
  readonly cells: readonly EmbeddedColumn[];
  /** The expression that gives the table, for code that makes of it what is shown. */
  readonly code?: string;
  /** What a file of its rows is called, without its ending; `table` where it is left out. */
  readonly file?: string;
  /** By which the kernel knows the table, where it can be asked for the other rows. */
  readonly table?: string;
}

/** What stands above a column. */
export interface ColumnHead {
  readonly name: string;
  /** Of its numbers, as a symbol. */
  readonly symbol?: string;
  readonly type: string;
  /** With which its numbers are shown. */
  readonly decimals: number;
  /**
   * Whether some values are not of its kind: texts and numbers of 64 bits among numbers, texts that are no dates among dates,
   * others among texts; or are objects.
   */
  readonly holds?: "mixed" | "objects";
  readonly summary: ColumnSummary;
}

/** Pixels of a row of a live table. */
export const ROW_HEIGHT = 25;

/** What a column holds beside texts, numbers and dates alone. */
export function held(values: readonly unknown[], kind: CellKind): { readonly holds?: "mixed" | "objects" } {
  const others = values.filter((value) => value !== null && value !== undefined && typeof value !== "string");
  if (kind === "text" && others.some((value) => typeof value === "object" || typeof value === "function"))
    return { holds: "objects" };
  const isText = (value: unknown) =>
    typeof value === "string" && (kind === "number" || Number.isNaN(Date.parse(value)));
  if (kind !== "text" && values.some(isText)) return { holds: "mixed" };
  const isMixed = kind === "text" ? others.length > 0 : others.some((value) => typeof value === "bigint");
  return isMixed ? { holds: "mixed" } : {};
}

/** Values that are neither there nor null: `undefined`, `NaN`, what is infinite, dates that are none. */
export function isOdd(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value === "number") return !Number.isFinite(value);
  return value instanceof Date && Number.isNaN(value.getTime());
}

/** What the values of a column are; numbers of 64 bits are told from others. */
export type CellKind = "number" | "bigint" | "date" | "text";

/**
 * What all values are that are there: `text` where they disagree, or where none is.
 *
 * @param type of the property, if there is one: among its numbers or dates, which are texts, there may be other texts
 */
export function cellKind(values: Iterable<unknown>, type = ""): CellKind {
  let [areSome, areNumbers, areDates, areBig] = [false, true, true, true];
  const typed = typeComparison(type);
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
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d.*(Z|[+-]\d\d:\d\d))?$/;

/**
 * What a text is compared as in a column of numbers or dates: NaN for one that is neither; undefined for one that the page and
 * the code would misread, as `Date.parse` finds a date in "Block 5".
 */
export function sizeAmong(typed: ReturnType<typeof typeComparison>, text: string): number | undefined {
  if (typed === "number") return text.trim() === "" ? undefined : Number(text);
  if (typed !== "instant") return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) || MOMENT.test(text) ? time : undefined;
}

function isSafeBigint(value: unknown): boolean {
  return typeof value === "bigint" && Number.isSafeInteger(Number(value));
}
