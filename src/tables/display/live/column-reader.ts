import { type Axis, axisOf } from "../../../api/property-types.js";
import { type DateFormat, formatDate } from "../../../core/format/format-date.js";
import { formatPlain, type NumberForm } from "../../../core/format/format-number.js";
import { MS_PER_DAY } from "../../../core/instant.js";
import { niceAtLeast } from "../../../core/nice-number.js";
import { GrowingArray } from "../../cells/growing-array.js";
import type { EncodedTexts, ValueCounter } from "../../column/column.js";
import { isIdColumn } from "../../column/column-format.js";
import { formatValue } from "../format-value.js";
import type { ColumnView } from "../html/table-view.js";
import { type ColumnCells, textRanks } from "./arrange-rows.js";
import { type CellKind, type ColumnSummary, cellKind, isOdd, sizeAmong } from "./embedded-column.js";

/** Format of the numbers and dates of one column. */
export interface CellForms {
  readonly numbers: NumberForm;
  /** Time zone of its dates. Default: UTC. */
  readonly timeZone?: string;
}

/** All rows of a column. */
export class ColumnReader implements ColumnCells {
  readonly numbers: NumberForm;
  readonly #column: ColumnView;
  readonly #rowCount: number;
  readonly #dates: DateFormat;
  #kind: CellKind | undefined;

  constructor(column: ColumnView, rowCount: number, forms: CellForms) {
    this.#column = column;
    this.#rowCount = rowCount;
    const { numbers, timeZone = "UTC" } = forms;
    this.numbers = numbers;
    this.#dates = { timeZone };
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
    return formatValue(this.at(row));
  }

