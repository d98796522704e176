import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import { dateOf } from "../../core/instant.js";
import { anything, type OptionRules } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { presentRows } from "../cell/present-rows.js";
import { limitOf } from "../cell/time-limit.js";
import { valuesAt } from "../cell/values-at.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { creditRules } from "../columns/credits.js";
import { amountText, type Weights, weightRules } from "../columns/weights.js";
import { type CalendarOption, calendarRule, dayUnit, givenCalendar, type TimeUnit } from "../time/time-unit.js";
import type { TimePoint } from "../time/valid-time.js";
import { type DoneOptions, doneCounts, doneRule, readEarning, totalRule } from "./done-counts.js";
import { dueAt, type PlanLine, placedLine, plannedAt, plannedFor, planOfDates, planOfTable } from "./plan-line.js";
import { specify } from "./specification.js";

/**
 * A table of `date` and `value`, the features (or with a weight the quantity) that are to be done by then in all, so that it
 * does not fall, or the name of a column of planned dates.
 */
export type Plan = ColumnTable | string;

/** Options of `history.againstPlan()`. */
export interface PlanOptions extends DoneOptions, CalendarOption {
  /** The plan. Planned dates are those of the time that is asked about. */
  readonly plan: Plan;
  /** The features, or with a weight the quantity, that are 100 %; by default those that there are. */
  readonly total?: number;
  /** The time that is asked about; `until` of the history if absent. A calendar date counts to its end. */
  readonly until?: TimePoint;
}

/** What it takes. */
const planRules: OptionRules<PlanOptions> = {
  done: doneRule,
  ...weightRules,
  ...creditRules,
  plan: anything,
  total: totalRule,
  until: anything,
  calendar: calendarRule,
};

/** How far a plan and what was done are apart: one row. */
export interface PlanVariance extends ColumnTable {
  /** The plan as it was read: `date`, `value`. */
  readonly plan: ColumnTable;
  /** Of `done`, `planned` and `total`: that of the weights, else `features`. */
  readonly unit: string;
  /** A plan without rows or of another size, features without a planned date or a weight, a time after the log was read. */
  readonly findings: readonly Finding[];
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * What was done beside what was planned, one row: `date`, `done`, `planned`, `total`, `percent_done`,
     * `percent_planned`, `variance_percent` and `variance_days` (above 0: ahead of the plan). With `weight` they are quantities,
     * each feature with its weight at the time that is asked about; with `credits` `done` is what the stages have earned. With
     * a `calendar` a plan goes on in working time alone, and the days are working days.
     *
     * @param column name of a property column
     * @throws ArgumentError also for what is no plan
     */
    againstPlan(column: string, options: PlanOptions): PlanVariance;
  }
}

export const againstPlanSpecification = specify({
  summary: "What was done beside what was planned.",
  takes: ["column"],
  options: planRules,
  time: (_: string, options?: PlanOptions) => options?.until,
  parts: ["plan"],
  facts: ["unit"],
  memory: (data, column: string, options: PlanOptions = NOTHING) => {
    const table = againstPlan(data, column, options);
    return { table, findings: table.findings };
  },
});

/** Compares what was done with a plan. */
export function againstPlan(data: HistoryData, name: string, options: PlanOptions = NOTHING): PlanVariance {
  const column = chooseColumn(data.names, name);
  const { lastUs, endUs: atUs } = limitOf(data, options);
  const earning = readEarning(data, "againstPlan()", column, options, lastUs);
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

/** Stands for options that a caller without a compiler left out; what they lack is said then. */
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

/** What was done at a time. */
export interface Progress {
  readonly atUs: number;
  readonly done: number;
  readonly total: number;
  /** When as much was done as the whole plan asks for; Infinity if it never was. */
  readonly wholeUs: number;
  readonly unit: TimeUnit;
  /** Whether the plan is a table, which may be of something else than the features. */
  readonly isTable: boolean;
  /** Undefined where features are counted. */
  readonly weights: Pick<Weights, "unit"> | undefined;
  /** What to know of what was done. */
  readonly findings: readonly Finding[];
}

/**
 * A plan beside what was done. The days are those of an earned schedule: how much later or earlier than now the plan is
 * where the work is, 0 where as much is done as is planned. They stand still once the whole plan is done.
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
    findings: [...emptyFinding(line), ...sizeFinding(line, progress), ...unplannedFinding(line), ...progress.findings],
  });
}

/** A plan of more than so many times what there is, or of less than that part of it, is of something else. */
const MOST_TIMES = 2;

/** Whether a plan comes to about as much as there is. */
export function planFits({ values }: PlanLine, total: number): boolean {
  const whole = values.at(-1);
  return whole === undefined || total <= 0 || (whole <= MOST_TIMES * total && whole * MOST_TIMES >= total);
}

function sizeFinding(line: PlanLine, { total, weights, isTable }: Progress): readonly Finding[] {
  const whole = line.values.at(-1);
  if (!isTable || whole === undefined || planFits(line, total)) return [];
  const unit = weights?.unit ?? "features";
  const hint = weights
    ? "Is it in another unit, or of a part?"
    : "Is it a plan of quantities, which needs a weight, or of a part?";
  const message = `The plan comes to ${amountText(whole)}, and what it is compared with to ${amountText(total)} ${unit}. ${hint}`;
  return [{ code: "plan-size", message, facts: { plan: whole, total, unit } }];
}

function emptyFinding({ us, unplanned }: PlanLine): readonly Finding[] {
  if (us.length > 0 || unplanned > 0) return [];
  return [{ code: "empty-plan", message: "The plan has no rows: nothing is planned, and no days can be told." }];
}

function unplannedFinding({ unplanned }: PlanLine): readonly Finding[] {
  if (unplanned === 0) return [];
  const have = unplanned === 1 ? "feature has" : "features have";
  return [{ code: "unplanned", message: `${showValue(unplanned)} ${have} no planned date.`, count: unplanned }];
}
