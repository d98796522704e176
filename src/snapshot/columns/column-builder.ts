import { noTypes, type TypeCounts, type ValueType } from "../../tables/column/column.js";

const MOST_CODES = 65_535;

/** Values of a column as JSON strings, row by row. */
export class ColumnBuilder {
  readonly #bytes = new GrowingBytes();
  /** End of each row's text. A row without the member has an empty text. */
  readonly #ends: number[] = [];
  /**
   * Codes of the distinct strings, from 1; undefined if there are many, or if there are arrays or objects, which must
   * not be shared.
   */
  #codes: Map<string, number> | undefined = new Map();
  readonly #rowCodes: number[] = [];

  get rows(): number {
    return this.#ends.length;
  }

  /** Adds the value of a row; skipped rows lack the member. The last of two values of a row counts. */
  add(row: number, text: string): void {
    if (row < this.rows) this.#drop(row);
    this.pad(row);
    this.#bytes.append(text);
    this.#ends.push(this.#bytes.length);
    this.#rowCodes.push(this.#code(text));
  }

  /** Adds rows without the member. */
  pad(rows: number): void {
    while (this.rows < rows) {
      this.#ends.push(this.#bytes.length);
      this.#rowCodes.push(0);
    }
  }

  has(row: number): boolean {
    return (this.#ends[row] as number) > this.#start(row);
  }

  /** The JSON string of a row; empty for null and missing members. */
  text(row: number): string {
    const text = this.#bytes.text(this.#start(row), this.#ends[row] as number);
    return text === "null" ? "" : text;
  }

  /** The distinct strings and each row's code, from 1; 0 is null. Undefined if there are many, or arrays or objects. */
  codes(): { readonly texts: readonly string[]; readonly rows: readonly number[] } | undefined {
    return this.#codes && { texts: [...this.#codes.keys()], rows: this.#rowCodes };
  }

  countTypes(): TypeCounts {
    const counts = noTypes();
    for (let row = 0; row < this.rows; row += 1) counts[typeOfText(this.text(row))] += 1;
    return counts;
  }

  #start(row: number): number {
    return row === 0 ? 0 : (this.#ends[row - 1] as number);
  }

  #drop(row: number): void {
    this.#bytes.cut(this.#start(row));
    this.#ends.length = row;
    this.#rowCodes.length = row;
  }

  #code(text: string): number {
    if (!this.#codes || text === "null") return 0;
    const code = this.#codes.get(text);
    if (code !== undefined) return code;
    if (text.startsWith("{") || text.startsWith("[") || this.#codes.size === mostCodes(this.rows)) {
      this.#codes = undefined;
      return 0;
    }
    // A slice of the record's text would keep the whole text in memory.
    this.#codes.set(Buffer.from(text).toString(), this.#codes.size + 1);
    return this.#codes.size;
  }
}

/** If half of the rows have distinct strings, many other rows will, too. */
function mostCodes(rows: number): number {
  return Math.min(MOST_CODES, Math.max(1024, rows >> 1));
}

/** The JSON type of a value by its text; null for an empty text. */
export function typeOfText(text: string): ValueType {
  switch (text[0]) {
    case undefined:
    case "n":
      return "null";
    case '"':
      return "string";
    case "t":
    case "f":
      return "boolean";
    case "{":
    case "[":
      return "json";
    default:
      return "number";
  }
}

/** Strings in UTF-8, one after the other. */
export class GrowingBytes {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    // A UTF-16 unit needs at most three bytes.
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Drops the bytes after a position. */
  cut(length: number): void {
    this.#length = length;
  }

  text(start: number, end: number): string {
    return this.#bytes.toString("utf8", start, end);
  }

  /** The written bytes; the view changes with the next string. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + bytes));
    this.view().copy(grown);
    this.#bytes = grown;
  }
}