  text(row: number): string {
    const value = this.at(row);
    if (this.isNull(row) || typeof value === "string") return this.full(row);
    if (this.kind === "date") return formatDate(Number(value), this.#dates);
    return this.kind === "number" ? formatPlain(Number(value), this.numbers) : this.full(row);
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

/** Strings up to this length are embedded whole; geometries, which are useless if cut, may be longer. */
const WHOLE = 2000;
const WHOLE_OBJECT = 20_000;
/** Maximum total length of a table's strings; later ones are shortened. */
const TOGETHER = 4_000_000;
const SHORT = 100;

/** Shortens the strings of one table to limit their total length, and counts the shortened ones. */
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

/** A round width of bars, so that about twenty cover the range of values. */
function barStep(kind: "number" | "date", least: number, greatest: number, areWhole: boolean): number {
  const barWidth = greatest / BARS - least / BARS;
  if (!(barWidth > 0)) return 1;
  if (kind === "date") {
    return DATE_STEPS.find((step) => step >= barWidth) ?? MS_PER_DAY * Math.ceil(barWidth / MS_PER_DAY);
  }
  const step = niceAtLeast(barWidth);
  return areWhole ? Math.max(1, step) : step;
}

/** Maximum number of distinct strings that are counted. */
const MOST_DISTINCT = 50_000;
const TOP = 5;
/** Maximum number of distinct strings for which bars of the most frequent ones are useful. */
const FEW = 20;
/** Longer strings would be cut when embedded, and are not names. */
const LONGEST = 200;
/** Objects are only counted as present or missing, up to this number. */
const MOST_OBJECTS = 10_000;

/** Summary of a column, from a number of evenly spaced rows. */
export function summariseColumn(column: ColumnView, rowCount: number, rows: number): ColumnSummary {
  const tally = new Tally(axisOf(column.type));
  if (column.counted && rows === rowCount) column.counted.countInto(tally);
  else addEach(tally, column, rowCount, rows);
  const { bars, ...summary } = tally.summary();
  const [least, greatest] = summary.range ?? [];
  // The distribution of ids is meaningless.
  return !bars || least === greatest || isIdColumn(column) ? summary : { ...summary, bars };
}

function addEach(tally: Tally, { at }: ColumnView, rowCount: number, rows: number): void {
  for (let index = 0; index < rows && !(tally.hasObjects && index >= MOST_OBJECTS); index += 1) {
    // An integer for V8, too: a double would be allocated for each row, in each function that it is passed to.
    tally.add(at(rows === rowCount ? index : ((index * rowCount) / rows) | 0), 1);
  }
}

/** There are many more buckets of hashes than counted strings, so that few strings share one. */
const BUCKET_BITS = 18;
/** Spreads hashes that differ in only some of their bits (Knuth's multiplicative hashing). */
const SPREAD = 0x9e3779b1;
/** Rows after which it is clear whether strings repeat. */
const TRIAL = 10_000;

/**
 * Whether there are certainly more distinct strings than are counted. Strings with different hashes are distinct. The
 * opposite is uncertain: distinct strings may share a bucket, and the search ends early if strings repeat. Such strings
 * are counted one by one.
 */
function hasManyTexts(all: readonly EncodedTexts[]): boolean {
  const count = all.reduce((sum, { length }) => sum + length, 0);
  if (count <= MOST_DISTINCT || new Set(all.map(({ hashed }) => hashed)).size > 1) return false;
  const buckets = new Uint8Array(2 ** BUCKET_BITS);
  let [seen, different] = [0, 0];
  for (const texts of all) {
    for (let index = 0; index < texts.length; index += 1) {
      const bucket = Math.imul(texts.hashAt(index), SPREAD) >>> (32 - BUCKET_BITS);
      different += 1 - (buckets[bucket] as number);
      buckets[bucket] = 1;
      seen += 1;
      if (different > MOST_DISTINCT) return true;
      if (seen >= TRIAL + 2 * different) return false;
    }
  }
  return false;
}

/** Numbers of some rows of a column; NaN and infinite ones are skipped. */
type NumberBatches = readonly Float64Array[];

/** Whether integers increase or decrease by one from row to row, in more rows than a manual count would have. */
function isCounting(batches: NumberBatches, count: number, least: number, greatest: number): boolean {
  if (count <= FEW || count !== greatest - least + 1) return false;
  const way = batches.find(({ length }) => length > 0)?.find(Number.isFinite) === least ? 1 : -1;
  let expected = way === 1 ? least : greatest;
  for (const numbers of batches) {
    for (let index = 0; index < numbers.length; index += 1) {
      const value = numbers[index] as number;
      if (!Number.isFinite(value)) continue;
      if (value !== expected) return false;
      expected += way;
    }
  }
  return true;
}

function barCounts(batches: NumberBatches, first: number, step: number, bars: number): readonly number[] {
  const counts = new Uint32Array(bars);
  for (const numbers of batches) {
    for (let index = 0; index < numbers.length; index += 1) {
      const bar = Math.floor((numbers[index] as number) / step) - first;
      if (bar >= 0 && bar < bars) counts[bar] = (counts[bar] as number) + 1;
    }
  }
  return [...counts];
}

class Tally implements ValueCounter {
  readonly #batches: Float64Array[] = [];
  /** Numbers that were added one by one. */
  readonly #singles = new GrowingArray(Float64Array, 0);
  #typed: Axis;
  /** Number of rows of each string: one lookup per row. */
  readonly #texts = new Map<string, { rows: number }>();
  /** Strings that are only decoded if they are few. */
  readonly #encoded: EncodedTexts[] = [];
  #rows = 0;
  #dates = 0;
  #nulls = 0;
  #hasMore = false;
  hasObjects = false;
  #numbers = 0;
  #finite = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;
  #areWhole = true;

  constructor(typed: Axis) {
    this.#typed = typed;
  }

  add(value: unknown, rows: number): void {
    if (rows === 0) return;
    this.#rows += rows;
    if (value === null || value === undefined) this.#nulls += rows;
    else if (typeof value === "string") {
      const size = sizeAmong(this.#typed, value);
      if (size === undefined) this.#typed = "value";
      if (size === undefined || Number.isNaN(size)) this.#addText(value, rows);
      else {
        if (this.#typed === "instant") this.#dates += rows;
        this.#addNumber(size, rows);
      }
    } else if (typeof value === "number" || typeof value === "bigint") this.#addNumber(Number(value), rows);
    else if (value instanceof Date) {
      const time = value.getTime();
      // Invalid dates must not turn a column of numbers into dates.
      if (!Number.isNaN(time)) this.#dates += rows;
      this.#addNumber(time, rows);
    } else if (typeof value === "object" || typeof value === "function") this.hasObjects = true;
    else this.#addText(String(value), rows);
  }

  addObjects(rows: number): void {
    this.#rows += rows;
    this.hasObjects ||= rows > 0;
  }

  addNumbers(numbers: Float64Array): void {
    this.#rows += numbers.length;
    this.#addBatch(numbers);
  }

  addTimes(times: Float64Array): void {
    this.#dates += times.length;
    this.addNumbers(times);
  }

  addTexts(texts: EncodedTexts): void {
    if (texts.length === 0) return;
    if (this.#typed !== "value") for (let index = 0; index < texts.length; index += 1) this.add(texts.at(index), 1);
    else {
      this.#rows += texts.length;
      this.#encoded.push(texts);
    }
  }

  summary(): ColumnSummary {
    this.#addBatch(this.#singles.filled());
    const [count, rows, nulls] = [this.#numbers, this.#rows, this.#nulls];
    const hasTexts = this.#texts.size > 0 || this.#encoded.length > 0;
    const isMixed = hasTexts && count > 0 && this.#typed === "value";
    if (this.hasObjects || isMixed || (this.#dates > 0 && this.#dates < count)) {
      return { kind: "text", rows, nulls };
    }
    return count > 0 ? this.#numeric() : this.#textual();
  }

  #addText(text: string, rows: number): void {
    const code = this.#texts.get(text);
    if (code) code.rows += rows;
    else if (this.#texts.size >= MOST_DISTINCT) this.#hasMore = true;
    else this.#texts.set(text, { rows });
  }

  #addNumber(value: number, rows: number): void {
    for (let left = rows; left > 0; left -= 1) this.#singles.push(value);
  }

  #addBatch(numbers: Float64Array): void {
    let [nulls, finite, least, greatest, areWhole] = [0, 0, this.#least, this.#greatest, this.#areWhole];
    // By index: an iterator allocates memory for each value.
    for (let index = 0; index < numbers.length; index += 1) {
      const value = numbers[index] as number;
      if (Number.isNaN(value)) nulls += 1;
      else if (Number.isFinite(value)) {
        finite += 1;
        if (value < least) least = value;
        if (value > greatest) greatest = value;
        areWhole &&= Number.isInteger(value);
      }
    }
    this.#batches.push(numbers);
    this.#nulls += nulls;
    this.#numbers += numbers.length - nulls;
    this.#finite += finite;
    [this.#least, this.#greatest, this.#areWhole] = [least, greatest, areWhole];
  }

  /** Once there are more distinct strings than are counted, further ones do not matter. */
  #countEncoded(): void {
    this.#hasMore ||= hasManyTexts(this.#encoded);
    for (const texts of this.#encoded)
      for (let index = 0; index < texts.length && !this.#hasMore; index += 1) this.#addText(texts.at(index), 1);
  }

  #numeric(): ColumnSummary {
    const kind = this.#dates > 0 ? "date" : "number";
    const [rows, nulls, least, greatest] = [this.#rows, this.#nulls, this.#least, this.#greatest];
    if (this.#finite === 0) return { kind, rows, nulls };
    const step = barStep(kind, least, greatest, this.#areWhole);
    const first = Math.floor(least / step);
    const last = Math.floor(greatest / step);
    const plain = { kind, rows, nulls, range: [least, greatest] } as const;
    // Far from zero, doubles are too sparse for distinct bars.
    if (![first, last].every(Number.isSafeInteger)) return plain;
    // Consecutive integers: all bars would have the same height.
    if (kind === "number" && this.#areWhole && isCounting(this.#batches, this.#finite, least, greatest)) return plain;
    return { ...plain, bars: { first, step, counts: barCounts(this.#batches, first, step, last - first + 1) } };
  }

  #textual(): ColumnSummary {
    this.#countEncoded();
    const [rows, nulls] = [this.#rows, this.#nulls];
    const distinct = this.#hasMore ? MOST_DISTINCT : this.#texts.size;
    const counted = { kind: "text", rows, nulls, distinct } as const;
    if (this.#hasMore) return { ...counted, isMore: true };
    // One value, or each once: all bars would have the same length.
    if (distinct <= 1 || distinct === rows - nulls || distinct > Math.max(FEW, rows / FEW)) return counted;
    const top = Array.from(this.#texts, ([text, { rows }]) => [text, rows] as const)
      .sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1))
      .slice(0, TOP);
    return { ...counted, ...(top.every(([text]) => text.length <= LONGEST) ? { top } : {}) };
  }
}
