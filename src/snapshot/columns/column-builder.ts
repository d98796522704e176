import { noTypes, type TypeCounts, type ValueType } from "../../tables/column/column.js";

const MOST_CODES = 65_535;

/** Values of one column as JSON text, row by row. */
export class ColumnBuilder {
  readonly #bytes = new GrowingBytes();
  /** Where the text of each row ends. A row without the member has none. */
  readonly #ends: number[] = [];
  /** Codes of the distinct texts, from 1; undefined once they are many, or arrays or objects, which none may share. */
  #codes: Map<string, number> | undefined = new Map();
  readonly #rowCodes: number[] = [];

  get rows(): number {
    return this.#ends.length;
  }

  /** Adds the value of a row; rows that were passed over lack the member. Of two values of a row the last one counts. */
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

  /** The JSON text of a row; empty where it is null or lacks the member. */
  text(row: number): string {
    const text = this.#bytes.text(this.#start(row), this.#ends[row] as number);
    return text === "null" ? "" : text;
  }

  /** The distinct texts and each row's code, from 1; 0 is null. Undefined if they are many or arrays or objects. */
  codes(): { readonly texts: readonly string[]; readonly rows: readonly number[] } | undefined {
    return this.#codes && { texts: [...this.#codes.keys()], rows: this.#rowCodes };
  }

  countTypes(): TypeCounts {
    const counts = noTypes();
    for (let row = 0; row < this.rows; row += 1) counts[typeOfText(this.text(row))] += 1;
    return counts;
  }

  #start(row: number): number {
    return this.#ends[row - 1] ?? 0;
  }

  #drop(row: number): void {
    this.#bytes.cut(this.#start(row));
    this.#ends.length = row;
    this.#rowCodes.length = row;
  }

  #code(text: string): number {
    if (!this.#codes || text === "null") return 0;
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    if (text.startsWith("{") || text.startsWith("[") || this.#codes.size === mostCodes(this.rows)) {
      this.#codes = undefined;
      return 0;
    }
    // A part of the record's text would keep all of it in memory.
    this.#codes.set(Buffer.from(text).toString(), this.#codes.size + 1);
    return this.#codes.size;
  }
}

/** Where half of the rows have a text of their own, many others will. */
function mostCodes(rows: number): number {
  return Math.min(MOST_CODES, Math.max(1024, rows >> 1));
}

/** The JSON type of a value by its text; empty is null. */
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

/** Texts in UTF-8, one behind the other. */
export class GrowingBytes {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    // A UTF-16 unit takes three bytes at most.
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Drops what lies behind a position. */
  cut(length: number): void {
    this.#length = length;
  }

  text(start: number, end: number): string {
    return this.#bytes.toString("utf8", start, end);
  }

  /** What was written; it changes with the next text. */
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
