import { typeComparison } from "../../../api/select-records.js";
import { MS_PER_DAY } from "../../../core/instant.js";
import { niceAtLeast } from "../../../core/nice-number.js";
import type { EncodedCells } from "../../column/column.js";
import { dateText, numberText } from "../cell-text.js";
import { formatCell } from "../html/format-cell.js";
import type { ColumnView } from "../html/table-view.js";
import { type ColumnCells, textRanks } from "./arrange-rows.js";
import { type CellKind, type ColumnSummary, cellKind, isOdd, sizeAmong } from "./embedded-column.js";

/** How a table shows the numbers and dates of one column. */
export interface CellForms {
  readonly decimals: number;
  /** Milliseconds of which its dates are multiples; 1 where it is left out. */
  readonly unit?: number;
}

/** All rows of a column. */
export class ColumnReader implements ColumnCells {
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
    this.#kind ??= cellKind(this.#values(), this.type);
    return this.#kind;
  }

  get type(): string | undefined {
    return this.#column.type;
  }

  at(row: number): unknown {
    return this.#column.at(row);
  }

  isNull(row: number): boolean {
    const value = this.at(row);
    return value === null || isOdd(value);
  }

  sizeOf(row: number): number {
    const value = this.at(row);
    if (value === null || value === undefined || this.kind === "text") return Number.NaN;
    if (typeof value === "string") return this.kind === "date" ? Date.parse(value) : Number(value);
    return Number(value);
  }

  full(row: number): string {
    return formatCell(this.at(row)).text;
  }

  text(row: number): string {
    const value = this.at(row);
    if (this.isNull(row) || typeof value === "string") return this.full(row);
    if (this.kind === "date") return dateText(Number(value), this.#forms.unit ?? 1);
    return this.kind === "number" ? numberText(Number(value), this.#forms.decimals) : this.full(row);
  }

  ranks(): Float64Array {
    if (this.kind === "text" || this.kind === "bigint") {
      const texts = Array.from({ length: this.#rowCount }, (_, row) => (this.isNull(row) ? undefined : this.full(row)));
      const different = [...new Set(texts)].filter((text) => text !== undefined);
      const ranks = textRanks(different, this.kind === "bigint");
      const rankOf = new Map<string | undefined, number>(different.map((text, code) => [text, ranks[code] as number]));
      return Float64Array.from(texts, (text) => rankOf.get(text) ?? Number.NaN);
    }
    return Float64Array.from({ length: this.#rowCount }, (_, row) => this.sizeOf(row));
  }

  *#values(): Iterable<unknown> {
    for (let row = 0; row < this.#rowCount; row += 1) yield this.#column.at(row);
  }
}

/** A text of so many characters is embedded whole; of a geometry, of which a part is none, more of them. */
const WHOLE = 2000;
const WHOLE_OBJECT = 20_000;
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

  fit(text: string, isObject = false): string {
    const most = this.#left <= 0 ? SHORT : isObject ? WHOLE_OBJECT : WHOLE;
    const isLong = text.length > most;
    if (isLong) this.#cut += 1;
    const fitted = isLong ? `${text.slice(0, most - 1)}…` : text;
    this.#left -= fitted.length;
    return fitted;
  }
}

const BARS = 20;
const DATE_STEPS = [1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, MS_PER_DAY];

/** A round width of bars, so that about twenty of them go from the least to the greatest value. */
function barStep(kind: "number" | "date", least: number, greatest: number, areWhole: boolean): number {
  const wanted = greatest / BARS - least / BARS;
  if (!(wanted > 0)) return 1;
  if (kind === "date") {
    return DATE_STEPS.find((step) => step >= wanted) ?? MS_PER_DAY * Math.ceil(wanted / MS_PER_DAY);
  }
  const step = niceAtLeast(wanted);
  return areWhole ? Math.max(1, step) : step;
}

/** Different texts that are counted one by one. */
const MOST_DISTINCT = 50_000;
const TOP = 5;
/** Bars of the most frequent texts tell something of a column of not more than so many. */
const FEW = 20;
/** Longer texts would be cut where they are embedded, and are no names of anything. */
const LONGEST = 200;
/** Objects are looked at one by one only to see whether they are there. */
const MOST_OBJECTS = 10_000;

/** What a column holds, from so many of its rows, evenly taken. */
export function summariseColumn(column: ColumnView, rowCount: number, rows: number): ColumnSummary {
  const { at, encoded } = column;
  // An integer to V8, too: a double would be allocated for each row, in each function that it is passed to.
  const rowOf = (index: number) => (rows === rowCount ? index : ((index * rowCount) / rows) | 0);
  const typed = typeComparison(column.type ?? "");
  const hasMore = typed === "value" && encoded !== undefined && hasManyTexts(encoded, rows, rowOf);
  const tally = new Tally(rows, typed, hasMore);
  let read = 0;
  while (read < rows && !(tally.hasObjects && read >= MOST_OBJECTS)) {
    const row = rowOf(read);
    // Texts are decoded only as long as they are counted: that takes longer than everything else.
    if (!(tally.hasMoreTexts && encoded?.typeAt(row) === "string")) tally.add(at(row));
    read += 1;
  }
  const { bars, ...summary } = tally.summary(read);
  const [least, greatest] = summary.range ?? [];
  return !bars || least === greatest || isId(column) ? summary : { ...summary, bars };
}

/** There are many more buckets of hashes than texts that are counted, so that few texts share one. */
const BUCKET_BITS = 18;
/** Spreads hashes that differ in some of their bits only (Knuth's multiplicative hashing). */
const SPREAD = 0x9e3779b1;
/** Rows after which it is clear whether texts repeat. */
const TRIAL = 10_000;

/**
 * Whether a column certainly has more different strings than are counted. Strings with different hashes are different. The
 * contrary is not certain: different strings may share a bucket, and the search ends early if strings repeat. Those columns are
 * counted string by string.
 */
function hasManyTexts(encoded: EncodedCells, rows: number, rowOf: (index: number) => number): boolean {
  if (rows <= MOST_DISTINCT) return false;
  const buckets = new Uint8Array(2 ** BUCKET_BITS);
  let different = 0;
  for (let index = 0; index < rows && index < TRIAL + 2 * different; index += 1) {
    const hash = encoded.textHashAt(rowOf(index));
    if (hash === undefined) continue;
    const bucket = Math.imul(hash, SPREAD) >>> (32 - BUCKET_BITS);
    different += 1 - (buckets[bucket] as number);
    buckets[bucket] = 1;
    if (different > MOST_DISTINCT) return true;
  }
  return false;
}

/** How numbers are spread that name things tells nothing. */
function isId({ name, type, isIndex }: ColumnView): boolean {
  return isIndex === true || type === "RELATIONSHIP" || /(^|_)id$/i.test(name);
}

/** Whether whole numbers go up or down by one from row to row, more of them than anybody counts by hand. */
function isCounting(values: Float64Array, least: number, greatest: number): boolean {
  if (values.length <= FEW || values.length !== greatest - least + 1) return false;
  const way = values[0] === least ? 1 : -1;
  const start = way === 1 ? least : greatest;
  return values.every((value, row) => value === start + way * row);
}

class Tally {
  readonly #rows: number;
  /** Allocated with the first number: columns of texts have none. */
  #numbers = new Float64Array(0);
  #typed: ReturnType<typeof typeComparison>;
  /** The number of each text in order of first appearance, and how often it was added. */
  readonly #texts = new Map<string, number>();
  readonly #textCounts: number[] = [];
  #numberCount = 0;
  #dates = 0;
  #nulls = 0;
  #hasMore: boolean;
  #hasInfinite = false;
  hasObjects = false;

  /** Whether another text changes nothing: more are different than are counted, and none is compared as a number or date. */
  get hasMoreTexts(): boolean {
    return this.#hasMore && this.#typed === "value";
  }

  /** @param hasMore whether more texts are different than are counted, if that is known before */
  constructor(rows: number, typed: ReturnType<typeof typeComparison>, hasMore: boolean) {
    this.#hasMore = hasMore;
    this.#typed = typed;
    this.#rows = rows;
  }

  add(value: unknown): void {
    if (value === null || value === undefined) this.#nulls += 1;
    else if (typeof value === "string") {
      const size = sizeAmong(this.#typed, value);
      if (size === undefined) this.#typed = "value";
      if (size === undefined || Number.isNaN(size)) this.#addText(value);
      else {
        if (this.#typed === "instant") this.#dates += 1;
        this.#addNumber(size);
      }
    } else if (typeof value === "number" || typeof value === "bigint") this.#addNumber(Number(value));
    else if (value instanceof Date) {
      const time = value.getTime();
      // One that is none must not make dates of the numbers beside it.
      if (!Number.isNaN(time)) this.#dates += 1;
      this.#addNumber(time);
    } else if (typeof value === "object" || typeof value === "function") this.hasObjects = true;
    else this.#addText(String(value));
  }

  summary(rows: number): ColumnSummary {
    const [count, nulls] = [this.#numberCount, this.#nulls];
    const hasTexts = this.#texts.size > 0 || this.#hasMore;
    const isMixed = hasTexts && count > 0 && this.#typed === "value";
    if (this.hasObjects || isMixed || (this.#dates > 0 && this.#dates < count)) {
      return { kind: "text", rows, nulls };
    }
    return count > 0 ? this.#numeric(rows) : this.#textual(rows);
  }

  #addText(text: string): void {
    const index = this.#texts.get(text);
    if (index !== undefined) this.#textCounts[index] = (this.#textCounts[index] as number) + 1;
    else if (this.#texts.size >= MOST_DISTINCT) this.#hasMore = true;
    else this.#texts.set(text, this.#textCounts.push(1) - 1);
  }

  #addNumber(value: number): void {
    if (Number.isNaN(value)) this.#nulls += 1;
    else {
      this.#hasInfinite ||= !Number.isFinite(value);
      if (this.#numberCount === 0) this.#numbers = new Float64Array(this.#rows);
      this.#numbers[this.#numberCount] = value;
      this.#numberCount += 1;
    }
  }

  #finiteNumbers(): Float64Array {
    const numbers = this.#numbers.subarray(0, this.#numberCount);
    return this.#hasInfinite ? numbers.filter(Number.isFinite) : numbers;
  }

  #numeric(rows: number): ColumnSummary {
    const kind = this.#dates > 0 ? "date" : "number";
    const values = this.#finiteNumbers();
    let [least, greatest, areWhole] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true];
    // By index, here and below: an iterator allocates memory for each value.
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] as number;
      least = Math.min(least, value);
      greatest = Math.max(greatest, value);
      areWhole &&= Number.isInteger(value);
    }
    const nulls = this.#nulls;
    if (values.length === 0) return { kind, rows, nulls };
    const step = barStep(kind, least, greatest, areWhole);
    const first = Math.floor(least / step);
    const last = Math.floor(greatest / step);
    // So far from zero that two numbers have none between them, bars could not be told apart.
    if (![first, last].every(Number.isSafeInteger)) return { kind, rows, nulls, range: [least, greatest] };
    // One of each: rows that are counted, whose bars are equally high.
    if (kind === "number" && areWhole && isCounting(values, least, greatest)) {
      return { kind, rows, nulls, range: [least, greatest] };
    }
    const counts = new Array<number>(last - first + 1).fill(0);
    for (let index = 0; index < values.length; index += 1) {
      const bar = Math.floor((values[index] as number) / step) - first;
      counts[bar] = (counts[bar] as number) + 1;
    }
    return { kind, rows, nulls, range: [least, greatest], bars: { first, step, counts } };
  }

  #textual(rows: number): ColumnSummary {
    const distinct = this.#hasMore ? MOST_DISTINCT : this.#texts.size;
    const counted = { kind: "text", rows, nulls: this.#nulls, distinct } as const;
    if (this.#hasMore) return { ...counted, isMore: true };
    // One value, or each once: bars of equal length.
    if (distinct <= 1 || distinct === rows - this.#nulls || distinct > Math.max(FEW, rows / FEW)) return counted;
    const top = [...this.#texts.keys()]
      .map((text, index) => [text, this.#textCounts[index] as number] as const)
      .sort((a, b) => b[1] - a[1])
      .slice(0, TOP);
    return { ...counted, ...(top.every(([text]) => text.length <= LONGEST) ? { top } : {}) };
  }
}
