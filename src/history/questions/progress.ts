import type { ColumnTable } from "arquero";
import { firstOf } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { dateOf, formatInstant } from "../../core/instant.js";
import { anything, list, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { presentRows } from "../cell/present-rows.js";
import { limitOf } from "../cell/time-limit.js";
import { valuesAt } from "../cell/values-at.js";
import { constantColumn, constantNames } from "../columns/added-columns.js";
import { chooseColumn, propertyNames } from "../columns/choose-columns.js";
import { creditRules, readCredits } from "../columns/credits.js";
import { compareValues, stepOrder } from "../columns/step-order.js";
import type { ValuePlaces } from "../columns/value-places.js";
import { weightRules } from "../columns/weights.js";
import { ValueDictionary } from "../log/change-log.js";
import { type CalendarOption, calendarRule, type DayUnit, dayUnit, givenCalendar } from "../time/time-unit.js";
import type { TimeLimit, TimePoint } from "../time/valid-time.js";
import { type Plan, planFits } from "./against-plan.js";
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
} from "./done-counts.js";
import { FEWEST_WEEKS } from "./forecast.js";
import { simulate, weeksAt } from "./monte-carlo.js";
import {
  dueAt,
  type PlanLine,
  type PlanPoint,
  placedLine,
  plannedAt,
  plannedFor,
  planOfDates,
  planOfPoints,
  planPoints,
} from "./plan-line.js";
import { specify } from "./specification.js";

/** Options of `history.progress()`. */
export interface ProgressOptions extends DoneOptions, CalendarOption {
  /** The values that features go through, first to last; the first has earned nothing and is no start. By default those of the credits. */
  readonly stages?: readonly unknown[];
  /**
   * When how much is to be done: a table of `date` and `value`, with `by` also of the column of that name, or the name of a
   * column of planned dates.
   */
  readonly plan?: Plan;
  /** What rows are of: a base field, a property as of `at`, or a column that `derive()` added. One row if absent. */
  readonly by?: string;
  /** The day of the report; `until` of the history if absent. A calendar date counts to its end. */
  readonly at?: TimePoint;
  /** The day of the report before, of which `change` is. */
  readonly since?: TimePoint;
}

/** What it takes. */
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

/** How far the work is: a row for each group. */
export interface ProgressTable extends ColumnTable {
  /**
   * By group and stage: the group, `stage`, `quantity` (what is at that stage), `reached` (at that one or a later one),
   * `percent` of what there is.
   */
  readonly stages: ColumnTable;
  /** Features without a weight, groups without a plan, plans of another size, logs that are too short for a prediction. */
  readonly findings: readonly Finding[];
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * How far the work is at a day, a row for each group: `features`, `contracted`, `unit` (of weights null where nobody says
     * it), `earned`, `percent`, `change` (earned since the report before), `planned`, `sv` (earned − planned), `spi` (earned ÷
     * planned), `es` (when the plan was where the work is), `sv_days`, `spi_time`, `baseline_start`, `baseline_end`,
     * `actual_start`, `actual_end`, `p50` and `p80` (when all is done if weeks go on as the last 26 did). null where it cannot be
     * told. With a `calendar` a plan goes on in working time alone, `sv_days` are working days, `spi_time` is of working time,
     * and weeks are of working days, as many as a week without holidays has.
     *
     * @param column name of the property column of the stages
     * @throws ArgumentError also for stages that no feature ever had, and a plan without the column of the groups
     */
    progress(column: string, options: ProgressOptions): ProgressTable;
  }
}

export const progressSpecification = specify({
  summary: "How far the work is at a day, against its plan, and when all is done.",
  takes: ["column"],
  options: progressRules,
  time: (_: string, options?: ProgressOptions) => options?.at,
  parts: ["stages"],
  memory: (data, column: string, options: ProgressOptions = {}) => {
    const table = progress(data, column, options);
    return { table, findings: table.findings };
  },
});

/** Trials of a prediction: two dates need fewer than a fan. */
const TRIALS = 2000;
/** The last weeks that are drawn from, at most. */
const WEEKS = 26;
/** A trial that is not done in ten years is taken for one that never is. */
const MOST_WEEKS = 520;

