import type { ColumnTable } from "arquero";
import { firstOf } from "../../core/counted.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { formatInstant } from "../../core/format/format-date.js";
import { dateOf } from "../../core/instant.js";
import { anything, list, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { withEstimates } from "../../tables/column/column-format.js";
import { toTable } from "../../tables/column/table.js";
import { censoringTime } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { presentRows } from "../cell/present-rows.js";
import { valuesAt } from "../cell/values-at.js";
import { constantColumn, constantNames } from "../columns/added-columns.js";
import { chooseColumn, propertyNames } from "../columns/choose-columns.js";
import { creditRules, readCredits } from "../columns/credits.js";
import { compareValues, stepOrder, type ValueRanks } from "../columns/step-order.js";
import { weightRules } from "../columns/weights.js";
import { ValueDictionary } from "../log/change-log.js";
import { type CalendarOption, calendarRule, type DayUnit, dayUnit, givenCalendar } from "../time/time-unit.js";
import type { TimeLimit, TimePoint } from "../time/valid-time.js";
import { specify } from "./define/specification.js";
import { FEWEST_WEEKS } from "./forecast.js";
import {
  cutDigits,
  type DoneCounts,
  type DoneOptions,
  doneCounts,
  doneRule,
  type Earning,
  quantityOf,
  readEarning,
  type WeekUnit,
  weeklyThroughput,
  weekUnit,
} from "./memory/done-counts.js";
import { simulate, weeksAt } from "./memory/monte-carlo.js";
import { dueAt, type Group, type PlanLine, placedLine, plannedAt, plannedFor, plansOf } from "./memory/plan-line.js";
import { type Plan, planFits } from "./plan-variance.js";

/** Options of `history.progress()`. */
export interface ProgressOptions extends DoneOptions, CalendarOption {
  /**
   * The stages of features, first to last. The first one earns nothing and does not count as started. Default: the
   * stages of the credits.
   */
  readonly stages?: readonly unknown[];
  /**
   * The plan: a table of `date` and `value` (with `by`, also of the column of that name), or the name of a column of
   * planned dates.
   */
  readonly plan?: Plan;
  /**
   * The column to group rows by: a base field, a property as of `at`, or a column added with `derive()`. Default: one
   * row for all features.
   */
  readonly by?: string;
  /** Date of the report. Default: `until` of the history. A calendar date counts to its end. */
  readonly at?: TimePoint;
  /** Date of the previous report, for `change`. */
  readonly since?: TimePoint;
}

/** Rules for the options. */
export const progressRules: OptionRules<ProgressOptions> = {
  done: doneRule,
  ...weightRules,
  ...creditRules,
  stages: list,
  plan: anything,
  by: text,
  at: anything,
  since: anything,
  calendar: calendarRule,
};

/** Progress of the work: a row for each group. */
export interface ProgressTable extends ColumnTable {
  /**
   * Quantities by group and stage: the group, `stage`, `quantity` (at that stage), `reached` (at that stage or a later
   * one), `percent` of the total.
   */
  readonly stages: ColumnTable;
  /**
   * Diagnostics: features without a weight, groups without a plan, plans of a different size, logs that are too short
   * for a forecast.
   */
  readonly diagnostics: readonly Diagnostic[];
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the progress of the work on a day, one row per group: `features`, `contracted`, `unit` (null for weights
     * without a unit), `earned`, `percent`, `change` (earned since the previous report), `planned`, `sv` (earned −
     * planned), `spi` (earned ÷ planned), `es` (earned schedule: when the plan had the earned amount), `sv_days`,
     * `spi_time`, `baseline_start`, `baseline_end`, `actual_start`, `actual_end`, `p50` and `p80` (forecast completion
     * dates if future weeks resemble the last 26). Unknown values are null.
     *
     * With `calendar`, a plan progresses in working time only, `sv_days` are working days, `spi_time` uses working
     * time, and weeks have as many working days as a week without holidays.
     *
     * @param column name of the property column of the stages
     * @example
     * ```ts
     * const stages = ["PLANNED", "EXCAVATED", "CABLE_LAID", "BACKFILLED"];
     * const options = { stages, by: "Trench type", plan: "Planned finish", at: "2024-03-31" };
     * const report = trenchHistory.progress("STATUS", options);
     * report.select("Trench type", "contracted", "earned", "planned", "spi", "sv_days")
     * ```
     * @throws ArgumentError also for stages that no feature ever had, and for a plan without the column of the groups
     */
    progress(column: string, options: ProgressOptions): ProgressTable;
  }
}

