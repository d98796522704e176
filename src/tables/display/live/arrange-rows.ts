// Filtering and sorting of an interactive table's rows: in the kernel for all rows, in the table's script for the rows
// of its output.
import { calendarPeriod } from "../../../core/calendar-period.js";
import type { NumberForm } from "../../../core/format/format-in-column.js";
import type { NumberLocale } from "../../../core/format/format-number.js";
import { lastDayBefore, MS_PER_DAY } from "../../../core/instant.js";
import { textOrder } from "../../../core/text-order.js";
import type { CellKind } from "./embedded-column.js";

/** An interactive table's question to the kernel: some of the filtered and sorted rows. Columns are given by index. */
export interface RowQuestion {
  /** Indices in the result's order: the first one, and the one after the last. */
  readonly rows: readonly [from: number, to: number];
  /** Ascending (1) or descending (-1); ties are resolved by the next column. */
  readonly order: readonly (readonly [column: number, way: 1 | -1])[];
  /** A row must pass all of them. */
  readonly filter: readonly ColumnFilter[];
  /** Each word occurs in one of these columns of a row. */
  readonly find: { readonly words: readonly string[]; readonly columns: readonly number[] };
}

/**
 * Condition for one column of a row: contain the words, fall into a bar of a width, be a string, be one of several, or
 * be missing.
 */
export type CellFilter =
  | { readonly words: string }
  | { readonly bar: readonly [place: number, step: number] }
  | { readonly value: string }
  | { readonly values: readonly string[] }
  | { readonly isNull: true };

export type ColumnFilter = { readonly column: number } & CellFilter;

/**
 * Rows of one response: the number that a table requests to copy or save them, and the maximum, because larger
 * responses would block the page.
 */
export const answerRows = { part: 2000, most: 5000 } as const;

/** The cells of a column, wherever they are stored. */
export interface ColumnCells {
  readonly kind: CellKind;
  /** Form of its numbers. */
  readonly numbers: NumberForm & NumberLocale;
  /** If each string is stored once: its index for each row. */
  readonly coded?: { readonly texts: readonly string[]; readonly codes: readonly number[] } | undefined;
  isNull(row: number): boolean;
  /** Value for comparisons: a number, or the milliseconds of a date; NaN for other values. */
  sizeOf(row: number): number;
  /** The same; for a date in its local time, as if UTC, for comparisons with times without a zone. */
  localOf(row: number): number;
  /** The full content of a cell. */
  full(row: number): string;
  /** The shown content of a cell. */
  text(row: number): string;
  /** Sort keys of rows; NaN, which is last in both directions, for missing values. */
  ranks(): Float64Array;
}

/** Rows that pass all filters, in the requested order; ties keep the original order. */
export function arrangeRows(
  rowCount: number,
  columns: readonly ColumnCells[],
  { order, ...question }: Omit<RowQuestion, "rows">,
): Uint32Array {
  const columnAt = (index: number) => columns[index] as ColumnCells;
  const tests = rowTests(columns, question);
  const passing = new Uint32Array(rowCount);
  let count = 0;
  for (let row = 0; row < rowCount; row += 1) {
    if (tests.every(({ test }) => test(row))) passing[count++] = row;
  }
  const rows = passing.slice(0, count);
  if (order.length === 0) return rows;
  const keys = order.map(([index, way]) => ({ ranks: columnAt(index).ranks(), way }));
  return rows.sort((a, b) => {
    for (const { ranks, way } of keys) {
      const [p, q] = [ranks[a] as number, ranks[b] as number];
      if (p === q) continue;
      if (Number.isNaN(p) || Number.isNaN(q)) {
        if (Number.isNaN(p) && Number.isNaN(q)) continue;
        return Number.isNaN(p) ? 1 : -1;
      }
      return p < q ? -way : way;
    }
    return a - b;
  });
}

type RowTest = (row: number) => boolean;

/** Conditions for a row, each with its column; a search over all columns has none. */
export function rowTests(
  columns: readonly ColumnCells[],
  { filter, find }: Pick<RowQuestion, "filter" | "find">,
): readonly { readonly column?: number; readonly test: RowTest }[] {
  const columnAt = (index: number) => columns[index] as ColumnCells;
  const tests = filter.map((each) => ({ column: each.column, test: filterTest(columnAt(each.column), each) }));
  const found = find.words.map((word) => {
    const finders = find.columns.map((index) => wordsTest(columnAt(index), word));
    return { test: (row: number) => finders.some((has) => has(row)) };
  });
  return [...tests, ...found];
}

