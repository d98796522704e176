import { parseInstant } from "../../core/instant.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { type InstantForm, writeInstant } from "../../tables/cells/instant-column.js";
import { textHash } from "../../tables/cells/text-heap.js";
import { typeOf, type ValueCounter, type ValueType } from "../../tables/column/column.js";
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
  countInto(counter: ValueCounter, rows: Uint32Array | undefined): void;
}

/** One column of one part. Its bytes are read with the first value. */
export class StoredColumn {
  readonly entry: ColumnEntry;
  readonly #rows: number;
  readonly #read: ReadBytes;
  readonly #damaged: (cause: unknown) => Error;
  #values: Values | undefined;
  #present: Uint8Array | undefined;

  /** @param damaged returns the error for invalid bytes */
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

  /** Microseconds since 1970; NaN if the value is not an instant. */
  us(row: number): number {
    const values = this.#loaded();
    if (values.us) return values.us(row);
    const text = this.at(row);
    return (typeof text === "string" ? parseInstant(text)?.us : undefined) ?? Number.NaN;
  }

  typeAt(row: number): ValueType {
    return this.#loaded().typeAt(row);
  }

  /** @param rows to count; undefined for all */
  countInto(counter: ValueCounter, rows: Uint32Array | undefined): void {
    const { counts } = this.entry;
    if (counts.json + (rows ? 0 : counts.null) === this.#rows) {
      counter.addObjects(rows?.length ?? counts.json);
      counter.add(null, rows ? 0 : counts.null);
      return;
    }
    try {
      this.#loaded().countInto(counter, rows);
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

/** The numbers of some rows, or of all rows if undefined. */
function pick(values: Float64Array, rows: Uint32Array | undefined): Float64Array {
  return rows ? Float64Array.from(rows, (row) => values[row] as number) : values;
}

function loadNumbers({ form }: ColumnEntry, values: Float64Array): Values {
  if (form) return loadInstants(form, values);
  return {
    at(row) {
      const value = values[row] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    },
    typeAt: (row) => (Number.isNaN(values[row]) ? "null" : "number"),
    countInto: (counter, rows) => counter.addNumbers(pick(values, rows)),
  };
}

function loadInstants(form: InstantForm, values: Float64Array): Values {
  const us = (row: number) => values[row] ?? Number.NaN;
  const isNull = (row: number) => Number.isNaN(us(row));
  return {
    at: (row) => (isNull(row) ? null : writeInstant(us(row), form)),
    us,
    typeAt: (row) => (isNull(row) ? "null" : "string"),
    countInto(counter, rows) {
      const there = pick(values, rows).filter((value) => !Number.isNaN(value));
      counter.add(null, (rows?.length ?? values.length) - there.length);
      counter.addTexts({
        length: there.length,
        hashed: "instant",
        at: (index) => writeInstant(there[index] as number, form),
        hashAt: (index) => (there[index] as number) | 0,
      });
    },
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
    countInto(counter, rowIndices) {
      const counts = new Uint32Array(distinct.length);
      const length = rowIndices?.length ?? rows;
      for (let index = 0; index < length; index += 1) {
        const code = codes[rowIndices ? (rowIndices[index] as number) : index] as number;
        counts[code] = (counts[code] as number) + 1;
      }
      for (const [code, count] of counts.entries()) counter.add(distinct[code], count);
    },
  };
}

function loadTexts({ kind }: ColumnEntry, rows: number, bytes: Buffer): Values {
  const ends = new Uint32Array(bytes.buffer, 0, rows + 1);
  const texts = ends.byteLength;
  const isJson = kind === "json";
  const view = new DataView(bytes.buffer, texts);
  const startOf = (row: number) => ends[row] as number;
  const endOf = (row: number) => ends[row + 1] as number;
  const isNull = (row: number) => endOf(row) <= startOf(row);
  const text = (row: number) => bytes.toString("utf8", texts + startOf(row), texts + endOf(row) - 1);
  const typeAt = (row: number): ValueType => {
    if (isNull(row)) return "null";
    return isJson ? typeOfText(String.fromCharCode(bytes[texts + startOf(row)] as number)) : "string";
  };
  const at = (row: number): unknown => {
    if (isNull(row)) return null;
    return isJson ? JSON.parse(text(row)) : text(row);
  };
  return {
    at,
    typeAt,
    countInto(counter, rowIndices) {
      const count = rowIndices?.length ?? rows;
      const there = new GrowingArray(Uint32Array, count);
      for (let index = 0; index < count; index += 1) {
        const row = rowIndices ? (rowIndices[index] as number) : index;
        if (!isNull(row)) there.push(row);
      }
      counter.add(null, count - there.length);
      if (isJson) {
        for (const row of there.filled()) {
          if (typeAt(row) === "json") counter.addObjects(1);
          else counter.add(at(row), 1);
        }
      } else {
        counter.addTexts({
          length: there.length,
          hashed: "bytes",
          at: (index) => text(there.at(index)),
          hashAt: (index) => textHash(view, startOf(there.at(index)), endOf(there.at(index))),
        });
      }
    },
  };
}
