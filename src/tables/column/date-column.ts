import { dateOf, type ExactUs, exactUs, parseInstant } from "../../core/instant.js";
import type { Column } from "./column.js";
import { countTypes, type TypeCounts } from "./count-types.js";

/** Timestamps as `Date`s, made when they are read; what is no instant stays as it came. */
export class DateColumn implements Column {
  readonly length: number;
  readonly #texts: Column;
  readonly #us: (row: number) => number;

  constructor(texts: Column) {
    this.length = texts.length;
    this.#texts = texts;
    this.#us = readsUs(texts) ? (row) => texts.us(row) : parsedUs(texts);
  }

  at(row: number): unknown {
    const us = this.exactUs(row);
    return Number.isNaN(us) ? this.#texts.at(row) : dateOf(us);
  }

  /** Microseconds since 1970 as a double; NaN where the value is no instant. */
  us(row: number): number {
    return this.#us(row);
  }

  /** The same, exact in all years. */
  exactUs(row: number): ExactUs {
    const us = this.#us(row);
    if (Number.isSafeInteger(us) || Number.isNaN(us)) return us;
    return exactUs(String(this.#texts.at(row))) ?? us;
  }

  countTypes(): TypeCounts {
    return countTypes(this.#texts);
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }
}

/** A column of timestamps that knows what they mean. */
interface UsColumn extends Column {
  us(row: number): number;
}

function readsUs(column: Column): column is UsColumn {
  return "us" in column;
}

function parsedUs(texts: Column): (row: number) => number {
  const parse = (text: unknown) => (typeof text === "string" ? parseInstant(text)?.us : undefined) ?? Number.NaN;
  const us = Float64Array.from(texts, parse);
  return (row) => us[row] ?? Number.NaN;
}
