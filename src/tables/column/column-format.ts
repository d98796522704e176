import { propertyRule } from "../../api/property-types.js";
import { dateUnit } from "../../core/format/format-date.js";
import { MS_PER_MINUTE } from "../../core/format/format-local.js";
import { type NumberForm, sensibleDecimals } from "../../core/format/format-number.js";
import { MS_PER_DAY } from "../../core/instant.js";

/** How outputs write the values of a column. */
export interface ColumnFormat {
  /** Unit of its numbers, shown after the name of the column. */
  readonly unit?: string | undefined;
  /** Decimals of its numbers. Default: as many as the shown numbers need. */
  readonly decimals?: number | undefined;
  /** IANA name of the time zone of its instants. Default: `UTC`. */
  readonly timeZone?: string | undefined;
  /** Precision of its instants: days for estimates. Default: minutes, or days if all are midnights. */
  readonly precision?: "day" | undefined;
}

/** A column as far as its name and type decide how its values are written. */
interface NamedColumn {
  readonly name: string;
  /** Type of the property, if any. */
  readonly type?: string | undefined;
  /** Whether it has the labels of rows. */
  readonly isIndex?: boolean | undefined;
  readonly format?: ColumnFormat | undefined;
}

const ID = /(^|_)(id|code|key|serial)$/i;
const CAMEL_ID = /[a-z](Id|Code|Key|Serial)$/;
/** Columns of shares, from 0 to 1. */
const SHARE = /(^|_)(share|coverage|probability|hit_rate)$/i;
const PERCENT = /(^|_)percent$/i;

/** Whether the numbers of a column identify something, so that they have no size. */
export function isIdColumn({ name, type, isIndex }: NamedColumn): boolean {
  return isIndex === true || propertyRule(type)?.refersTo === "features" || ID.test(name) || CAMEL_ID.test(name);
}

/**
 * Decides how all outputs write the numbers of a column.
 *
 * @param values its shown values
 */
export function numberForm(column: NamedColumn, values: readonly unknown[]): NumberForm {
  const { unit, decimals } = column.format ?? {};
  if (isIdColumn(column)) return { decimals: decimals ?? sensibleDecimals(values), style: "id" };
  if (unit !== undefined || decimals !== undefined) return { decimals: decimals ?? sensibleDecimals(values) };
  if (PERCENT.test(column.name))
    return { decimals: Math.min(PERCENT_DECIMALS, sensibleDecimals(values)), style: "percent" };
  const isShare = (value: unknown) => typeof value !== "number" || !(value < 0 || value > 1);
  if (!SHARE.test(column.name) || !values.every(isShare)) return { decimals: sensibleDecimals(values) };
  const percents = values.map((value) => (typeof value === "number" ? Number((100 * value).toPrecision(12)) : value));
  return { decimals: Math.min(PERCENT_DECIMALS, sensibleDecimals(percents)), style: "share" };
}

/** Further digits of a percentage are in its tooltip. */
const PERCENT_DECIMALS = 2;
const MS_PER_HOUR = 60 * MS_PER_MINUTE;

/**
 * Decides the precision in which all outputs show the instants of a column, in milliseconds: a day if all are midnights
 * or the format says so, otherwise a minute. Instants within one hour are shown in full, because only seconds
 * distinguish them.
 *
 * @param times milliseconds since 1970
 */
export function shownUnit(times: readonly (number | null)[], { timeZone = "UTC", precision }: ColumnFormat): number {
  if (precision === "day") return MS_PER_DAY;
  const unit = dateUnit(times, { timeZone });
  if (unit >= MS_PER_MINUTE) return unit;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) {
    if (time === null || Number.isNaN(time)) continue;
    [first, last] = [Math.min(first, time), Math.max(last, time)];
  }
  return last > first && last - first < MS_PER_HOUR ? unit : MS_PER_MINUTE;
}

/** By column object, which Arquero's verbs pass on unless its values change. */
const formats = new WeakMap<object, ColumnFormat>();

const none: ColumnFormat = {};

/** Adds to the format of a column. Every table with the column then has it; fields without a value change nothing. */
export function setColumnFormat(column: unknown, format: ColumnFormat): void {
  if (typeof column !== "object" || column === null) return;
  const given = Object.entries(format).filter(([, value]) => value !== undefined);
  if (given.length > 0) formats.set(column, { ...formats.get(column), ...Object.fromEntries(given) });
}

/** Sets the format of dates that are estimates, which are not precise to the minute. Returns the same table. */
export function withEstimates<T extends { column(name: string): unknown }>(table: T, names: readonly string[]): T {
  for (const name of names) setColumnFormat(table.column(name), { precision: "day" });
  return table;
}

/** Returns the format of a column; fields that are not set are missing. */
export function columnFormat(column: unknown): ColumnFormat {
  return (typeof column === "object" && column !== null && formats.get(column)) || none;
}
