import { daysInMonth, parseInstant } from "../../core/instant.js";
import type { Column, RecordColumn, TypeCounts } from "../column/column.js";
import { ascii, type JsonBytes, MALFORMED, scanNumber, scanText } from "../json/scan-json.js";
import { CellBuilder } from "./cell-builder.js";
import { CellColumn } from "./cell-column.js";
import type { CellStore } from "./cell-store.js";

/** Entry of the table for an invalid pair. */
const NO_PAIR = 0xff;

/** Numbers of two decimal digits, by their bytes as a little-endian 16-bit integer; `NO_PAIR` for other bytes. */
const digitPairs = new Uint8Array(1 << 16).fill(NO_PAIR);

for (let number = 0; number < 100; number += 1) {
  digitPairs[Buffer.from(String(number).padStart(2, "0")).readUInt16LE()] = number;
}

/** A column of timestamps: the original strings, and their instants. */
export class InstantColumn implements RecordColumn {
  readonly length: number;
  readonly #cells: CellColumn;
  readonly #form: InstantForm | undefined;

  constructor(words: Uint32Array, store: CellStore, form: InstantForm | undefined) {
    this.#cells = new CellColumn(words, store);
    this.length = this.#cells.length;
    this.#form = form;
  }

  at(row: number): unknown {
    const value = this.#cells.at(row);
    return this.#form && this.#cells.isNumber(row) ? writeInstant(Number(value), this.#form) : value;
  }

  /** Whether every string has a time zone. */
  get isZoned(): boolean {
    return this.#form !== undefined && this.#form.suffix !== "" && this.#cells.countTypes().string === 0;
  }

  /** Rows whose value does not have the column's form, and may therefore be an invalid instant. */
  rowsWithoutForm(): readonly number[] {
    return this.#cells.rowsWithoutNumber();
  }

  /** Microseconds since 1970 of every row, if all strings have the column's form and that form has a time zone. */
  zonedUs(): Float64Array | undefined {
    return this.#form?.suffix ? this.#cells.numbers() : undefined;
  }

  /** Microseconds since 1970; NaN for an invalid instant. */
  us(row: number): number {
    const value = this.#cells.at(row);
    if (typeof value === "string") return parseInstant(value)?.us ?? Number.NaN;
    return this.#cells.isNumber(row) ? Number(value) : Number.NaN;
  }

  has(row: number): boolean {
    return this.#cells.has(row);
  }

  countTypes(): TypeCounts {
    const counts = this.#cells.countTypes();
    return { ...counts, number: 0, string: counts.string + counts.number };
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }
}

/**
 * Reads timestamps. Strings in the column's form, which is that of the first string, become microseconds since 1970 in
 * a number's cell. Other values are stored as they are, and numbers are stored outside the cells.
 */
export class InstantBuilder extends CellBuilder {
  #form: InstantForm | undefined;
  #length = 0;
  #learned = false;

  /** The form of its strings; undefined before the first one, or if that has no known form. */
  get form(): InstantForm | undefined {
    return this.#form;
  }

