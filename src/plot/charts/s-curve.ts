import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { formatDay, shownDates } from "../../core/format/format-date.js";
import { formatDays } from "../../core/format/format-duration.js";
import { formatChange, formatCount, formatNumber, formatPercent, withUnit } from "../../core/format/format-number.js";
import { anything, checkOptions, integerFrom, list, type OptionRules } from "../../core/options.js";
import { belowWhole } from "../../core/share.js";
import { showValue } from "../../core/show-value.js";
import { type CreditOptions, creditRules } from "../../history/columns/credits.js";
import { type WeightOptions, weightRules } from "../../history/columns/weights.js";
import { isHistory } from "../../history/is-history.js";
import { chartDate } from "../../history/order/chart-date.js";
import { labels, valueLabel } from "../../history/order/value-label.js";
import { totalRule } from "../../history/questions/memory/done-counts.js";
import { planOfTable } from "../../history/questions/memory/plan-line.js";
import { type Plan, type PlanVariance, varianceTable } from "../../history/questions/plan-variance.js";
import type { Dates } from "../../history/time/date-grid.js";
import { dayUnit } from "../../history/time/time-unit.js";
import { resolveTimePoint, type TimePoint } from "../../history/time/valid-time.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules, widthOf } from "../figure/figure.js";
import { type DataPoint, endLabels, type FreeLabel, freeLabels } from "../figure/place-labels.js";
import { narrowWidth } from "../figure/svg-text.js";
import { silent } from "../tips/extract-tooltips.js";
import { accent, extraColor, orderLabels, valueColours } from "../values/palette.js";
import { captionOf, historyNotes } from "../values/present-note.js";
import { columnWords } from "../values/spoken-options.js";
import { tableRows } from "../values/table-rows.js";
import { MOST_SERIES, mostFrequent, optionOrder } from "../values/value-order.js";
import { type CountsOverTime, countsOverTime, earnedOf, requireHistory } from "./counts-over-time.js";
import { type Earned, type Fan, type FanOptions, forecastFan } from "./forecast-fan.js";
import { requireStages, shareByLabel } from "./validate-stages.js";

/** Options of `sCurve()`. All others are passed to Plot. */
export interface SCurveOptions extends FigureOptions, WeightOptions, CreditOptions {
  /** Stages from first to last; the first has no curve. Default: the order in the definition's options, then in the log. */
  readonly stages?: readonly unknown[];
  /** Dates at which features are counted. Default: days, weeks or months from the first change to `until`. */
  readonly dates?: Dates;
  /** Report date: the plan is compared at this date, and the forecast begins. Default: `until` of the history. */
  readonly until?: TimePoint;
  /**
   * Planned number of features, or quantity with a weight, at the last stage (with credits, earned): a table of `date` and
   * `value`, or the name of a history's column of planned dates. The figure shows the distance from it.
   */
  readonly plan?: Plan;
  /** Number of features, or quantity with a weight, at 100 %. Default: that at the last date. */
  readonly total?: number;
  /** Whether to draw the fan of `history.forecast()` for the last stage, or its options. */
  readonly forecast?: FanOptions;
}

export const sCurveRules: OptionRules<SCurveOptions> = {
  ...figureRules,
  stages: list,
  dates: anything,
  until: anything,
  plan: anything,
  total: totalRule,
  forecast: anything,
  ...weightRules,
  ...creditRules,
};

/**
 * Returns S-curves: the share of features that have reached each stage or a later one, over time. 100 % are the features
 * at the last date. With `weight`, it is the share of a quantity; with `credits`, an additional curve shows the earned
 * amount, and the plan and the forecast refer to it.
 *
 * @param data a history, or a table with `date` and the column, one row per feature or with `count`
 * @param column the property with the stages
 * @throws ArgumentError for invalid options, and for a plan or a forecast of a column of numbers without `stages`
 * @example
 * sCurve(trenchHistory, "STATUS", { stages: ["PLANNED", "EXCAVATED", "CABLE_LAID", "BACKFILLED"], until: "2024-06-30" })
 */