/** How far the work is. */
function progress(data: HistoryData, name: string, options: ProgressOptions): ProgressTable {
  const column = chooseColumn(data.names, name);
  const at = limitOf(data, options.at === undefined ? {} : { until: options.at });
  const since = reportBefore(data, options, at);
  const order = stageOrder(data, column, options);
  const { credits, done = order?.last } = options;
  const asked = { ...options, ...(credits ? {} : { done: done ?? [] }) };
  const earning = readEarning(data, "progress()", column, asked, at.lastUs);
  const groups = groupsAt(data, options.by, at.lastUs);
  const working = givenCalendar(options);
  const units = { day: dayUnit(working), week: weekUnit(working) };
  const plans = plansOf(data, options, groups, { earning, us: at.lastUs });
  const started = order && { share: (value: unknown) => Number((order.places.of(value) ?? 0) > 0), weights: undefined };
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

/** @throws ArgumentError for a report before that is later than the report */
function reportBefore(data: HistoryData, { since, at }: ProgressOptions, { lastUs }: TimeLimit): TimeLimit | undefined {
  if (since === undefined) return undefined;
  const limit = limitOf(data, { until: since });
  if (limit.lastUs <= lastUs) return limit;
  const day = at === undefined ? formatInstant(lastUs) : showValue(at);
  throw new ArgumentError(`since is ${showValue(since)}, after the day of the report: ${day}.`, {
    hint: "since is the day of the report before: give an earlier one, or a later `at`.",
    facts: { option: "since" },
  });
}

/** The stages in order, the last of which means done. */
interface StageOrder {
  readonly stages: readonly unknown[];
  readonly places: ValuePlaces;
  readonly last: unknown;
}

function stageOrder(data: HistoryData, column: number, { stages, credits }: ProgressOptions): StageOrder | undefined {
  const read = readCredits(credits);
  const listed = stages ?? read?.stages.toSorted(([, a], [, b]) => a - b).map(([stage]) => stage);
  if (listed === undefined) return undefined;
  if (listed.length === 0) {
    throw new ArgumentError("stages names no stage.", {
      hint: 'Give them first to last: { stages: ["OPEN", "DONE"] }.',
    });
  }
  const places = stepOrder(data.columns[column] as PropertyColumn, listed, data.everLogged(column));
  return { stages: listed, places, last: listed.at(-1) };
}

/** The features of a row of the answer. */
interface Group {
  readonly value: unknown;
  /** By row. */
  readonly isIn: (row: number) => boolean;
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

/** What the features of a group earn, and all others nothing. */
function masked(
  earning: Omit<Earning, "findings">,
  isIn: Group["isIn"],
  { features }: HistoryData,
): Omit<Earning, "findings"> {
  const byRow = Float64Array.from(features.rows, (row) => (isIn(row) ? quantityOf(earning, row) : 0));
  return { share: earning.share, weights: earning.weights, byRow };
}

/** The plan of a group; undefined where there is none. */
type PlanOfGroup = (group: unknown) => PlanLine | undefined;

function plansOf(
  data: HistoryData,
  { plan, by }: ProgressOptions,
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
      const line = planOfDates(planned, data.timeZone, (place) => quantityOf(earning, rows[place] as number));
      return [value, line] as const;
    }),
  );
  return (group) => lines.get(group);
}

