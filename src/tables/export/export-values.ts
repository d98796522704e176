import { MAX_DEPTH } from "../../core/depth.js";
import { ArgumentError } from "../../core/errors.js";
import { formatInstant } from "../../core/format/format-date.js";
import { type ExactUs, MS_PER_DAY, sourceUsOf } from "../../core/instant.js";
import { valueNestsDeeper } from "../../core/json.js";
import { type Column, DateColumn, PickedColumn } from "../column/column.js";
import type { ExportColumn } from "./export-table.js";

/** Microseconds since 1970 of a column of instants by row, exact for all years; NaN for missing values. */
export function instantUs(column: Column): (row: number) => ExactUs {
  if (column instanceof DateColumn) return (row) => column.exactUs(row);
  if (column instanceof PickedColumn) {
    const usOf = instantUs(column.source);
    return (index) => usOf(column.rowAt(index));
  }
  return (row) => {
    const value = column.at(row);
    return value instanceof Date ? sourceUsOf(value) : Number.NaN;
  };
}

/**
 * A column of instants as strings to the microsecond, which a `DateColumn` can read; invalid instants keep their
 * original value.
 */
export function instantTexts(column: Column): readonly unknown[] {
  const usOf = instantUs(column);
  return Array.from({ length: column.length }, (_, row) => {
    const us = usOf(row);
    return Number.isNaN(us) ? (column.at(row) ?? null) : formatInstant(us);
  });
}

/** Days from 1970-01-01 to a calendar date, a string `2025-06-30`. */
export function daysOf(date: unknown): number {
  return Date.parse(`${String(date)}T00:00:00Z`) / MS_PER_DAY;
}

/**
 * A value as JSON text. A `bigint`, which SQL returns for integers that a double cannot hold, is a number if exact,
 * else a string of its digits: JSON has no other form.
 *
 * @throws ArgumentError for a circular or too deeply nested value
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    // A `bigint`, or a stack overflow.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    if (valueNestsDeeper(value)) throw tooDeep(error);
    return (
      JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? plainInteger(inner) : inner)) ?? "null"
    );
  }
}

/** Circular values cause this error, too. */
function tooDeep(cause: Error): ArgumentError {
  const problem = `A value contains itself or is nested deeper than ${MAX_DEPTH} levels, so it cannot be written as JSON.`;
  return new ArgumentError(problem, { cause, hint: "Replace its inner part, for example with a string." });
}

/** An integer as a number if exact, else as a string. */
export function plainInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** The value of a column of 64-bit integers as a bigint. */
export function int64Of(value: unknown): bigint {
  return typeof value === "bigint" ? value : BigInt(Number(value));
}

/** The values of a column in another form, null for missing values. */
export function presentValues<T>(
  values: Column,
  convert: (value: unknown, row: number) => T,
): (row: number) => T | null {
  return (row) => {
    const value = values.at(row);
    return value === null || value === undefined ? null : convert(value, row);
  };
}

/**
 * Values of a column as JSON: instants as ISO 8601 strings with microseconds, in the time zone of the column; missing
 * values as null.
 */
export function plainValues({ kind, values, format }: ExportColumn): (row: number) => unknown {
  const { timeZone = "UTC" } = format ?? {};
  if (kind !== "instant") {
    return (row) => {
      const value = values.at(row) ?? null;
      // Mixed with strings, for example in a range without an end.
      return value instanceof Date && !Number.isNaN(value.getTime())
        ? formatInstant(sourceUsOf(value), { timeZone })
        : value;
    };
  }
  const usOf = instantUs(values);
  return (row) => {
    const us = usOf(row);
    if (!Number.isNaN(us)) return formatInstant(us, { timeZone });
    const value = values.at(row);
    return value === undefined || value instanceof Date ? null : value;
  };
}