export function sCurve(data: History | Layer | ColumnTable, column: string, options: SCurveOptions = {}): Figure {
  checkOptions("sCurve()", options, sCurveRules);
  const { stages, dates, until, plan, total: totalOption, forecast, weight, unit, credits, ...plotOptions } = options;
  requireHistory("sCurve()", data, until);
  if (weight === undefined && !credits) checkOptions("sCurve()", { total: totalOption }, { total: integerFrom(1) });
  const counts = countsOverTime(data, column, dates, until, { weight, unit });
  const share = shareByLabel(credits, data, column, counts);
  if (stages) requireStages("stages", stages, column, { data, counts });
  const all = stages?.map((stage) => valueLabel(stage)) ?? counts.values.filter((value) => value !== labels.unknown);
  const last = counts.dates.at(-1);
  if (!last)
    return chart(
      { ariaLabel: "Progress without data", provenance: data, title: TITLE, nothing: "No data" },
      plotOptions,
    );
  const total = totalOption ?? counts.total(last);
  const { reached: drawnStages, note } = shownStages(counts, all, stages !== undefined);
  const reached = share ? [...drawnStages, EARNED] : drawnStages;
  const rows = reachedShares(counts, { all, reached, share, total });
  const atEnd = rows.slice(-reached.length);
  const colours = stageColours(drawnStages, share ? [EARNED] : [], {
    places: orderLabels(counts.places, stages),
    isProcess: counts.isProcess || stages !== undefined,
  });
  const label = all.at(-1) ?? "";
  const isGoalAsked = plan !== undefined || (forecast !== undefined && forecast !== false);
  const goal = isGoalAsked && !share ? lastStage(data, column, { label, isGiven: stages !== undefined }) : [];
  const done = share ? earnedOf(counts, last, share) : counts.count(last, label);
  const earned = { weight, unit, credits };
  const day = { date: last, done, total, goal, totalOption, until, earned, unit: counts.unit };
  const planned = planMarks(data, column, plan, day);
  const fan = forecastFan(data, column, forecast, {
    done: goal,
    total: totalOption,
    until,
    colour: colourOf(reached.at(-1), { ...colours, ...plotOptions.color }),
    toY: percentOf,
    earned,
  });
  const layout = (width: number) => layoutOf({ reached, rows, colours, planned, fan, last }, width);
  const spoken = atEnd.map(({ stage, percent }) => `${stage} ${formatPercent(percent, { decimals: 0 })}`).join(", ");
  return chart(
    {
      ariaLabel: `Progress curves by ${column}; on ${formatDay(last, shownDates())}: ${spoken}.${planned.words && ` ${planned.words}`}${fan.spoken}`,
      provenance: data,
      title: TITLE,
      subtitle: `Share of ${formatCount(total)} ${counts.unit} that have reached each ${columnWords(column)}${note}`,
      ...captionOf(
        planned.words,
        fan.caption,
        ...weightNotes(counts, planned.words),
        historyNotes(data, column, { dates, until }),
      ),
      width: CHART_WIDTH,
      height: 340,
      x: { type: "utc", label: null },
      y: { label: `% of ${counts.unit}`, grid: true, domain: [0, 100] },
      ...layout(widthOf(plotOptions)),
    },
    plotOptions,
    layout(narrowWidth),
  );
}

/** The curves, with names at their ends if nothing is drawn after them, else with a legend. */
function layoutOf(
  {
    reached,
    rows,
    colours,
    planned,
    fan,
    last,
  }: {
    readonly reached: readonly string[];
    readonly rows: ReturnType<typeof reachedShares>;
    readonly colours: ObservablePlot.ScaleOptions;
    readonly planned: DrawnPlan;
    readonly fan: Fan;
    readonly last: Date;
  },
  width: number,
): Omit<FigureOptions, "ariaLabel"> {
  const curves = reached.map((name) =>
    rows.filter(({ stage }) => stage === name).map(({ date, percent }): DataPoint => ({ x: date, y: percent })),
  );
  const end = Number(last) + END * (Number(last) - Number(rows[0]?.date));
  const isLast = fan.lines.length === 0 && planned.points.every(({ x }) => Number(x) <= end);
  const planEnd = planned.points.at(-1);
  const isPlanAtEnd = planEnd !== undefined && 2 * Number(last) - Number(planEnd.x) <= end;
  const ends = [
    ...curves.map((points, index) => ({ name: reached[index] as string, ...(points.at(-1) as DataPoint) })),
    ...(isPlanAtEnd ? [{ name: PLAN, ...planEnd }] : []),
  ];
  const names = isLast ? endLabels(ends, width) : { hasLegend: true, marks: [] };
  const planName =
    planEnd && (names.hasLegend || !isPlanAtEnd) ? [{ texts: [PLAN], points: planned.points.toReversed() }] : [];
  return {
    marginRight: names.marginRight ?? fan.marginRight,
    color: { ...colours, legend: names.hasLegend },
    marks: [
      ObservablePlot.ruleY([0]),
      ObservablePlot.lineY(rows, {
        x: "date",
        y: "percent",
        stroke: "stage",
        z: "stage",
        strokeWidth: 2.2,
        clip: false,
      }),
      ...fan.marks,
      ...planned.marks,
      ...names.marks,
      freeLabels(
        [...planned.labels, ...fan.labels, ...planName],
        [...curves, planned.points, ...planned.lines, ...fan.lines],
        names.hasLegend,
      ),
    ],
  };
}