export const progressSpecification = specify({
  summary: "Progress on a date against the plan, with the forecast of the end.",
  takes: ["column"],
  options: progressRules,
  time: (_: string, options?: ProgressOptions) => options?.at,
  parts: ["stages"],
  memory: (data, column: string, options: ProgressOptions = {}) => {
    const table = progress(data, column, options);
    return { table, diagnostics: table.diagnostics };
  },
});

/** Number of simulations: two dates need fewer than a fan. */
const TRIALS = 2000;
/** Maximum number of past weeks to draw from. */
const WEEKS = 26;
/** A simulation that is not done within ten years counts as never done. */
const MOST_WEEKS = 520;

/** Computes the progress of the work. */
function progress(data: HistoryData, name: string, options: ProgressOptions): ProgressTable {
  const column = chooseColumn(data.names, name);
  const at = censoringTime(data, options.at === undefined ? {} : { until: options.at });
  const since = reportBefore(data, options, at);
  const order = stageOrder(data, column, options);
  const { credits, done = order?.last } = options;
  const requested = { ...options, ...(credits ? {} : { done: done ?? [] }) };
  const earning = readEarning(data, "progress()", column, requested, at.lastUs);
  const groups = groupsAt(data, options.by, at.lastUs);
  const working = givenCalendar(options);
  const units = { day: dayUnit(working), week: weekUnit(working) };
  const plans = plansOf(data, options, groups, { earning, us: at.lastUs });
  const started = order && { share: (value: unknown) => Number((order.ranks.of(value) ?? 0) > 0), weights: undefined };
  const present = presentRows(data, at.lastUs);
  const rows = groups.map(({ value, isIn }) => {
    const counts = doneCounts(data, column, masked(earning, isIn, data));
    const begun = started ? doneCounts(data, column, masked({ ...started, byRow: undefined }, isIn, data)) : counts;
    return progressOf(value, {
      counts,
      begun,
      line: plans(value),
      at,
      since,
      units,
      features: present.filter(isIn).length,
    });
  });
  const stages = order ? stageRows(data, column, order, groups, { earning, us: at.lastUs }) : [];
  return progressTable(options.by, rows, stages, earning);
}

/** @throws ArgumentError if the previous report is later than the report */
function reportBefore(data: HistoryData, { since, at }: ProgressOptions, { lastUs }: TimeLimit): TimeLimit | undefined {
  if (since === undefined) return undefined;
  const limit = censoringTime(data, { until: since });
  if (limit.lastUs <= lastUs) return limit;
  const day = at === undefined ? formatInstant(lastUs) : showValue(at);
  throw new ArgumentError(`progress(): \`since\` is ${showValue(since)}, after the date of the report, ${day}.`, {
    hint: "Set `since` to the date of the previous report, or use a later `at`.",
    facts: { option: "since" },
  });
}

/** The stages in order; the last one means done. */
interface StageOrder {
  readonly stages: readonly unknown[];
  readonly ranks: ValueRanks;
  readonly last: unknown;
}