  protected override readText(json: JsonBytes, start: number, row: number): number {
    const { bytes } = json;
    if (!this.#learned) this.#learn(bytes, start);
    const end = start + 1 + this.#length;
    if (this.#form && bytes[end] === ascii.quote) {
      const us = readInstant(json, start + 1, this.#form);
      if (!Number.isNaN(us)) {
        this.numbers[row] = us;
        return end + 1;
      }
    }
    return super.readText(json, start, row);
  }

  protected override readNumber({ bytes }: JsonBytes, start: number, row: number): number {
    return this.readOther(bytes, start, scanNumber(bytes, start), row);
  }

  override finish(cells: Uint32Array): RecordColumn {
    return new InstantColumn(cells, this.store, this.#form);
  }

  #learn(bytes: Uint8Array, start: number): void {
    const end = scanText(bytes, start);
    if (end === MALFORMED) return;
    this.#form = instantForm(Buffer.from(bytes.subarray(start + 1, end - 1)).toString("latin1"));
    this.#length = this.#form ? instantLength(this.#form) : 0;
    this.#learned = true;
  }
}

const MINUTE_US = 60_000_000;
const DAY_US = 1440 * MINUTE_US;

/** The years in which microseconds since 1970 are exact in a double. */
const FIRST_YEAR = 1970;
const LAST_YEAR = 2254;

/** Days from 1970 to the first of each month, and to the end of the last. */
const monthStarts = new Int32Array((LAST_YEAR - FIRST_YEAR + 1) * 12 + 1);
for (let index = 1; index < monthStarts.length; index += 1) {
  const month = index - 1;
  const days = daysInMonth(FIRST_YEAR + Math.floor(month / 12), (month % 12) + 1);
  monthStarts[index] = (monthStarts[month] as number) + days;
}

/** Masks for the first and the last of four bytes, and their values around a month and an hour: `-01-`, `T00:`. */
const OUTER_BYTES = 0xff0000ff | 0;
const MONTH_MARKS = Buffer.from("-\0\0-").readInt32LE();
const HOUR_MARKS = Buffer.from("T\0\0:").readInt32LE();

/**
 * One form of instants: `YYYY-MM-DDThh:mm:ss`, then a number of decimals, then a zone. A column with a single form can
 * store its instants as microseconds and restore the original strings.
 */
export interface InstantForm {
  /** 0 to 6. */
  readonly decimals: number;
  /** `Z`, an offset, or empty. */
  readonly suffix: string;
  readonly offsetUs: number;
}

/** The form of a string; undefined for other forms. */
export function instantForm(text: string): InstantForm | undefined {
  const match = /^.{19}(?:\.(\d{1,6}))?(Z|[+-]\d\d:[0-5]\d|)$/s.exec(text);
  if (!match) return undefined;
  const [, fraction = "", suffix = ""] = match;
  const minutes = Number(suffix.slice(1, 3)) * 60 + Number(suffix.slice(4, 6));
  const offsetUs = (suffix.startsWith("-") ? -1 : 1) * minutes * MINUTE_US;
  return { decimals: fraction.length, suffix, offsetUs };
}

/** Length of the strings of a form. */
export function instantLength({ decimals, suffix }: InstantForm): number {
  return 19 + (decimals > 0 ? decimals + 1 : 0) + suffix.length;
}

/**
 * Microseconds since 1970 of the string of a form at `start`. NaN for other forms, invalid times, and times outside
 * 1970 to 2254, for which microseconds are not exact in a double.
 */
export function readInstant(json: JsonBytes, start: number, { decimals, suffix, offsetUs }: InstantForm): number {
  const { bytes, view } = json;
  const hasMarks =
    (view.getInt32(start + 4, true) & OUTER_BYTES) === MONTH_MARKS &&
    (view.getInt32(start + 10, true) & OUTER_BYTES) === HOUR_MARKS &&
    bytes[start + 16] === ascii.colon;
  if (!hasMarks) return Number.NaN;
  const ofCentury = pairAt(view, start + 2);
  const year = pairAt(view, start) * 100 + ofCentury;
  const month = pairAt(view, start + 5);
  const day = pairAt(view, start + 8);
  const hour = pairAt(view, start + 11);
  const minute = pairAt(view, start + 14);
  const second = pairAt(view, start + 17);
  // An invalid pair is beyond all bounds.
  if (!(ofCentury <= 99 && year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12)) return Number.NaN;
  const monthIndex = (year - FIRST_YEAR) * 12 + month - 1;
  const dayIndex = (monthStarts[monthIndex] as number) + day - 1;
  if (!(day >= 1 && dayIndex < (monthStarts[monthIndex + 1] as number))) return Number.NaN;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  const fraction = decimals > 0 ? readFraction(json, start + 19, decimals) : 0;
  const zone = start + 19 + (decimals > 0 ? decimals + 1 : 0);
  for (let n = 0; n < suffix.length; n += 1) if (bytes[zone + n] !== suffix.charCodeAt(n)) return Number.NaN;
  return dayIndex * DAY_US + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction - offsetUs;
}

/** The string of an instant in a form. */
export function writeInstant(us: number, { decimals, suffix, offsetUs }: InstantForm): string {
  const localUs = us + offsetUs;
  // Seconds are enough: `dateOf()` would also handle the microseconds, and is slower.
  const whole = new Date(Math.floor(localUs / 1000)).toISOString().slice(0, 19);
  if (decimals === 0) return whole + suffix;
  return `${whole}.${String(localUs % 1_000_000)
    .padStart(6, "0")
    .slice(0, decimals)}${suffix}`;
}

const decimalUs = [0, 100_000, 10_000, 1000, 100, 10, 1];

/** The pair of digits at `start`; `NO_PAIR` for other characters. */
function pairAt(view: DataView, start: number): number {
  return digitPairs[view.getUint16(start, true)] ?? NO_PAIR;
}

/** The microseconds of a point and a number of decimals; NaN for another form. */
function readFraction({ bytes }: JsonBytes, start: number, decimals: number): number {
  if (bytes[start] !== ascii.dot) return Number.NaN;
  let value = 0;
  for (let n = 1; n <= decimals; n += 1) {
    const digit = (bytes[start + n] as number) - ascii.zero;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value * (decimalUs[decimals] ?? Number.NaN);
}

/** Irregular values of a column of timestamps. */
export interface OddInstants {
  /** Number of leap seconds and ends of days, which are read as the start of the next second. */
  readonly rolledOver: number;
  /** Rows with an invalid instant, or a date or time that does not exist. Null is excluded. */
  readonly impossible: readonly number[];
}

/** A column that determines by their form which values may be irregular. */
interface FormedColumn extends Column {
  rowsWithoutForm(): Iterable<number>;
}

/** Checks a column of timestamps; values in their column's form need no check. */
export function oddInstants(column: Column): OddInstants {
  let rolledOver = 0;
  const impossible: number[] = [];
  const kinds = new Map<string, InstantKind>();
  for (const row of isFormed(column) ? column.rowsWithoutForm() : Array.from({ length: column.length }).keys()) {
    const value = column.at(row);
    if (value === null || value === undefined) continue;
    const kind = typeof value === "string" ? kindOf(value, kinds) : "impossible";
    if (kind === "impossible") impossible.push(row);
    else rolledOver += Number(kind === "rolled over");
  }
  return { rolledOver, impossible };
}

type InstantKind = "regular" | "rolled over" | "impossible";

/** Features created together share their time. */
const MOST_KNOWN = 1024;

function kindOf(text: string, kinds: Map<string, InstantKind>): InstantKind {
  const before = kinds.get(text);
  if (before) return before;
  const instant = parseInstant(text);
  const kind = !instant ? "impossible" : instant.rolledOver ? "rolled over" : "regular";
  if (kinds.size < MOST_KNOWN) kinds.set(text, kind);
  return kind;
}

function isFormed(column: Column): column is FormedColumn {
  return "rowsWithoutForm" in column;
}
