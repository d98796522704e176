import type { ColumnTable } from "arquero";
import { binarySearch } from "../../../core/binary-search.js";
import { calendarPeriod } from "../../../core/calendar-period.js";
import { ArgumentError } from "../../../core/errors.js";
import { formatNumber } from "../../../core/format/format-number.js";
import { parseInstant } from "../../../core/instant.js";
import { showTimeOrNumber } from "../../../core/show-record-value.js";
import { showValue } from "../../../core/show-value.js";
import type { HistoryData } from "../../cell/history-data.js";
import { presentRows } from "../../cell/present-rows.js";
import { valuesAt } from "../../cell/values-at.js";
import { chooseColumn } from "../../columns/choose-columns.js";
import { ValueDictionary } from "../../log/change-log.js";
import type { TimeUnit } from "../../time/time-unit.js";
import { isCalendarPeriod, resolveTimeEnd, withoutTemporal } from "../../time/valid-time.js";
import { type Earning, quantityOf, Steps, summedSteps } from "./done-counts.js";

/** The cumulative planned amount over time, interpolated linearly between points. */
export interface PlanLine {
  /** Microseconds since 1970, ascending. */
  readonly us: readonly number[];
  readonly values: readonly number[];
  /** Number of features without a planned date; 0 for a plan given as a table. */
  readonly unplanned: number;
}

/** A row of a plan given as a table. */
export interface PlanPoint {
  /** Index in the table. */
  readonly row: number;
  /** The date as given. */
  readonly date: unknown;
  readonly us: number;
  readonly value: number;
}

/**
 * Reads a plan given as a table of `date` and `value`, the cumulative number of features planned by that date.
 *
 * @throws ArgumentError for other tables, and for values that fall
 */
export function planOfTable(table: ColumnTable, timeZone: string): PlanLine {
  return planOfPoints(planPoints(table, timeZone));
}

/**
 * The rows of a plan, in the table's order.
 *
 * @throws ArgumentError for an invalid plan, date or value
 */
