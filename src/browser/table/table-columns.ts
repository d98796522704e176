// Columns of a table: text of cells, sorting, search and export. Data are numbers and strings, never code.
import { formatInColumn, formatPlain, HUGE, type NumberForm } from "../../core/format/format-in-column.js";
import { formatLocal, formatWithOffset, ISO_DAY, MS_PER_MINUTE } from "../../core/format/format-local.js";
import { MS_PER_DAY } from "../../core/instant.js";
import { type ColumnCells, textRanks } from "../../tables/display/live/arrange-rows.js";
import {
  type ColumnHead,
  type EmbeddedColumn,
  type EmbeddedNumbers,
  NO_VALUE,
} from "../../tables/display/live/embedded-column.js";
import { escapeFormulas, quoteCsv } from "../../tables/export/csv-text.js";

/** A column of some rows. */
export interface TableColumn extends ColumnHead, ColumnCells {
  readonly index: number;
  /** Whether a cell is empty: null or undefined. `NaN` is not. */
  isMissing(row: number): boolean;
  /** The visible content of a cell: its text, or the sign for no value. */
  seen(row: number): string;
  csv(row: number): string;
}

/** @param base the same columns for the rows in the output, when further rows arrive */
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
  const odd = new Map(data.odd);
  const words = new Map("texts" in data ? [] : data.words);
  // Rows from the kernel may have times although the first ones are all days.
  const isTimed = (time: number | null) => time !== null && localTime(head, time) % MS_PER_DAY !== 0;
  const shown = head.unit ?? 1;
  const unit = base && shown % MS_PER_DAY === 0 && numbers.some(isTimed) ? MS_PER_MINUTE : shown;
  const codeAt = (row: number) => coded?.codes[row] as number;
  const isNull = (row: number) => (coded ? codeAt(row) < 0 : numbers[row] === null && !words.has(row));
  const sizes = kind === "text" ? undefined : coded?.texts.map(kind === "date" ? Date.parse : Number);
  /** Infinite for infinite cells. */
  const sizeOf = (row: number) => {
    if (isNull(row)) return Number(odd.get(row) ?? Number.NaN);
    return (coded ? sizes?.[codeAt(row)] : numbers[row]) ?? Number(words.get(row));
  };
  const localOf = (row: number) => (kind === "date" ? localTime(head, sizeOf(row)) : sizeOf(row));
  const full = (row: number) => {
    if (isNull(row)) return odd.get(row) ?? "null";
    if (coded) return coded.texts[codeAt(row)] as string;
    return words.get(row) ?? (kind === "date" ? isoText(head, sizeOf(row)) : String(sizeOf(row)));
  };
  const isText = (row: number) => isNull(row) || words.has(row) || (coded && kind !== "number");
  const seen = (row: number) => {
    if (isMissing(row)) return NO_VALUE;
    if (isText(row)) return textOf(full(row));
    if (kind === "number") return formatInColumn(coded ? BigInt(full(row)) : sizeOf(row), head.numbers);
    return formatLocal(localTime(head, sizeOf(row)), unit, head.locale);
  };
  // The dates of properties are strings.
  const textOf = (text: string) =>
    head.locale !== undefined && ISO_DAY.test(text) ? formatLocal(Date.parse(text), MS_PER_DAY, head.locale) : text;
  // Written dates can be searched in both forms.
  const text = (row: number) => {
    if (isText(row) || coded) return full(row);
    if (kind === "number") return formatPlain(sizeOf(row), head.numbers);
    return `${formatLocal(localOf(row), 1)}${head.locale === undefined ? "" : ` ${seen(row)}`}`;
  };
  const isMissing = (row: number) => isNull(row) && (odd.get(row) ?? "undefined") === "undefined";
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
  return {
    ...head,
    index,
    kind,
    coded,
    isNull,
    sizeOf,
    localOf,
    full,
    text,
    isMissing,
    seen,
    // Computed once, so that sorting compares numbers.
    ranks: () => (ranks ??= makeRanks()),
    csv,
  };
}

/** Restores numbers: multiples of a unit, distances from the minimum, or from the previous one. */
function unpack({ numbers, unit = 1, from = 0, isDelta }: EmbeddedNumbers): readonly (number | null)[] {
  let before = 0;
  return numbers.map((number) => {
    if (number === null) return null;
    before = isDelta ? before + number : from + number;
    return before * unit;
  });
}

/** Local time of an instant, in milliseconds since 1970 as if it were UTC. */
function localTime({ zone }: ColumnHead, ms: number): number {
  return zone ? ms + (zone.offsets.findLast(([from]) => from <= ms) ?? zone.offsets[0])[1] : ms;
}

/** A number or date as a label below or next to bars. */
export function edgeText(head: ColumnHead, value: number): string {
  const { kind, bars, range } = head.summary;
  if (kind === "date") {
    // Without bars there is only one date, or the dates are indistinguishable.
    const step = bars?.step ?? head.unit ?? 1;
    const [least, greatest] = range as readonly [number, number];
    const isByDay = step % MS_PER_DAY === 0 || greatest - least > 20 * MS_PER_DAY;
    const unit = isByDay ? MS_PER_DAY : step % MS_PER_MINUTE === 0 ? MS_PER_MINUTE : 1;
    return formatLocal(localTime(head, value), unit, head.locale);
  }
  if (Math.abs(value) >= HUGE) return value.toExponential(2).replace("-", "−");
  return formatInColumn(value, edgeForm(head, value));
}

/** Form of a number next to bars: as many decimals as it needs, up to five digits; percentages as in the column. */
function edgeForm({ numbers }: ColumnHead, value: number): NumberForm {
  if (numbers.style !== undefined && numbers.style !== "id") return numbers;
  // Integers are never shortened: similar ids would look the same.
  const short = Number.isInteger(value) ? value : Number(value.toPrecision(5));
  return { ...numbers, decimals: (/\.(\d+)$/.exec(String(short))?.[1] ?? "").length };
}

/** ISO 8601 with the offset of the column's zone. */
function isoText(head: ColumnHead, ms: number): string {
  return formatWithOffset(ms, head.zone ? localTime(head, ms) - ms : undefined);
}

/** A string in the format of `toCSV()`. */
export function csvText(text: string): string {
  return quoteCsv(escapeFormulas(text));
}