/** Part of the dates within which a plan ends together with the curves. */
const END = 0.03;

const TITLE = "Progress";

/** The percentage of each date that has reached each stage. */
function reachedShares(
  counts: CountsOverTime,
  {
    all,
    reached,
    share,
    total,
  }: {
    readonly all: readonly string[];
    readonly reached: readonly string[];
    readonly share: ReturnType<typeof shareByLabel>;
    readonly total: number;
  },
) {
  return counts.dates.flatMap((date) => {
    let count = 0;
    const reachedBy = new Map<string, number>();
    for (const stage of all.slice(1).reverse()) {
      count += counts.count(date, stage);
      reachedBy.set(stage, count);
    }
    if (share) reachedBy.set(EARNED, earnedOf(counts, date, share));
    return reached.map((stage) => ({
      date,
      stage,
      percent: percentOf(Number(reachedBy.get(stage)), total),
    }));
  });
}

/** Percent of a total; a total of 0 counts as 1. */
function percentOf(part: number, whole: number): number {
  return (100 * part) / (whole > 0 ? whole : 1);
}

/** The curve of the earned amount. */
const EARNED = "earned";

/** Colors of stages, as in other figures, and of the other curves. */
function stageColours(
  stages: readonly string[],
  others: readonly string[],
  options: Parameters<typeof valueColours>[1],
): ObservablePlot.ScaleOptions {
  const { domain, range } = valueColours(stages, options);
  const colours = [...((range ?? []) as readonly string[]), ...others.map(() => extraColor)];
  return { type: "ordinal", domain: [...(domain ?? []), ...others], range: colours };
}

/** Notes on weights that are not already in the plan's text. */
function weightNotes({ notes }: CountsOverTime, planText: string): readonly string[] {
  return notes.filter((note) => !planText.includes(note));
}

/** All requested stages; otherwise, if there are too many, the most frequent ones and the last one. */
function shownStages({ dates, count }: CountsOverTime, all: readonly string[], areAsked: boolean) {
  const reached = all.slice(1);
  if (areAsked) return { reached, note: "" };
  const total = new Map(reached.map((stage) => [stage, dates.reduce((sum, date) => sum + count(date, stage), 0)]));
  const goal = reached.at(-1);
  if (goal !== undefined && reached.length > MOST_SERIES) total.set(goal, Number.POSITIVE_INFINITY);
  const { kept, note } = mostFrequent(total, MOST_SERIES, { noun: "stages" });
  return { reached: reached.filter((stage) => kept.has(stage)), note };
}

/** The color of a label in a scale, including the caller's colors. */
function colourOf(label: string | undefined, { domain, range }: ObservablePlot.ScaleOptions): string {
  const colours = Array.isArray(range) ? range : [];
  const index = [...(domain ?? [])].indexOf(label);
  return String(colours[Math.max(index, 0) % Math.max(colours.length, 1)] ?? accent);
}

/** Label of the last stage, and whether the caller set it. */
interface LastStage {
  readonly label: string;
  readonly isGiven: boolean;
}

/**
 * The values of features that have reached the last stage: all values with its label, as in the log. For a table, this is
 * the label.
 *
 * @throws ArgumentError for numbers without `stages`: the last one in the log need not be the goal
 */