/** @param points the rows of the plan */
function planByGroup(plan: ColumnTable, by: string, points: readonly PlanPoint[]): PlanOfGroup {
  const names = plan.columnNames();
  if (!names.includes(by)) {
    throw new ArgumentError(`The plan has no column ${showValue(by)}, by which progress is grouped.`, {
      hint: `Give a plan of each: a table of date, value and ${showValue(by)}; it has ${names.join(", ")}.`,
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
  /** Whether there is more to do, and too short a log to tell when it is done. */
  readonly isShort: boolean;
}

interface GroupProgress {
  readonly counts: DoneCounts;
  /** The features that have left the first stage. */
  readonly begun: DoneCounts;
  readonly line: PlanLine | undefined;
  readonly at: TimeLimit;
  readonly since: TimeLimit | undefined;
  /** What days and weeks are. */
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
    // Whatever has earned is more than nothing.
    actualStartUs: known(begun.reached(Number.MIN_VALUE)),
    actualEndUs: isDone ? known(counts.reached(contracted)) : null,
    predictedUs:
      isDone || isShort || contracted === 0 ? [null, null] : predicted(throughput, { earned, contracted }, asked),
    isShort,
  };
}

/** Earned schedule: when the plan was where the work is, and how far that is from the day of the report. */
function scheduleOf(
  earned: number,
  { line: dated, counts, at: { endUs: atUs }, units: { day } }: GroupProgress,
): Pick<ProgressRow, "esUs" | "svDays" | "spiTime" | "startUs" | "endUs"> {
  const whole = dated?.values.at(-1);
  if (!dated || whole === undefined) return { esUs: null, svDays: null, spiTime: null, startUs: null, endUs: null };
  const [startUs, endUs] = [beginning(dated), plannedFor(dated, whole) as number];
  // Once the whole plan is done, time stands still.
  const isWhole = earned >= whole;
  const nowUs = isWhole ? Math.min(counts.reached(whole), atUs) : atUs;
  // By how far times are from now: a plan goes on evenly in working time.
  const es = isWhole ? day.length(nowUs, endUs) : dueAt(placedLine(dated, nowUs, day), earned, nowUs) - nowUs;
  const start = startUs === null ? 0 : day.length(nowUs, startUs);
  const spiTime = start < 0 ? (es - start) / -start : null;
  const esUs = isWhole ? endUs : day.after(nowUs, es);
  return { esUs, svDays: es / day.whole, spiTime, startUs, endUs };
}

/** The time from which on a plan asks for something; null if it never does. */
function beginning({ us, values }: PlanLine): number | null {
  const first = values.findIndex((value) => value > 0);
  if (first < 0) return null;
  return (us[first - 1] ?? us[first]) as number;
}

/** When half and four of five trials are done. */
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

/** What is at a stage. */
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
  { stages, places }: StageOrder,
  groups: readonly Group[],
  { earning, us }: { readonly earning: Earning; readonly us: number },
): readonly StageRow[] {
  const { features } = data;
  const values = valuesAt(data, column, features.rows, us, false);
  const present = presentRows(data, us);
  const placeOf = Int32Array.from(features.rows, (row) => places.of(values.at(row)) ?? -1);
  return groups.flatMap(({ value: group, isIn }) => {
    const amounts = stages.map(() => 0);
    let whole = 0;
    for (const row of present) {
      if (!isIn(row)) continue;
      const weight = quantityOf(earning, row);
      const place = placeOf[row] as number;
      whole += weight;
      if (place >= 0) amounts[place] = (amounts[place] as number) + weight;
    }
    return stages.map((stage, place) => {
      const reached = cutDigits(amounts.slice(place).reduce((sum, amount) => sum + amount, 0));
      const quantity = cutDigits(amounts[place] as number);
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
  { weights, findings }: Earning,
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
  return Object.assign(table, { stages: stageTable, findings: [...findings, ...rowFindings(rows)] });
}

function rowFindings(rows: readonly ProgressRow[]): readonly Finding[] {
  const isPlanned = rows.some(({ line }) => line !== undefined);
  const finding = (
    code: Finding["code"],
    isFound: (row: ProgressRow) => unknown,
    message: (count: string, named: string) => string,
  ): readonly Finding[] => {
    const found = rows.flatMap((row, index) => (isFound(row) ? [index] : []));
    if (found.length === 0) return [];
    const named = `${found.length === 1 ? "row" : "rows"} ${firstOf(found.map(String), 5)}`;
    const count = `${found.length} of ${rows.length} rows`;
    return [{ code, message: message(count, named), count: found.length, facts: { rows: found } }];
  };
  return [
    ...finding(
      "empty-plan",
      ({ line }) => isPlanned && !line?.us.length,
      (count, named) => `Nothing is planned for ${count}: ${named}.`,
    ),
    ...finding(
      "plan-size",
      ({ line, contracted }) => line && !planFits(line, contracted),
      (count, named) => `The plan of ${count} is of more than twice, or less than half, of what there is: ${named}.`,
    ),
    ...finding(
      "short-log",
      ({ isShort }) => isShort,
      (count, named) => `No prediction for ${count}, whose logs have fewer than ${FEWEST_WEEKS} whole weeks: ${named}.`,
    ),
  ];
}
