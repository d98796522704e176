// Columns of a table: what a cell shows, how it is sorted, found and written. Data are numbers and texts, never code.
import { MS_PER_DAY } from "../../../core/instant.js";
import { escapeFormulas, quoteCsv } from "../../export/csv-text.js";
import { dateText, HUGE, NO_VALUE, numberText } from "../cell-text.js";
import { type ColumnCells, textRanks } from "../live/arrange-rows.js";
import type { ColumnHead, EmbeddedColumn, EmbeddedNumbers } from "../live/embedded-column.js";

/** A column of some rows. */
export interface TableColumn extends ColumnHead, ColumnCells {
  readonly index: number;
  /** Milliseconds of which its dates are multiples. */
  readonly unit: number;
  /** In pixels. */
  readonly width: number;
  /** Whether a cell has nothing: null or undefined, which is not looked at as `NaN` is. */
  isMissing(row: number): boolean;
  /** What a cell is seen to hold: its text, or the sign that there is nothing. */
  seen(row: number): string;
  csv(row: number): string;
}

/** @param base the same columns of the rows that the output holds, for rows that came later */
export function columnsOf(
  heads: readonly ColumnHead[],
  cells: readonly EmbeddedColumn[],
  base: readonly TableColumn[] = [],
): readonly TableColumn[] {
  return heads.map((head, index) => columnOf(head, cells[index] as EmbeddedColumn, index, base[index]));
}

function columnOf(head: ColumnHead, data: EmbeddedColumn, index: number, base: TableColumn | undefined): TableColumn {
  const { kind } = data;
  const coded = "texts" in data ? data : undefined;
  const numbers = "texts" in data ? [] : unpack(data);
  // Of two units the finer one: no date shows less than the same one would elsewhere in its column.
  const unit = Math.min("texts" in data ? 1 : (data.unit ?? 1), base?.kind === "date" ? base.unit : MS_PER_DAY);
  const odd = new Map(data.odd);
  const words = new Map("texts" in data ? [] : data.words);
  const codeAt = (row: number) => coded?.codes[row] as number;
  const isNull = (row: number) => (coded ? codeAt(row) < 0 : numbers[row] === null && !words.has(row));
  const sizes = kind === "text" ? undefined : coded?.texts.map(kind === "date" ? Date.parse : Number);
  /** Infinite where the cell is. */
  const sizeOf = (row: number) => {
    if (isNull(row)) return Number(odd.get(row) ?? Number.NaN);
    return (coded ? sizes?.[codeAt(row)] : numbers[row]) ?? Number(words.get(row));
  };
  const full = (row: number) => {
    if (isNull(row)) return odd.get(row) ?? "null";
    if (coded) return coded.texts[codeAt(row)] as string;
    return words.get(row) ?? (kind === "date" ? new Date(sizeOf(row)).toISOString() : String(sizeOf(row)));
  };
  const text = (row: number) => {
    if (isNull(row) || coded || words.has(row)) return full(row);
    return kind === "date" ? dateText(sizeOf(row), unit) : numberText(sizeOf(row), head.decimals);
  };
  const isMissing = (row: number) => isNull(row) && (odd.get(row) ?? "undefined") === "undefined";
  const seen = (row: number) => (isMissing(row) ? NO_VALUE : text(row));
  let ranks: Float64Array | undefined;
  const makeRanks = () => {
    if (!coded || kind === "date") return Float64Array.from(coded?.codes ?? numbers, (_, row) => sizeOf(row));
    const places = textRanks(coded.texts, kind === "number");
    return Float64Array.from(coded.codes, (code) => (code < 0 ? Number.NaN : (places[code] as number)));
  };
  const csv = (row: number) => {
    if (isNull(row)) return kind === "number" ? (odd.get(row) ?? "") : "";
    return Number.isNaN(sizeOf(row)) ? csvText(full(row)) : full(row);
  };
  /** Wide enough for most of what is in it, and for what its summary says. */
  const width = () => {
    let widest = letters(head.symbol ? `${head.name}, ${head.symbol}` : head.name) + 2;
    const { length } = coded ? coded.codes : numbers;
    for (let row = 0; row < Math.min(200, length); row += 1) widest = Math.max(widest, letters(seen(row)));
    const { range, nulls, distinct, isMore } = head.summary;
    const below = range
      ? range.map((edge) => edgeText(head, edge)).join("")
      : distinct === undefined
        ? ""
        : `${isMore ? "over " : ""}${distinct} values`;
    const least = Math.max(104, 6.2 * (below.length + (nulls > 0 ? 9 : 0)) + (nulls > 0 ? 36 : 28));
    return Math.round(Math.max(least, Math.min(280, widest * (kind === "number" ? 8.5 : 7.3) + 24)));
  };
  return {
    ...head,
    index,
    kind,
    unit,
    coded,
    isNull,
    sizeOf,
    full,
    text,
    isMissing,
    seen,
    // Made once, so that sorting compares numbers.
    ranks: () => (ranks ??= makeRanks()),
    csv,
    width: base?.width ?? width(),
  };
}

/** Numbers as they were: multiples of a unit, distances from the least, or from the one before. */
function unpack({ numbers, unit = 1, from = 0, isDelta }: EmbeddedNumbers): readonly (number | null)[] {
  let before = 0;
  return numbers.map((number) => {
    if (number === null) return null;
    before = isDelta ? before + number : from + number;
    return before * unit;
  });
}

/** A number or date that stands below or beside bars. */
export function edgeText({ summary: { kind, bars, range } }: ColumnHead, value: number): string {
  if (kind === "date") {
    // Without bars there is one date, or none is told from the next.
    const step = bars?.step ?? [MS_PER_DAY, 60_000].find((unit) => value % unit === 0) ?? 1;
    const [least, greatest] = range as readonly [number, number];
    const isByDay = step % MS_PER_DAY === 0 || greatest - least > 20 * MS_PER_DAY;
    return dateText(value, isByDay ? MS_PER_DAY : step % 60_000 === 0 ? 60_000 : 1);
  }
  if (Math.abs(value) >= HUGE) return value.toExponential(2);
  // No integer is cut: ids that lie close together would read as one.
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(5)));
}

/** A text as `toCSV()` writes it. */
export function csvText(text: string): string {
  return quoteCsv(escapeFormulas(text));
}

/** How wide a text is, in letters: capitals take more room. */
function letters(text: string): number {
  return text.length + 0.35 * (text.slice(0, 60).match(/[\p{Lu}MWmw@%]/gu)?.length ?? 0);
}