function lastStage(data: unknown, column: string, { label, isGiven }: LastStage): readonly unknown[] {
  if (!isHistory(data)) return [label];
  const values = heldValues(data, column).filter((value) => valueLabel(value) === label);
  const isNumber = values.some((value) => typeof value === "number");
  if (!isGiven && isNumber && optionOrder(data, column, new Set([label])).length === 0) {
    throw new ArgumentError(`sCurve(): ${showValue(column)} contains numbers, whose last stage is unknown.`, {
      hint: `List the stages, first to last: { stages: [0, ${label}] }.`,
      facts: { column, option: "stages" },
    });
  }
  return values.length > 0 ? values : [label];
}

/** Every value of the features, current or past. */
function heldValues(history: History, column: string): readonly unknown[] {
  const moves = tableRows(history.transitions(column), "");
  const now = tableRows(history.counts(column, [history.readAt]), "");
  const [from, to, total] = [moves.column("from"), moves.column("to"), now.column("value")];
  const values = new Set<unknown>();
  for (let row = 0; row < moves.count; row += 1) values.add(from(row)).add(to(row));
  for (let row = 0; row < now.count; row += 1) values.add(total(row));
  return [...values].filter((value) => value !== null && value !== undefined);
}

/** A plan in a figure in percent. */
interface DrawnPlan {
  readonly marks: readonly ObservablePlot.Markish[];
  readonly points: readonly DataPoint[];
  /** The distance from the plan, and the line that it labels. */
  readonly labels: readonly FreeLabel[];
  readonly lines: readonly (readonly DataPoint[])[];
  /** `On 2024-06-30 done 44.2 %, planned 52.9 %: 8.7 points and 34 days behind the plan.` */
  readonly words: string;
}

/** Progress at the last date of a figure. */
interface LastDate {
  readonly date: Date;
  readonly done: number;
  readonly total: number;
  /** Values of a finished feature. */
  readonly goal: readonly unknown[];
  /** Total set by the caller. */
  readonly totalOption: number | undefined;
  readonly until: TimePoint | undefined;
  readonly earned: Earned;
  readonly unit: string;
}

const NO_PLAN: DrawnPlan = { marks: [], points: [], labels: [], lines: [], words: "" };

/** Name of the line of a plan. */
const PLAN = "plan";

/**
 * Returns the line of a plan, and the variance from it: for a history at `until`, for a table at its last date.
 *
 * @throws ArgumentError for an invalid plan
 */
function planMarks(data: unknown, column: string, plan: Plan | undefined, last: LastDate): DrawnPlan {
  if (plan === undefined) return NO_PLAN;
  const variance = isHistory(data)
    ? data.planVariance(column, {
        ...last.earned,
        ...(last.earned.credits ? {} : { done: last.goal }),
        plan,
        ...(last.totalOption === undefined ? {} : { total: last.totalOption }),
        ...(last.until === undefined ? {} : { until: last.until }),
      })
    : tableVariance(plan, last);
  const total = Number(variance.get("total", 0));
  const dateAt = tableRows(variance.plan, "").column("date");
  const rows = Array.from({ length: variance.plan.numRows() }, (_, row) => ({
    date: chartDate(dateAt(row)),
    plan: percentOf(Number(variance.plan.get("value", row)), total),
  }));
  const words = [
    sentence(variance, dayOf(data, variance, last)),
    ...variance.diagnostics.map(({ message }) => message),
  ].join(" ");
  return { ...drawnPlan(rows, variance), words };
}

function tableVariance(plan: Plan, { date, done, total, unit }: LastDate): PlanVariance {
  if (typeof plan === "string") {
    throw new ArgumentError(`sCurve(): the plan column ${showValue(plan)} needs a history, got a table.`, {
      hint: "Pass a history, or a plan as a table of `date` and `value`.",
    });
  }
  const atUs = date.getTime() * 1000;
  const weights = unit === "features" ? undefined : { unit };
  const measure = { isTable: true, weights, diagnostics: [], unit: dayUnit(undefined) };
  return varianceTable(planOfTable(plan, "UTC"), { atUs, done, total, wholeUs: Number.POSITIVE_INFINITY, ...measure });
}

