import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { formatNumber } from "../../core/format/format-number.js";
import { dateOf } from "../../core/instant.js";
import { anything, type OptionRules } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { toTable } from "../../tables/column/table.js";
import { censoringTime } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { presentRows } from "../cell/present-rows.js";
import { valuesAt } from "../cell/values-at.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { creditRules } from "../columns/credits.js";
import { type Weights, weightRules } from "../columns/weights.js";
import { type CalendarOption, calendarRule, dayUnit, givenCalendar, type TimeUnit } from "../time/time-unit.js";
import type { TimePoint } from "../time/valid-time.js";
import { specify } from "./define/specification.js";
import { type DoneOptions, doneCounts, doneRule, readEarning, totalRule } from "./memory/done-counts.js";
import {
  dueAt,
  type PlanLine,
  placedLine,
  plannedAt,
  plannedFor,
  planOfDates,
  planOfTable,
} from "./memory/plan-line.js";

/**
 * A table of `date` and `value` (the cumulative number of features, or with a weight the cumulative quantity, planned
 * by that date; it must not fall), or the name of a column of planned dates.
 */
export type Plan = ColumnTable | string;

/** Options of `history.planVariance()`. */
export interface PlanOptions extends DoneOptions, CalendarOption {
  /** The plan. Planned dates are read as of `until`. */
  readonly plan: Plan;
  /** Number of features, or with a weight the quantity, that counts as 100 %. Default: all features. */
  readonly total?: number;
  /** The time of the comparison. Default: `until` of the history. A calendar date counts to its end. */
  readonly until?: TimePoint;
}

/** Rules for the options. */
const planRules: OptionRules<PlanOptions> = {
  done: doneRule,
  ...weightRules,
  ...creditRules,
  plan: anything,
  total: totalRule,
  until: anything,
  calendar: calendarRule,
};

/** Difference between a plan and the work done: one row. */
export interface PlanVariance extends ColumnTable {
  /** The plan as it was read: `date`, `value`. */
  readonly plan: ColumnTable;
  /** Unit of `done`, `planned` and `total`: the unit of the weights, or `features`. */
  readonly unit: string;
  /**
   * Diagnostics: a plan without rows or of a different size, features without a planned date or a weight, a time after
   * the log was read.
   */
  readonly diagnostics: readonly Diagnostic[];
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the work done compared with the plan, as one row: `date`, `done`, `planned`, `total`, `percent_done`,
     * `percent_planned`, `variance_percent` and `variance_days` (above 0: ahead of the plan).
     *
     * With `weight`, these are quantities: each feature counts with its weight at `until`. With `credits`, `done` is
     * the value earned by the stages. With `calendar`, the plan progresses in working time only, and days are working
     * days.
     *
     * @param column name of a property column
     * @example
     * ```ts
     * const options = { done: "BACKFILLED", plan: "Planned finish", until: "2024-03-31" };
     * trenchHistory.planVariance("STATUS", options).select("done", "planned", "total", "variance_days")
     * ```
     * @throws ArgumentError also for an invalid plan
     */
    planVariance(column: string, options: PlanOptions): PlanVariance;
  }
}

export const planVarianceSpecification = specify({
  summary: "Done against planned values, with the variance.",
  takes: ["column"],
  options: planRules,
  time: (_: string, options?: PlanOptions) => options?.until,
  parts: ["plan"],
  facts: ["unit"],
  memory: (data, column: string, options: PlanOptions = NOTHING) => {
    const table = planVariance(data, column, options);
    return { table, diagnostics: table.diagnostics };
  },
});

/** Compares the work done with a plan. */
export function planVariance(data: HistoryData, name: string, options: PlanOptions = NOTHING): PlanVariance {
  const column = chooseColumn(data.names, name);
  const { lastUs, endUs: atUs } = censoringTime(data, options);
  const earning = readEarning(data, "planVariance()", column, options, lastUs);
  const line = planLine(data, options.plan, lastUs, earning.byRow);
  const counts = doneCounts(data, column, earning);
  const whole = line.values.at(-1) ?? 0;
  return varianceTable(line, {
    atUs,
    done: counts.done(lastUs),
    total: options.total ?? counts.present(lastUs),
    wholeUs: counts.reached(whole),
    unit: dayUnit(givenCalendar(options)),
    isTable: typeof options.plan !== "string",
    ...earning,
  });
}

/** Used if a caller without a compiler omits the options; the check then reports the missing ones. */
const NOTHING: PlanOptions = { done: [], plan: "" };

