import { ArgumentError } from "../../core/errors.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import type { Column } from "../../tables/column/column.js";
import { isCalendarPeriod, resolveTimePoint, TIME_HINT, type TimePoint, withoutTemporal } from "../time/valid-time.js";
import { indexed } from "./join-table.js";

/** The times of the rows of a table. */
export interface RowTimes {
  /** Last microsecond of each row's time; NaN for none. */
  readonly us: Float64Array;
  /** End of each for lengths of time: a microsecond later for calendar dates and weeks. */
  readonly endUs: Float64Array;
  /** First and last of all; Infinity and −Infinity without times. */
  readonly firstUs: number;
  readonly lastUs: number;
  /** Whether every row has a time. */
  readonly areAll: boolean;
  /** Whether every row has a time, and the times ascend. */
  readonly ascend: boolean;
}

/**
 * The times of a column.
 *
 * @param name name of the column; if it ends with `_us`, numbers are microseconds since 1970
 * @throws ArgumentError for invalid times, with the first such row
 */
export function rowTimes(column: Column, name: string, timeZone: string): RowTimes {
  const times =
    column instanceof Float64Array && isUs(name) ? { us: column, endUs: column } : readTimes(column, name, timeZone);
  let [firstUs, lastUs, areAll, ascend] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true, true];
  for (let row = 0; row < times.us.length; row += 1) {
    const us = times.us[row] as number;
    if (us < firstUs) firstUs = us;
    // Both conditions are false for NaN.
    if (us >= lastUs) lastUs = us;
    else ascend = false;
    if (Number.isNaN(us)) areAll = false;
  }
  return { ...times, firstUs, lastUs, areAll, ascend };
}

type Times = Pick<RowTimes, "us" | "endUs">;

/** Whether numbers of a column are microseconds since 1970, as in every table of a history. */
function isUs(name: string): boolean {
  return name.endsWith("_us");
}

function readTimes(column: Column, name: string, timeZone: string): Times {
  const us = new Float64Array(column.length);
  let endUs = us;
  const resolve = pointReader(name, (point) => resolveTimePoint(point, timeZone));
  const values = indexed(column);
  for (let row = 0; row < us.length; row += 1) {
    const given = values[row];
    const value = typeof given === "object" && !(given instanceof Date) ? withoutTemporal(given) : given;
    us[row] = value instanceof Date ? dateUs(value, row, resolve) : resolve(value, row);
    if (typeof value === "string" && isCalendarPeriod(value)) {
      if (endUs === us) endUs = us.slice();
      endUs[row] = (us[row] as number) + 1;
    } else if (endUs !== us) endUs[row] = us[row] as number;
  }
  return { us, endUs };
}

function dateUs(date: Date, row: number, resolve: (value: unknown, row: number) => number): number {
  const ms = date.getTime();
  return Number.isNaN(ms) ? resolve(date, row) : ms * 1000;
}

/**
 * Reads the values of a column as points in time.
 *
 * @param resolve resolves a point that is not a number
 * @param ofUs resolves a number of microseconds
 * @returns resolved values; NaN for null, undefined and NaN
 */
export function pointReader(
  name: string,
  resolve: (point: TimePoint) => number,
  ofUs: (us: number) => number = (us) => us,
): (value: unknown, row: number) => number {
  const areUs = isUs(name);
  // Calendars are slow, and a table has few distinct days.
  const days = new Map<string, number>();
  return (value, row) => {
    if (value === null || value === undefined) return Number.NaN;
    if (typeof value === "number" || typeof value === "bigint") {
      if (areUs || Number.isNaN(value)) return Number.isNaN(value) ? Number.NaN : ofUs(Number(value));
      throw noTimes(
        name,
        row,
        value,
        "Use Dates, strings, or microseconds since 1970 in a column whose name ends in _us.",
      );
    }
    const day = typeof value === "string" && isCalendarPeriod(value) ? value : undefined;
    const cached = day === undefined ? undefined : days.get(day);
    if (cached !== undefined) return cached;
    try {
      const time = resolve(value as TimePoint);
      if (day !== undefined) days.set(day, time);
      return time;
    } catch (cause) {
      if (!(cause instanceof ArgumentError)) throw cause;
      throw noTimes(name, row, value, cause.hint ?? TIME_HINT);
    }
  };
}

/** @param hint may quote the value */
function noTimes(name: string, row: number, value: unknown, hint: string): ArgumentError {
  const quoted = showTimeOrNumber(value);
  return new ArgumentError(`Row ${row} of the column ${showValue(name)}: ${quoted} is not a time.`, {
    hint: typeof value === "string" && quoted !== showValue(value) ? TIME_HINT : hint,
    facts: { column: name, row },
  });
}
