import { ArgumentError } from "../../../core/errors.js";
import { showValue } from "../../../core/show-value.js";

/** What a live table asks the kernel for: some rows of what is left of the table, in an order. Columns go by their place. */
export interface RowQuestion {
  /** Places in the answer's order, from the first one on and up to the last one, which is not among them. */
  readonly rows: readonly [from: number, to: number];
  /** Upwards (1) or downwards (-1); rows that are equal in one column go by the next. */
  readonly order: readonly (readonly [column: number, way: 1 | -1])[];
  /** A row passes all of them. */
  readonly filter: readonly ColumnFilter[];
  /** Each word is somewhere in these columns of a row. */
  readonly find: { readonly words: readonly string[]; readonly columns: readonly number[] };
}

/** What one column of a row must be: have the words, fall into a bar of a width, be a text, or be nothing. */
export type ColumnFilter = { readonly column: number } & (
  | { readonly words: string }
  | { readonly bar: readonly [place: number, step: number] }
  | { readonly value: string }
  | { readonly isNull: true }
);

/** Rows of one answer: more would make the page wait. */
const MOST_ROWS = 5000;
/** Filters, words and letters of a word: nobody types more. */
const MOST_FILTERS = 1000;
const MOST_LETTERS = 10_000;

/**
 * A question, checked: it comes from an output, which anybody may have written.
 *
 * @param columnCount columns that may be asked for
 * @throws ArgumentError saying what of it is none
 */
export function rowQuestion(asked: unknown, columnCount: number): RowQuestion {
  const { rows, order, filter, find } = objectOf(asked);
  const isColumn = (value: unknown): value is number => isCount(value) && value < columnCount;
  const { words, columns } = objectOf(find);
  const question = {
    rows: check("rows", rows, isRange),
    order: listOf("order", order, (value): value is RowQuestion["order"][number] => isWay(value, isColumn)),
    filter: listOf("filter", filter, (value): value is ColumnFilter => isFilter(value, isColumn)),
    find: { words: listOf("words", words, isText), columns: listOf("columns", columns, isColumn) },
  };
  return question;
}

function isRange(value: unknown): value is readonly [number, number] {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(isCount)) return false;
  const [from = 0, to = 0] = value;
  return from <= to && to - from <= MOST_ROWS;
}

function isWay(value: unknown, isColumn: (value: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length === 2 && isColumn(value[0]) && (value[1] === 1 || value[1] === -1);
}

function isFilter(value: unknown, isColumn: (value: unknown) => boolean): boolean {
  const { column, words, bar, value: text, isNull } = objectOf(value);
  if (!isColumn(column)) return false;
  return isText(words) || isText(text) || isNull === true || isBar(bar);
}

function isBar(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [place, step]: readonly unknown[] = value;
  return Number.isSafeInteger(place) && typeof step === "number" && step > 0 && Number.isFinite(step);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MOST_LETTERS;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function listOf<Item>(name: string, value: unknown, is: (item: unknown) => item is Item): readonly Item[] {
  return check(
    name,
    value,
    (list): list is readonly Item[] => Array.isArray(list) && list.length <= MOST_FILTERS && list.every(is),
  );
}

function check<Value>(name: string, value: unknown, is: (value: unknown) => value is Value): Value {
  if (is(value)) return value;
  throw new ArgumentError(`A table cannot answer for ${name} that are ${showValue(value)}.`);
}