function filterTest(column: ColumnCells, filter: CellFilter): RowTest {
  if ("words" in filter) return wordsTest(column, filter.words);
  if ("value" in filter) return (row) => !column.isNull(row) && column.full(row) === filter.value;
  if ("isNull" in filter) return (row) => column.isNull(row);
  if ("values" in filter) {
    const values = new Set(filter.values);
    return (row) => values.has(column.full(row));
  }
  const [index, step] = filter.bar;
  // The same computation as in the summary, so that a value on an edge falls to the same side.
  return (row) => Math.floor(column.sizeOf(row) / step) === index;
}

/** Condition for the words of a filter: a comparison if they form one, else a search in the shown text. */
export function wordsTest(column: ColumnCells, words: string): RowTest {
  const { kind, coded } = column;
  const compared = comparisonIn(column, words);
  // 64-bit numbers are compared exactly.
  const isBig = kind === "bigint" || (kind === "number" && coded !== undefined);
  if (compared) {
    const compare = comparison(compared);
    const sizeOf = (row: number) => (compared.isLocal ? column.localOf(row) : column.sizeOf(row));
    return (row) => compare(isBig && !column.isNull(row) ? BigInt(column.full(row)) : sizeOf(row));
  }
  const low = searchedText(column, words).toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(low);
  if (coded) {
    const hits = coded.texts.map(has);
    return (row) => (column.isNull(row) ? has(column.full(row)) : (hits[coded.codes[row] as number] as boolean));
  }
  const isShort = kind === "number" || kind === "date";
  return (row) => has(column.text(row)) || (isShort && has(column.full(row)));
}

/** The text to search for, without the separators and true minus that only shown numbers have. */
export function searchedText({ kind }: Pick<ColumnCells, "kind">, words: string): string {
  return kind === "text" || kind === "date" ? words : words.replaceAll("−", "-").replaceAll(/(?<=\d),(?=\d{3})/g, "");
}

/** A comparison with an operand from `least` to `greatest`. */
interface Comparison {
  readonly sign: string;
  readonly least: number | bigint;
  readonly greatest: number | bigint;
  /** Whether the operand is a time without a zone, in milliseconds since 1970 as if UTC. */
  readonly isLocal: boolean;
}

/** The comparison that words form, with its operand: a day or week includes all of its time; undefined for none. */
export function comparisonIn(column: Pick<ColumnCells, "kind" | "numbers">, words: string): Comparison | undefined {
  const { kind, numbers } = column;
  const [, sign, text] = /^(>=|<=|>|<|=)\s*(\S.*)$/.exec(searchedText(column, words).trim()) ?? [];
  if (sign === undefined || text === undefined || kind === "text") return undefined;
  // `Date.parse` reads the 30th of February as the 1st of March.
  if (kind === "date" && lastDayBefore(text) !== undefined) return undefined;
  const period = kind === "date" ? calendarPeriod(text) : undefined;
  if (period) {
    const least = period.firstDay * MS_PER_DAY;
    return { sign, least, greatest: least + period.days * MS_PER_DAY - 1, isLocal: true };
  }
  const isZoned = /Z|[+-]\d\d:?\d\d$/.test(text);
  const least = kind === "date" ? Date.parse(isZoned ? text : `${text}Z`) : numberIn(text, numbers);
  if (Number.isNaN(least)) return undefined;
  // A double cannot hold so many digits.
  const edge = /^-?\d{16,}$/.test(text) && kind !== "date" ? BigInt(text) : least;
  return { sign, least: edge, greatest: edge, isLocal: kind === "date" && !isZoned };
}

/** A number as typed: a column of percentages accepts the sign. */
function numberIn(text: string, { style }: NumberForm): number {
  const [, percent] = style === undefined || style === "id" ? [] : (/^(.*\d)\s*%$/.exec(text) ?? []);
  if (percent === undefined) return Number(text);
  return style === "share" ? Number(percent) / 100 : Number(percent);
}

function comparison({ sign, least, greatest }: Comparison): (value: number | bigint) => boolean {
  if (sign === "=") return (value) => value >= least && value <= greatest;
  if (sign === ">") return (value) => value > greatest;
  if (sign === "<") return (value) => value < least;
  return sign === ">=" ? (value) => value >= least : (value) => value <= greatest;
}

/**
 * The rank of each string in natural order.
 *
 * @param areWhole whether the strings are integers, which are ordered by size
 */
export function textRanks(texts: readonly string[], areWhole: boolean): Float64Array {
  const compare = areWhole ? (a: string, b: string) => (BigInt(a) < BigInt(b) ? -1 : 1) : textOrder();
  const order = texts.map((text, code) => ({ text, code })).sort((a, b) => compare(a.text, b.text));
  const ranks = new Float64Array(texts.length);
  for (const [index, { code }] of order.entries()) ranks[code] = index;
  return ranks;
}
