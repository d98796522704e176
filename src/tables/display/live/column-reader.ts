import { formatCell, numberText } from "../html/format-cell.js";
import type { ColumnView } from "../html/table-view.js";
import { type CellKind, cellKind, isOdd } from "./embedded-column.js";

const collator = new Intl.Collator("en", { numeric: true });

/**
 * The place of each text among all different ones, as people sort them; NaN where there is none.
 *
 * @param areWhole whether the texts are whole numbers, which go by their size
 */
function textRanks(texts: readonly (string | undefined)[], areWhole: boolean): Float64Array {
  const different = [...new Set(texts)].filter((text) => text !== undefined);
  const compare = areWhole ? (a: string, b: string) => (BigInt(a) < BigInt(b) ? -1 : 1) : collator.compare;
  const places = new Map(different.sort(compare).map((text, place) => [text, place]));
  return Float64Array.from(texts, (text) => (text === undefined ? Number.NaN : (places.get(text) ?? Number.NaN)));
}

/** Of a date's text: as much as its unit, in milliseconds, needs. */
const DATE_LENGTHS = new Map([
  [86_400_000, 10],
  [60_000, 16],
  [1000, 19],
]);
const WHOLE_DATE = 23;

/** How a table shows the numbers and dates of one column. */
export interface CellForms {
  readonly decimals: number;
  /** Milliseconds of which its dates are multiples; 1 where it is left out. */
  readonly unit?: number;
}

/** All rows of a column, as the script of a table sees those that it holds: see `table-columns.js`. */
export class ColumnReader {
  readonly #column: ColumnView;
  readonly #rowCount: number;
  readonly #forms: CellForms;
  #kind: CellKind | undefined;

  constructor(column: ColumnView, rowCount: number, forms: CellForms) {
    this.#column = column;
    this.#rowCount = rowCount;
    this.#forms = forms;
  }

  get kind(): CellKind {
    this.#kind ??= cellKind(this.#values());
    return this.#kind;
  }

  at(row: number): unknown {
    return this.#column.at(row);
  }

  isNull(row: number): boolean {
    const value = this.at(row);
    return value === null || isOdd(value);
  }

  /** What is compared: a number, or the milliseconds of a date; NaN where there is none. */
  sizeOf(row: number): number {
    const value = this.at(row);
    if (value === null || value === undefined || this.kind === "text") return Number.NaN;
    return Number(value);
  }

  /** All that a cell holds. */
  full(row: number): string {
    return formatCell(this.at(row)).text;
  }

  /** What a cell shows. */
  text(row: number): string {
    const value = this.at(row);
    if (this.isNull(row)) return this.full(row);
    if (this.kind === "date") {
      const length = DATE_LENGTHS.get(this.#forms.unit ?? 1) ?? WHOLE_DATE;
      return this.full(row).slice(0, length).replace("T", " ");
    }
    return this.kind === "number" ? numberText(Number(value), this.#forms.decimals) : this.full(row);
  }

  /** By which rows are sorted; NaN, which comes last either way, where there is nothing. */
  ranks(): Float64Array {
    if (this.kind === "text" || this.kind === "bigint") {
      const texts = Array.from(this.#values(), (value, row) => (this.isNull(row) ? undefined : formatCell(value).text));
      return textRanks(texts, this.kind === "bigint");
    }
    return Float64Array.from({ length: this.#rowCount }, (_, row) => this.sizeOf(row));
  }

  *#values(): Iterable<unknown> {
    for (let row = 0; row < this.#rowCount; row += 1) yield this.#column.at(row);
  }
}

/** A text of so many characters is embedded whole. */
const WHOLE = 2000;
/** All texts of a table together; those that come after them are short. */
const TOGETHER = 4_000_000;
const SHORT = 100;

/** Cuts the texts of one table so that they stay small together, and counts how many it has cut. */
export class TextBudget {
  #left = TOGETHER;
  #cut = 0;

  get cut(): number {
    return this.#cut;
  }

  fit(text: string): string {
    const most = this.#left > 0 ? WHOLE : SHORT;
    const isLong = text.length > most;
    if (isLong) this.#cut += 1;
    const fitted = isLong ? `${text.slice(0, most - 1)}…` : text;
    this.#left -= fitted.length;
    return fitted;
  }
}
