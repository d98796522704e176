import * as ObservablePlot from "@observablehq/plot";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { History } from "../../history/history.js";
import { type Plan, type PlanVariance, varianceTable } from "../../history/questions/against-plan.js";
import { planOfTable } from "../../history/questions/plan-line.js";
import { resolveTimePoint, type TimePoint } from "../../history/time/valid-time.js";
import { silent } from "../tips/capture-marks.js";
import { calendarDate, chartDate, dateLabel } from "../values/chart-date.js";

/** A plan in a figure of percents. */
export interface DrawnPlan {
  readonly marks: readonly ObservablePlot.Markish[];
  /** `On 2024-06-30 done 44.2 %, planned 52.9 %: 8.7 points and 34 days behind the plan.` */
  readonly words: string;
}

/** What was done at the last date of a figure. */
interface LastDate {
  readonly date: Date;
  readonly done: number;
  readonly total: number;
  /** The values that mean that a feature is done. */
  readonly goal: readonly unknown[];
  /** As the caller gave it. */
  readonly asked: number | undefined;
  readonly until: TimePoint | undefined;
}

const NO_PLAN: DrawnPlan = { marks: [], words: "" };

/**
 * The line of a plan, and how far what was done is from it: of a history at `until`, of a table at its last date.
 *
 * @throws ArgumentError for what is no plan
 */
export function planMarks(data: unknown, column: string, plan: Plan | undefined, last: LastDate): DrawnPlan {
  if (plan === undefined) return NO_PLAN;
  const variance =
    data instanceof History
      ? data.againstPlan(column, {
          done: last.goal,
          plan,
          ...(last.asked === undefined ? {} : { total: last.asked }),
          ...(last.until === undefined ? {} : { until: last.until }),
        })
      : tableVariance(plan, last);
  const total = Math.max(Number(variance.get("total", 0)), 1);
  const rows = Array.from({ length: variance.plan.numRows() }, (_, row) => ({
    date: chartDate(variance.plan.get("date", row)),
    plan: (100 * Number(variance.plan.get("value", row))) / total,
  }));
  const words = [
    sentence(variance, dayOf(data, variance, last)),
    ...variance.findings.map(({ message }) => message),
  ].join(" ");
  return { marks: marksOf(rows, variance), words };
}

function tableVariance(plan: Plan, { date, done, total }: LastDate): PlanVariance {
  if (typeof plan === "string") {
    throw new ArgumentError(`The plan ${showValue(plan)} is a column, and a table of dates has none of features.`, {
      hint: "Give a history, or a plan as a table of `date` and `value`.",
    });
  }
  const atUs = date.getTime() * 1000;
  return varianceTable(planOfTable(plan, "UTC"), { atUs, done, total, wholeUs: Number.POSITIVE_INFINITY });
}

function marksOf(
  rows: readonly { readonly date: Date; readonly plan: number }[],
  variance: PlanVariance,
): readonly ObservablePlot.Markish[] {
  const at = {
    date: chartDate(variance.get("date", 0)),
    done: Number(variance.get("percent_done", 0)),
    plan: Number(variance.get("percent_planned", 0)),
    text: distance(variance),
  };
  const paint = { stroke: "currentColor", strokeOpacity: 0.75 } as const;
  return [
    ObservablePlot.lineY(rows, {
      x: "date",
      y: "plan",
      ...paint,
      strokeWidth: 1.6,
      strokeDasharray: "6,4",
      clip: false,
      channels: { plan: ({ plan }: { readonly plan: number }) => Math.round(10 * plan) / 10 },
    }),
    ObservablePlot.text(rows.slice(-1), { x: "date", y: "plan", text: () => "plan", dy: -8, textAnchor: "end" }),
    silent(ObservablePlot.ruleX([at], { x: "date", y1: "done", y2: "plan", ...paint, strokeWidth: 1.5 })),
    ObservablePlot.text([at], {
      x: "date",
      y: ({ done, plan }: typeof at) => (done + plan) / 2,
      text: "text",
      dx: 6,
      textAnchor: "start",
      fontWeight: "bold",
      lineHeight: 1.25,
      stroke: "var(--plot-background)",
      strokeWidth: 3,
      fill: "currentColor",
    }),
  ];
}

/** Days are of an elapsed time; a tenth of a point is a panel of a thousand. */
function distance(variance: PlanVariance): string {
  const [points, days] = [Number(variance.get("variance_percent", 0)), variance.get("variance_days", 0)];
  const signed = (value: number, digits: number) => `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(digits)}`;
  const inDays = typeof days === "number" ? `\n${signed(days, 0)} days` : "";
  return `${signed(points, 1)} points${inDays}`;
}

/** A day that is asked about is called by its name; the variance has the moment of its end, which is the next day's first. */
function dayOf(data: unknown, variance: PlanVariance, { until }: LastDate): string {
  if (until === undefined || !(data instanceof History)) return dateLabel(chartDate(variance.get("date", 0)));
  return calendarDate(new Date(resolveTimePoint(until, data.timeZone) / 1000), data.timeZone);
}

function sentence(variance: PlanVariance, at: string): string {
  const [done, planned] = [Number(variance.get("percent_done", 0)), Number(variance.get("percent_planned", 0))];
  const [points, days] = [Number(variance.get("variance_percent", 0)), variance.get("variance_days", 0)];
  const side = (value: number) => (value < 0 ? "behind" : "ahead of");
  const far = [`${Math.abs(points).toFixed(1)} points`];
  // Both say the same but where a plan stands still.
  const isOne = typeof days === "number" && side(days) === side(points);
  if (isOne) far.push(`${Math.abs(days).toFixed(0)} days`);
  return `On ${at} ${done.toFixed(1)} % are done and ${planned.toFixed(1)} % are planned: ${far.join(" and ")} ${side(points)} the plan.`;
}
