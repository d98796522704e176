import { parseInstant } from "../../core/instant.js";
import { writeInstant } from "../../tables/cells/instant-column.js";
import { textHash } from "../../tables/cells/text-heap.js";
import { type EncodedCells, typeOf, type ValueType } from "../../tables/column/column.js";
import { typeOfText } from "./column-builder.js";
import { type ColumnEntry, padded } from "./column-file.js";

/** Reads bytes of the column's file. */
export type ReadBytes = (offset: number, bytes: number) => Buffer;

/** The values of a column in memory. A missing value is null. */
interface Values {
  at(row: number): unknown;
  /** Microseconds since 1970 of a column of instants. */
  us?(row: number): number;
  typeAt(row: number): ValueType;
  /** As of `EncodedCells`; absent if no value has one. */
  textHashAt?(row: number): number | undefined;
}

/** One column of one part. Its bytes are read with the first value. */
export class StoredColumn implements EncodedCells {
  readonly entry: ColumnEntry;
  readonly #rows: number;
  readonly #read: ReadBytes;
  readonly #damaged: (cause: unknown) => Error;
  #values: Values | undefined;
  #present: Uint8Array | undefined;

  /** @param damaged the error to throw where the bytes are not what they should be */
  constructor(entry: ColumnEntry, rows: number, read: ReadBytes, damaged: (cause: unknown) => Error) {
    this.entry = entry;
    this.#rows = rows;
    this.#read = read;
    this.#damaged = damaged;
  }

  at(row: number): unknown {
    try {
      return this.#loaded().at(row);
    } catch (error) {
      throw this.#damaged(error);
    }
  }

  /** Microseconds since 1970; NaN where the value is no instant. */
  us(row: number): number {
    const values = this.#loaded();
    if (values.us) return values.us(row);
    const text = this.at(row);
    return (typeof text === "string" ? parseInstant(text)?.us : undefined) ?? Number.NaN;
  }

  typeAt(row: number): ValueType {
    return this.#loaded().typeAt(row);
  }

  textHashAt(row: number): number | undefined {
    try {
      return this.#loaded().textHashAt?.(row);
    } catch (error) {
      throw this.#damaged(error);
    }
  }

  /** Whether the record of a row has the member. */
  has(row: number): boolean {
    const { presentOffset } = this.entry;
    if (presentOffset === undefined) return true;
    this.#present ??= this.#bytes(presentOffset, Math.ceil(this.#rows / 8));
    return (((this.#present[row >> 3] as number) >> (row & 7)) & 1) === 1;
  }

  #loaded(): Values {
    if (this.#values) return this.#values;
    const bytes = this.#bytes(this.entry.offset, this.entry.bytes);
    try {
      this.#values = load(this.entry, this.#rows, bytes);
    } catch (error) {
      throw this.#damaged(error);
    }
    return this.#values;
  }

  #bytes(offset: number, bytes: number): Buffer {
    try {
      return this.#read(offset, bytes);
    } catch (error) {
      throw this.#damaged(error);
    }
  }
}

function load(entry: ColumnEntry, rows: number, bytes: Buffer): Values {
  switch (entry.kind) {
    case "number":
    case "instant":
      return loadNumbers(entry, new Float64Array(bytes.buffer, 0, rows));
    case "code8":
    case "code16":
      return loadCodes(entry, rows, bytes);
    default:
      return loadTexts(entry, rows, bytes);
  }
}

function loadNumbers({ form }: ColumnEntry, values: Float64Array): Values {
  const write = form ? (us: number) => writeInstant(us, form) : (value: number) => value;
  const type = form ? "string" : "number";
  const textHashAt = (row: number) => {
    const us = values[row] ?? Number.NaN;
    return Number.isNaN(us) ? undefined : us | 0;
  };
  return {
    at(row) {
      const value = values[row] ?? Number.NaN;
      return Number.isNaN(value) ? null : write(value);
    },
    typeAt: (row) => (Number.isNaN(values[row]) ? "null" : type),
    ...(form ? { us: (row: number) => values[row] ?? Number.NaN, textHashAt } : {}),
  };
}

function loadCodes({ kind, textBytes = 0 }: ColumnEntry, rows: number, bytes: Buffer): Values {
  const distinct: readonly unknown[] = [null, ...(JSON.parse(bytes.toString("utf8", 0, textBytes)) as unknown[])];
  const types = distinct.map(typeOf);
  const start = padded(textBytes);
  const codes =
    kind === "code8" ? new Uint8Array(bytes.buffer, start, rows) : new Uint16Array(bytes.buffer, start, rows);
  return {
    at: (row) => distinct[codes[row] as number],
    typeAt: (row) => types[codes[row] as number] ?? "null",
  };
}

function loadTexts({ kind }: ColumnEntry, rows: number, bytes: Buffer): Values {
  const ends = new Uint32Array(bytes.buffer, 0, rows + 1);
  const texts = ends.byteLength;
  const isJson = kind === "json";
  const view = new DataView(bytes.buffer, texts);
  const text = (row: number) => {
    const [start = 0, end = 0] = [ends[row], ends[row + 1]];
    return end > start ? bytes.toString("utf8", texts + start, texts + end - 1) : undefined;
  };
  const textHashAt = (row: number) => {
    const [start = 0, end = 0] = [ends[row], ends[row + 1]];
    return end > start ? textHash(view, start, end) : undefined;
  };
  return {
    at(row) {
      const found = text(row);
      if (found === undefined) return null;
      return isJson ? JSON.parse(found) : found;
    },
    typeAt(row) {
      const [start = 0, end = 0] = [ends[row], ends[row + 1]];
      if (end <= start) return "null";
      return isJson ? typeOfText(String.fromCharCode(bytes[texts + start] as number)) : "string";
    },
    ...(isJson ? {} : { textHashAt }),
  };
}