function stageOrder(data: HistoryData, column: number, { stages, credits }: ProgressOptions): StageOrder | undefined {
  const read = readCredits(credits);
  const listed = stages ?? read?.stages.toSorted(([, a], [, b]) => a - b).map(([stage]) => stage);
  if (listed === undefined) return undefined;
  if (listed.length === 0) {
    throw new ArgumentError("progress(): `stages` is empty.", {
      hint: 'List them in order: { stages: ["OPEN", "DONE"] }.',
    });
  }
  const ranks = stepOrder(data.columns[column] as PropertyColumn, listed, data.everLogged(column));
  return { stages: listed, ranks, last: listed.at(-1) };
}

/** Only groups that have features then. */
function groupsAt(data: HistoryData, by: string | undefined, us: number): readonly Group[] {
  if (by === undefined) return [{ value: null, isIn: () => true }];
  const { rows } = data.features;
  const values =
    constantColumn(data, by) ?? valuesAt(data, chooseColumn(data.names, by, constantNames(data)), rows, us, false);
  const dictionary = new ValueDictionary();
  const codes = Int32Array.from(rows, (row) => dictionary.code(values.at(row) ?? null));
  const there = new Set(presentRows(data, us).map((row) => codes[row] as number));
  return [...there]
    .map((code): Group => ({ value: dictionary.values[code], isIn: (row) => codes[row] === code }))
    .sort((a, b) => compareValues(a.value, b.value));
}

/** What the features of a group earn; other features earn nothing. */
function masked(
  earning: Omit<Earning, "diagnostics">,
  isIn: Group["isIn"],
  { features }: HistoryData,
): Omit<Earning, "diagnostics"> {
  const byRow = Float64Array.from(features.rows, (row) => (isIn(row) ? quantityOf(earning, row) : 0));
  return { share: earning.share, weights: earning.weights, byRow };
}

/** A row of the answer. */
interface ProgressRow {
  readonly group: unknown;
  readonly features: number;
  readonly contracted: number;
  readonly earned: number;
  readonly change: number | null;
  readonly line: PlanLine | undefined;
  readonly planned: number | null;
  readonly esUs: number | null;
  readonly svDays: number | null;
  readonly spiTime: number | null;
  readonly startUs: number | null;
  readonly endUs: number | null;
  readonly actualStartUs: number | null;
  readonly actualEndUs: number | null;
  readonly predictedUs: readonly (number | null)[];
  /** Whether work remains but the log is too short for a forecast. */
  readonly isShort: boolean;
}

interface GroupProgress {
  readonly counts: DoneCounts;
  /** The features that have left the first stage. */
  readonly begun: DoneCounts;
  readonly line: PlanLine | undefined;
  readonly at: TimeLimit;
  readonly since: TimeLimit | undefined;
  /** The lengths of days and weeks. */
  readonly units: { readonly day: DayUnit; readonly week: WeekUnit };
  readonly features: number;
}

function progressOf(group: unknown, asked: GroupProgress): ProgressRow {
  const { counts, begun, line, at, since, units, features } = asked;
  const [earned, contracted] = [counts.done(at.lastUs), counts.present(at.lastUs)];
  const isDone = contracted > 0 && earned >= contracted;
  const throughput = weeklyThroughput(counts, at, WEEKS, units.week);
  const isShort = !isDone && throughput.length < FEWEST_WEEKS;
  const known = (us: number) => (Number.isFinite(us) && us <= at.lastUs ? us : null);
  const planned = line && plannedAt(placedLine(line, at.endUs, units.day), at.endUs);
  return {
    group,
    features,
    contracted,
    earned,
    change: since ? earned - counts.done(since.lastUs) : null,
    line,
    planned: planned ?? null,
    ...scheduleOf(earned, asked),
    // Any earned amount above zero counts.
    actualStartUs: known(begun.reached(Number.MIN_VALUE)),
    actualEndUs: isDone ? known(counts.reached(contracted)) : null,
    predictedUs:
      isDone || isShort || contracted === 0 ? [null, null] : predicted(throughput, { earned, contracted }, asked),
    isShort,
  };
}