function drawnPlan(
  rows: readonly { readonly date: Date; readonly plan: number }[],
  variance: PlanVariance,
): Omit<DrawnPlan, "words"> {
  const at = {
    date: varianceDate(variance),
    done: Number(variance.get("percent_done", 0)),
    plan: Number(variance.get("percent_planned", 0)),
  };
  const paint = { stroke: "currentColor", strokeOpacity: 0.75 } as const;
  const marks = [
    ObservablePlot.lineY(rows, {
      x: "date",
      y: "plan",
      ...paint,
      strokeWidth: 1.6,
      strokeDasharray: "6,4",
      clip: false,
      channels: { plan: ({ plan }: { readonly plan: number }) => Math.round(10 * belowWhole(plan, 1)) / 10 },
    }),
    silent(ObservablePlot.ruleX([at], { x: "date", y1: "done", y2: "plan", ...paint, strokeWidth: 1.5 })),
  ];
  const [done, planned] = [at.done, at.plan].map((y): DataPoint => ({ x: at.date, y })) as [DataPoint, DataPoint];
  const middle = { x: at.date, y: (at.done + at.plan) / 2 };
  return {
    marks,
    points: rows.map(({ date, plan }) => ({ x: date, y: plan })),
    labels: [{ texts: [distance(variance)], points: [middle, done, planned], isBold: true }],
    lines: [[done, planned]],
  };
}

/** Percentages above are the whole: sums of the same weights in another order differ. */
const WHOLE = 100 - 1e-6;

/** The variance from a plan as shown: whole days, and tenths of a point (one panel of a thousand). */
function varianceOf(variance: PlanVariance) {
  const number = (name: string) => Number(variance.get(name, 0));
  const [points, days] = [number("variance_percent"), variance.get("variance_days", 0)];
  const inDays = typeof days === "number" ? days : undefined;
  const isDone = Math.min(number("percent_done"), number("percent_planned")) > WHOLE;
  const isPunctual = Math.abs(inDays ?? 0) < 0.5;
  // Once all is done and planned, only the date of the end differs.
  const end = isDone && inDays !== undefined ? finished(inDays, isPunctual) : undefined;
  return { points, days: inDays, isNone: Math.abs(points) < 0.05 && isPunctual, end };
}

function finished(days: number, isPunctual: boolean): string {
  const count = counted(Math.round(Math.abs(days)), "day");
  return isPunctual ? "finished as planned" : `finished ${count} ${days < 0 ? "after" : "before"} the plan`;
}

function distance(variance: PlanVariance): string {
  const { points, days, isNone, end } = varianceOf(variance);
  if (end && Math.abs(days ?? 0) >= 0.5) {
    return `finished\n${counted(Math.round(Math.abs(days ?? 0)), "day")} ${(days ?? 0) < 0 ? "late" : "early"}`;
  }
  if (isNone) return "as planned";
  const inDays = days === undefined ? "" : `\n${formatChange(days, 0)} days`;
  return `${formatChange(points, 1)} points${inDays}`;
}

function varianceDate(variance: PlanVariance): Date {
  return chartDate(tableRows(variance, "").column("date")(0));
}

/** A requested day is shown by name; the variance has the end of that day, which belongs to the next one. */
function dayOf(data: unknown, variance: PlanVariance, { until }: LastDate): string {
  if (until === undefined || !isHistory(data)) return formatDay(varianceDate(variance), shownDates());
  return formatDay(new Date(resolveTimePoint(until, data.timeZone) / 1000), shownDates(data.timeZone));
}

function sentence(variance: PlanVariance, at: string): string {
  const [done, planned] = [Number(variance.get("percent_done", 0)), Number(variance.get("percent_planned", 0))];
  const { points, days, isNone, end } = varianceOf(variance);
  const drawnStages = (percent: number) => formatPercent(percent, { decimals: 1, leastDecimals: 1 });
  const both = `On ${at} ${drawnStages(done)} are done and ${drawnStages(planned)} are planned`;
  if (end) return `${both}: ${end}.`;
  if (isNone) return `${both}: as planned.`;
  const side = (value: number) => (value < 0 ? "behind" : "ahead of");
  const far = [withUnit(formatNumber(Math.abs(points), { decimals: 1, leastDecimals: 1 }), "points")];
  // Both have the same sign unless the plan is flat.
  if (days !== undefined && side(days) === side(points)) far.push(formatDays(Math.abs(days), { decimals: 0 }));
  return `${both}: ${far.join(" and ")} ${side(points)} the plan.`;
}