function planLine(data: HistoryData, plan: Plan, atUs: number, byRow: Float64Array | undefined): PlanLine {
  if (typeof plan !== "string") return planOfTable(plan, data.timeZone);
  const column = chooseColumn(data.names, plan);
  const rows = presentRows(data, atUs);
  const values = valuesAt(data, column, rows, atUs, false);
  return planOfDates(
    Array.from(rows, (_, entry) => values.at(entry)),
    data.timeZone,
    byRow && ((entry) => byRow[rows[entry] as number] as number),
  );
}

/** The work done at a time. */
export interface Progress {
  readonly atUs: number;
  readonly done: number;
  readonly total: number;
  /** When the amount of the whole plan was done; Infinity if it never was. */
  readonly wholeUs: number;
  readonly unit: TimeUnit;
  /** Whether the plan is a table, which may count something other than the features. */
  readonly isTable: boolean;
  /** Undefined if features are counted. */
  readonly weights: Pick<Weights, "unit"> | undefined;
  /** Diagnostics about the work done. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compares a plan with the work done. Days are those of an earned schedule: how much later or earlier than now the plan
 * reaches the current amount, or 0 if as much is done as is planned. They stop changing once the whole plan is done.
 */
export function varianceTable(dated: PlanLine, progress: Progress): PlanVariance {
  const { atUs, done, total, wholeUs, unit, weights } = progress;
  const line = placedLine(dated, atUs, unit);
  const planned = plannedAt(line, atUs);
  const whole = line.values.at(-1);
  const ahead =
    whole === undefined
      ? undefined
      : done >= whole
        ? (plannedFor(line, whole) as number) - atUs - unit.length(atUs, Math.min(wholeUs, atUs))
        : dueAt(line, done, atUs) - atUs;
  const days = ahead === undefined ? null : ahead / unit.whole;
  const percent = (count: number) => (100 * count) / (total > 0 ? total : 1);
  const table = toTable([
    ["date", [dateOf(atUs)]],
    ["done", [done]],
    ["planned", [planned]],
    ["total", [total]],
    ["percent_done", [percent(done)]],
    ["percent_planned", [percent(planned)]],
    ["variance_percent", [percent(done - planned)]],
    ["variance_days", [days]],
  ]);
  return Object.assign(table, {
    plan: toTable([
      ["date", dated.us.map(dateOf)],
      ["value", [...dated.values]],
    ]),
    unit: weights?.unit ?? "features",
    diagnostics: [
      ...emptyDiagnostic(line),
      ...sizeDiagnostic(line, progress),
      ...unplannedDiagnostic(line),
      ...progress.diagnostics,
    ],
  });
}

/** A plan of more than this many times the total, or of less than the inverse share, probably counts something else. */
const MOST_TIMES = 2;

/** Whether the size of a plan is close to the total. */
export function planFits({ values }: PlanLine, total: number): boolean {
  const whole = values.at(-1);
  return whole === undefined || total <= 0 || (whole <= MOST_TIMES * total && whole * MOST_TIMES >= total);
}

function sizeDiagnostic(line: PlanLine, { total, weights, isTable }: Progress): readonly Diagnostic[] {
  const whole = line.values.at(-1);
  if (!isTable || whole === undefined || planFits(line, total)) return [];
  const unit = weights?.unit ?? "features";
  const hint = weights
    ? "Check its unit, and whether it covers the same features."
    : "If it plans quantities, pass `weight`. Check whether it covers the same features.";
  const message = `The plan ends at ${formatNumber(whole, { decimals: 3 })}, but the total is ${formatNumber(total, { decimals: 3 })} ${unit}. ${hint}`;
  return [withSeverity({ code: "plan-size-differs", message, facts: { plan: whole, total, unit } })];
}

function emptyDiagnostic({ us, unplanned }: PlanLine): readonly Diagnostic[] {
  if (us.length > 0 || unplanned > 0) return [];
  return [
    withSeverity({
      code: "plan-empty",
      message: "The plan has no rows: planned values are 0, and differences in days are null.",
    }),
  ];
}

function unplannedDiagnostic({ unplanned }: PlanLine): readonly Diagnostic[] {
  if (unplanned === 0) return [];
  const have = unplanned === 1 ? "feature has" : "features have";
  return [
    withSeverity({
      code: "feature-unplanned",
      message: `${showValue(unplanned)} ${have} no planned date.`,
      count: unplanned,
    }),
  ];
}
