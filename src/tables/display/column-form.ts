// Decides how all outputs write the numbers and dates of a column.
import { propertyRule } from "../../api/property-types.js";
import { dateUnit } from "../../core/format/format-date.js";
import { type NumberForm, sensibleDecimals } from "../../core/format/format-in-column.js";
import { MS_PER_MINUTE } from "../../core/format/format-local.js";
import { MS_PER_DAY } from "../../core/instant.js";
import type { ColumnFormat } from "../column/column-format.js";

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
export function isIdColumn({ name, type, isIndex, format }: NamedColumn): boolean {
  return (
    isIndex === true ||
    format?.isId === true ||
    propertyRule(type)?.refersTo === "features" ||
    ID.test(name) ||
    CAMEL_ID.test(name)
  );
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
