import type { ColumnReader } from "./column-reader.js";
import type { ColumnFilter } from "./row-question.js";

const DAY = 86_400_000;

/** Whether a row passes. */
type RowTest = (row: number) => boolean;

/** The test of one filter, as the script of a table does it with the rows that it holds: see `table-columns.js`. */
export function rowTest(reader: ColumnReader, filter: ColumnFilter): RowTest {
  if ("words" in filter) return wordsTest(reader, filter.words);
  if ("value" in filter) return (row) => !reader.isNull(row) && reader.full(row) === filter.value;
  if ("isNull" in filter) return (row) => reader.isNull(row);
  const [place, step] = filter.bar;
  return (row) => Math.floor(reader.sizeOf(row) / step) === place;
}

/** Words of a filter: a comparison where there is one to make, else a part of what is shown. */
export function wordsTest(reader: ColumnReader, words: string): RowTest {
  const compare = comparison(reader, words.trim());
  if (compare) return (row) => compare(reader.sizeOf(row));
  const low = words.toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(low);
  const isText = reader.kind === "text" || reader.kind === "bigint";
  return (row) => has(reader.text(row)) || (!isText && has(reader.full(row)));
}

function comparison({ kind }: ColumnReader, words: string): ((value: number) => boolean) | undefined {
  const [, sign, text] = /^(>=|<=|>|<|=)\s*(\S.*)$/.exec(words) ?? [];
  if (sign === undefined || text === undefined || kind === "text") return undefined;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isZoned = isDay || /Z|[+-]\d\d:?\d\d$/.test(text);
  const least = kind === "date" ? Date.parse(isZoned ? text : `${text}Z`) : Number(text);
  if (Number.isNaN(least)) return undefined;
  // A day is all of its time.
  const greatest = kind === "date" && isDay ? least + DAY - 1 : least;
  const tests: Readonly<Record<string, (value: number) => boolean>> = {
    ">=": (value) => value >= least,
    "<=": (value) => value <= greatest,
    ">": (value) => value > greatest,
    "<": (value) => value < least,
    "=": (value) => value >= least && value <= greatest,
  };
  return tests[sign];
}