/** Earned schedule: when the plan had the earned amount, and how far that is from the day of the report. */
function scheduleOf(
  earned: number,
  { line: dated, counts, at: { endUs: atUs }, units: { day } }: GroupProgress,
): Pick<ProgressRow, "esUs" | "svDays" | "spiTime" | "startUs" | "endUs"> {
  const whole = dated?.values.at(-1);
  if (!dated || whole === undefined) return { esUs: null, svDays: null, spiTime: null, startUs: null, endUs: null };
  const [startUs, endUs] = [beginning(dated), plannedFor(dated, whole) as number];
  // Once the whole plan is done, the schedule variance no longer changes.
  const isWhole = earned >= whole;
  const nowUs = isWhole ? Math.min(counts.reached(whole), atUs) : atUs;
  // Distances of times from now: a plan progresses evenly in working time.
  const es = isWhole ? day.length(nowUs, endUs) : dueAt(placedLine(dated, nowUs, day), earned, nowUs) - nowUs;
  const start = startUs === null ? 0 : day.length(nowUs, startUs);
  const spiTime = start < 0 ? (es - start) / -start : null;
  const esUs = isWhole ? endUs : day.after(nowUs, es);
  return { esUs, svDays: es / day.whole, spiTime, startUs, endUs };
}

/** The time from which a plan has work; null if never. */
function beginning({ us, values }: PlanLine): number | null {
  const first = values.findIndex((value) => value > 0);
  if (first < 0) return null;
  return (us[first - 1] ?? us[first]) as number;
}

/** When 50 % and 80 % of the simulations are done. */
function predicted(
  throughput: readonly number[],
  { earned, contracted }: { readonly earned: number; readonly contracted: number },
  { at, units: { week } }: GroupProgress,
): readonly (number | null)[] {
  const trials = { trials: TRIALS, seed: 1, most: MOST_WEEKS, fan: "last" } as const;
  const { weeks } = simulate({ throughput, done: earned, total: contracted, ...trials });
  return [0.5, 0.8].map((level) => {
    const count = weeksAt(weeks, level);
    return Number.isFinite(count) ? week.after(at.endUs, count) : null;
  });
}

/** The quantity at a stage. */
interface StageRow {
  readonly group: unknown;
  readonly stage: unknown;
  readonly quantity: number;
  readonly reached: number;
  readonly percent: number;
}

function stageRows(
  data: HistoryData,
  column: number,
  { stages, ranks }: StageOrder,
  groups: readonly Group[],
  { earning, us }: { readonly earning: Earning; readonly us: number },
): readonly StageRow[] {
  const { features } = data;
  const values = valuesAt(data, column, features.rows, us, false);
  const present = presentRows(data, us);
  const placeOf = Int32Array.from(features.rows, (row) => ranks.of(values.at(row)) ?? -1);
  return groups.flatMap(({ value: group, isIn }) => {
    const amounts = stages.map(() => 0);
    let whole = 0;
    for (const row of present) {
      if (!isIn(row)) continue;
      const weight = quantityOf(earning, row);
      const index = placeOf[row] as number;
      whole += weight;
      if (index >= 0) amounts[index] = (amounts[index] as number) + weight;
    }
    return stages.map((stage, index) => {
      const reached = cutDigits(amounts.slice(index).reduce((sum, amount) => sum + amount, 0));
      const quantity = cutDigits(amounts[index] as number);
      return { group, stage, quantity, reached, percent: percent(reached, cutDigits(whole)) };
    });
  });
}

function percent(part: number, whole: number): number {
  return whole > 0 ? (100 * part) / whole : 0;
}

const ownColumns = [
  "features",
  "contracted",
  "unit",
  "earned",
  "percent",
  "change",
  "planned",
  "sv",
  "spi",
  "es",
  "sv_days",
  "spi_time",
];
const dateColumns = ["baseline_start", "baseline_end", "actual_start", "actual_end", "p50", "p80"];
const stageColumns = ["stage", "quantity", "reached", "percent"];