function planPoints(table: ColumnTable, timeZone: string): readonly PlanPoint[] {
  const names = typeof table?.columnNames === "function" ? table.columnNames() : [];
  if (!names.includes("date") || !names.includes("value")) {
    throw new ArgumentError(
      names.length > 0
        ? `Invalid plan: the table has the columns ${names.map((name) => showValue(name)).join(", ")}.`
        : `Invalid plan ${showValue(table)}.`,
      {
        hint: "Pass a table with the columns `date` and `value` (planned total by that date), or the name of a column with planned dates.",
      },
    );
  }
  return Array.from({ length: table.numRows() }, (_, row) => {
    const [date, value]: [unknown, unknown] = [withoutTemporal(table.get("date", row)), table.get("value", row)];
    // A string without a time zone is ambiguous here: services write UTC times like this.
    const isZoneless = typeof date === "string" && !isCalendarPeriod(date) && parseInstant(date)?.zoned === false;
    const us = isZoneless ? undefined : plannedEnd(date, timeZone);
    if (us === undefined || typeof value !== "number" || !(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      throw new ArgumentError(
        `Row ${row} of the plan has an invalid date or value: ${showTimeOrNumber(date)}, ${showTimeOrNumber(value)}.`,
        {
          hint: 'Use dates ("2025-06-30", an instant with its zone, or a Date) and numbers of at least 0.',
          facts: { option: "plan", row },
        },
      );
    }
    return { row, date, us, value };
  });
}

/**
 * The line through the points of a plan.
 *
 * @throws ArgumentError if a later date has a lower value
 */
function planOfPoints(points: readonly PlanPoint[]): PlanLine {
  // For a date given twice, the higher value counts.
  const sorted = [...points].sort((a, b) => a.us - b.us || a.value - b.value);
  for (const [index, later] of sorted.entries()) {
    const earlier = sorted[index - 1];
    if (earlier === undefined || earlier.value <= later.value) continue;
    throw new ArgumentError(
      `The plan falls from ${formatNumber(earlier.value, { decimals: 3 })} by ${showTimeOrNumber(earlier.date)} (row ${earlier.row}) to ${formatNumber(later.value, { decimals: 3 })} by ${showTimeOrNumber(later.date)} (row ${later.row}).`,
      {
        hint: "Use cumulative values: the total planned by each date. If the plan has groups, pass the rows of one group.",
        facts: { option: "plan", rows: [earlier.row, later.row] },
      },
    );
  }
  return { us: sorted.map(({ us }) => us), values: sorted.map(({ value }) => value), unplanned: 0 };
}

/**
 * Reads a plan given as planned dates, one per feature. Strings that are not dates count as unplanned.
 *
 * @param weightOf returns the weight of the feature of a date, by index
 */
export function planOfDates(
  dates: Iterable<unknown>,
  timeZone: string,
  weightOf: (index: number) => number = () => 1,
): PlanLine {
  const planned = new Steps();
  let [unplanned, index] = [0, 0];
  for (const date of dates) {
    const us = plannedEnd(date, timeZone);
    if (us === undefined) unplanned += 1;
    else planned.add(us, weightOf(index));
    index += 1;
  }
  // Rounded as the work done, so that a finished plan equals it.
  const [upTo] = summedSteps(planned, new Steps());
  const us = [...new Set(planned.us)].sort((a, b) => a - b);
  return { us, values: us.map(upTo), unplanned };
}

/** The plan with its times as distances from a given time, in a unit, in which it is interpolated linearly. */
export function placedLine(line: PlanLine, atUs: number, unit: TimeUnit): PlanLine {
  return { ...line, us: line.us.map((us) => atUs + unit.length(atUs, us)) };
}

/** The amount planned to be done by a time. */
export function plannedAt({ us, values }: PlanLine, atUs: number): number {
  const next = binarySearch(us.length, (index) => (us[index] as number) <= atUs);
  if (next === 0) return 0;
  const [from, to] = [values[next - 1] as number, (values[next] ?? values[next - 1]) as number];
  const [start, end] = [us[next - 1] as number, us[next] ?? Number.POSITIVE_INFINITY];
  return from + ((to - from) * (atUs - start)) / (end - start);
}

/**
 * The time nearest to a given one at which the plan has the done amount: a plan may be flat for a while, and before its
 * first point nothing is planned.
 */
export function dueAt(line: PlanLine, done: number, atUs: number): number {
  const planned = plannedAt(line, atUs);
  if (done === planned) return atUs;
  if (done > planned) return plannedFor(line, done) ?? atUs;
  return leftBehind(line, done);
}

/** The last time at which no more than this was planned, if more is planned later. */
function leftBehind({ us, values }: PlanLine, value: number): number {
  const next = values.findIndex((planned) => planned > value);
  const [end, to] = [us[next] as number, values[next] as number];
  const [start, from] = [us[next - 1], values[next - 1]];
  if (start === undefined || from === undefined) return end;
  return start + ((end - start) * (value - from)) / (to - from);
}

/** The first time at which an amount is planned to be done; undefined if never. */
export function plannedFor({ us, values }: PlanLine, value: number): number | undefined {
  const next = values.findIndex((planned) => planned >= value);
  if (next < 0) return undefined;
  const [end, to] = [us[next] as number, values[next] as number];
  if (next === 0 || to === value) return end;
  const [start, from] = [us[next - 1] as number, values[next - 1] as number];
  return start + ((end - start) * (value - from)) / (to - from);
}

/** A planned day or week includes its end. */
function plannedEnd(date: unknown, timeZone: string): number | undefined {
  if (date instanceof Date) return Number.isNaN(date.getTime()) ? undefined : date.getTime() * 1000;
  if (typeof date !== "string") return undefined;
  if (!isCalendarPeriod(date)) return parseInstant(date)?.us;
  return calendarPeriod(date) === undefined ? undefined : resolveTimeEnd(date, timeZone);
}

/** The features of a group. */
export interface Group {
  readonly value: unknown;
  /** By row. */
  readonly isIn: (row: number) => boolean;
}

/** The plan of a group; undefined if it has none. */
type PlanOfGroup = (group: unknown) => PlanLine | undefined;

export function plansOf(
  data: HistoryData,
  { plan, by }: { readonly plan?: ColumnTable | string | undefined; readonly by?: string | undefined },
  groups: readonly Group[],
  at: { readonly earning: Earning; readonly us: number },
): PlanOfGroup {
  if (plan === undefined) return () => undefined;
  if (typeof plan === "string") return planByDates(data, plan, groups, at);
  const points = planPoints(plan, data.timeZone);
  if (by !== undefined) return planByGroup(plan, by, points);
  const whole = planOfPoints(points);
  return () => whole;
}

/** @param name of the column of planned dates */
function planByDates(
  data: HistoryData,
  name: string,
  groups: readonly Group[],
  { earning, us }: { readonly earning: Earning; readonly us: number },
): PlanOfGroup {
  const dates = valuesAt(data, chooseColumn(data.names, name), data.features.rows, us, false);
  const present = presentRows(data, us);
  const lines = new Map(
    groups.map(({ value, isIn }) => {
      const rows = present.filter(isIn);
      const planned = Array.from(rows, (row) => dates.at(row));
      const line = planOfDates(planned, data.timeZone, (index) => quantityOf(earning, rows[index] as number));
      return [value, line] as const;
    }),
  );
  return (group) => lines.get(group);
}

/** @param points the rows of the plan */
function planByGroup(plan: ColumnTable, by: string, points: readonly PlanPoint[]): PlanOfGroup {
  const names = plan.columnNames();
  if (!names.includes(by)) {
    throw new ArgumentError(`progress(): the plan has no column ${showValue(by)}, which \`by\` needs.`, {
      hint: `Add the column to the plan: date, value and ${showValue(by)}. It has: ${names.join(", ")}.`,
      facts: { option: "plan", by },
    });
  }
  const dictionary = new ValueDictionary();
  const codeOf = (value: unknown) => dictionary.code(value instanceof Date ? value.toISOString() : value);
  const parts = new Map<number, PlanPoint[]>();
  for (const [row, point] of points.entries()) {
    const code = codeOf(plan.get(by, row) ?? null);
    const part = parts.get(code) ?? [];
    part.push(point);
    parts.set(code, part);
  }
  const lines = new Map([...parts].map(([code, part]) => [code, planOfPoints(part)]));
  return (group) => lines.get(codeOf(group));
}