function progressTable(
  by: string | undefined,
  rows: readonly ProgressRow[],
  stages: readonly StageRow[],
  { weights, diagnostics }: Earning,
): ProgressTable {
  const [group] = by === undefined ? [] : propertyNames([by], [...ownColumns, ...dateColumns, ...stageColumns]);
  const of = <Row extends { readonly group: unknown }>(all: readonly Row[]) =>
    group === undefined ? [] : [[group, all.map((row) => row.group)] as const];
  const date = (us: number | null) => (us === null ? null : dateOf(us));
  const unit = !weights ? "features" : weights.isUnitKnown ? weights.unit : null;
  const table = toTable([
    ...of(rows),
    ["features", rows.map(({ features }) => features)],
    ["contracted", rows.map(({ contracted }) => contracted)],
    ["unit", rows.map(() => unit)],
    ["earned", rows.map(({ earned }) => earned)],
    ["percent", rows.map(({ earned, contracted }) => percent(earned, contracted))],
    ["change", rows.map(({ change }) => change)],
    ["planned", rows.map(({ planned }) => planned)],
    ["sv", rows.map(({ earned, planned }) => (planned === null ? null : earned - planned))],
    ["spi", rows.map(({ earned, planned }) => (planned ? earned / planned : null))],
    ["es", rows.map(({ esUs }) => date(esUs))],
    ["sv_days", rows.map(({ svDays }) => svDays)],
    ["spi_time", rows.map(({ spiTime }) => spiTime)],
    ["baseline_start", rows.map(({ startUs }) => date(startUs))],
    ["baseline_end", rows.map(({ endUs }) => date(endUs))],
    ["actual_start", rows.map(({ actualStartUs }) => date(actualStartUs))],
    ["actual_end", rows.map(({ actualEndUs }) => date(actualEndUs))],
    ["p50", rows.map(({ predictedUs }) => date(predictedUs[0] ?? null))],
    ["p80", rows.map(({ predictedUs }) => date(predictedUs[1] ?? null))],
  ]);
  const stageTable = toTable([
    ...of(stages),
    ["stage", stages.map(({ stage }) => stage)],
    ["quantity", stages.map(({ quantity }) => quantity)],
    ["reached", stages.map(({ reached }) => reached)],
    ["percent", stages.map((row) => row.percent)],
  ]);
  return Object.assign(withEstimates(table, ["es", "p50", "p80"]), {
    stages: stageTable,
    diagnostics: [...diagnostics, ...rowDiagnostics(rows)],
  });
}

function rowDiagnostics(rows: readonly ProgressRow[]): readonly Diagnostic[] {
  const isPlanned = rows.some(({ line }) => line !== undefined);
  const diagnostic = (
    code: Diagnostic["code"],
    isFound: (row: ProgressRow) => unknown,
    message: (count: string, named: string) => string,
  ): readonly Diagnostic[] => {
    const found = rows.flatMap((row, index) => (isFound(row) ? [index] : []));
    if (found.length === 0) return [];
    const named = `${found.length === 1 ? "row" : "rows"} ${firstOf(found.map(String), 5)}`;
    const count = `${found.length} of ${rows.length} rows`;
    return [withSeverity({ code, message: message(count, named), count: found.length, facts: { rows: found } })];
  };
  return [
    ...diagnostic(
      "plan-empty",
      ({ line }) => isPlanned && !line?.us.length,
      (count, named) => `${count} have an empty plan: ${named}.`,
    ),
    ...diagnostic(
      "plan-size-differs",
      ({ line, contracted }) => line && !planFits(line, contracted),
      (count, named) => `${count} have a plan of more than twice or less than half of the total: ${named}.`,
    ),
    ...diagnostic(
      "log-too-short",
      ({ isShort }) => isShort,
      (count, named) =>
        `${count} have no prediction, because their logs have fewer than ${FEWEST_WEEKS} whole weeks: ${named}.`,
    ),
  ];
}
