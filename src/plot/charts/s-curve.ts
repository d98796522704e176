import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { anything, checkOptions, integerFrom, list, type OptionRules } from "../../core/options.js";
import type { Plan } from "../../history/questions/against-plan.js";
import type { Grid } from "../../history/time/date-grid.js";
import type { TimePoint } from "../../history/time/valid-time.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart, emptyNote } from "../figure/chart.js";
import type { Figure } from "../figure/figure.js";
import { type FigureOptions, figureRules } from "../figure/figure-options.js";
import { dateLabel } from "../values/chart-date.js";
import { accent, orderLabels, valueColours } from "../values/palette.js";
import { captionOf, presentNote } from "../values/present-note.js";
import { labels, valueLabel } from "../values/table-rows.js";
import { MOST_SERIES, mostFrequent } from "../values/value-order.js";
import { type CountsOverTime, countsOverTime, requireHistory } from "./counts-over-time.js";
import { type FanOptions, forecastFan } from "./forecast-fan.js";
import { knownValues, requireKnown } from "./known-values.js";
import { lastStage } from "./last-stage.js";
import { planMarks } from "./plan-marks.js";

/** Options of `sCurve()`; all others go to Plot. */
export interface SCurveOptions extends FigureOptions {
  /** The values that features go through, first to last; the first has no curve. By default as the definition lists its options, then in the course of the log. */
  readonly stages?: readonly unknown[];
  /** Dates at which features are counted; by default days, weeks or months from the first change to `until`. */
  readonly dates?: Grid;
  /** The day of the report: where the plan is compared, and the forecast of a history begins. Default `until` of the history. */
  readonly until?: TimePoint;
  /**
   * When how many features are to be at the last stage: a table of `date` and `value`, or the name of a history's column
   * of planned dates. The figure says how far the work is from it.
   */
  readonly plan?: Plan;
  /** The features that are 100 %; by default those at the last date. */
  readonly total?: number;
  /** Whether the fan of `history.forecast()` is drawn for the last stage, and its options. */
  readonly forecast?: FanOptions;
}

const sCurveRules: OptionRules<SCurveOptions> = {
  ...figureRules,
  stages: list,
  dates: anything,
  until: anything,
  plan: anything,
  total: integerFrom(1),
  forecast: anything,
};

/**
 * The share of features that have reached each stage or a later one, over time. 100 % are the features at the last
 * date.
 *
 * @param data a history, or a table with `date` and the column, one row a feature or with `count`
 * @param column the property whose values are the stages
 * @throws ArgumentError also for a plan or a forecast of a column of numbers without `stages`
 */
export function sCurve(data: History | Layer | ColumnTable, column: string, options: SCurveOptions = {}): Figure {
  checkOptions("sCurve()", options, sCurveRules);
  const { stages, dates, until, plan, total: asked, forecast, ...plotOptions } = options;
  requireHistory("sCurve()", data, until);
  const counts = countsOverTime(data, column, dates, until);
  if (stages) requireKnown("stages", stages, column, knownValues(data, column, counts));
  const all = stages?.map((stage) => valueLabel(stage)) ?? counts.values.filter((value) => value !== labels.unknown);
  const last = counts.dates.at(-1);
  if (!last)
    return chart({ ariaLabel: "Progress without data", provenance: data, marks: [emptyNote("No data")] }, plotOptions);
  const total = asked ?? counts.total(last);
  const { reached, note } = shownStages(counts, all, stages !== undefined);
  const rows = counts.dates.flatMap((date) => {
    let count = 0;
    const reachedBy = new Map<string, number>();
    for (const stage of all.slice(1).reverse()) {
      count += counts.count(date, stage);
      reachedBy.set(stage, count);
    }
    return reached.map((stage) => ({
      date,
      stage,
      percent: (100 * Number(reachedBy.get(stage))) / Math.max(total, 1),
    }));
  });
  const atEnd = rows.slice(-reached.length);
  const colours = valueColours(reached, orderLabels(counts.places, stages));
  const label = all.at(-1) ?? "";
  const isGoalAsked = plan !== undefined || (forecast !== undefined && forecast !== false);
  const goal = isGoalAsked ? lastStage(data, column, { label, isGiven: stages !== undefined }) : [];
  const done = counts.count(last, label);
  const planned = planMarks(data, column, plan, { date: last, done, total, goal, asked, until });
  const fan = forecastFan(data, column, forecast, {
    done: goal,
    total: asked,
    until,
    colour: colourOf(reached.at(-1), { ...colours, ...plotOptions.color }),
    toY: (count, all) => (100 * count) / Math.max(all, 1),
  });
  const spoken = atEnd.map(({ stage, percent }) => `${stage} ${percent.toFixed(0)} %`).join(", ");
  return chart(
    {
      ariaLabel: `Progress curves by ${column}; on ${dateLabel(last)}: ${spoken}.${planned.words && ` ${planned.words}`}${fan.spoken}`,
      provenance: data,
      title: "Progress",
      subtitle: `Share of ${total.toLocaleString("en-US")} features that have reached each ${column}${note}`,
      ...captionOf(planned.words, fan.caption, presentNote(data, column, { dates, until })),
      width: 720,
      height: 340,
      marginRight: 24,
      x: { type: "utc", label: null },
      y: { label: "% of features", grid: true, domain: [0, 100] },
      color: { ...colours, legend: true },
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
      ],
    },
    plotOptions,
  );
}

/** Of more stages than can be told apart those that features have most often, and the last one; all that were asked for. */
function shownStages({ dates, count }: CountsOverTime, all: readonly string[], areAsked: boolean) {
  const reached = all.slice(1);
  if (areAsked) return { reached, note: "" };
  const held = new Map(reached.map((stage) => [stage, dates.reduce((sum, date) => sum + count(date, stage), 0)]));
  const goal = reached.at(-1);
  if (goal !== undefined && reached.length > MOST_SERIES) held.set(goal, Number.POSITIVE_INFINITY);
  const { kept, note } = mostFrequent(held, MOST_SERIES, { noun: "stages" });
  return { reached: reached.filter((stage) => kept.has(stage)), note };
}

/** The colour in which a scale draws a label, also where the caller gave its colours. */
function colourOf(label: string | undefined, { domain, range }: ObservablePlot.ScaleOptions): string {
  const colours = Array.isArray(range) ? range : [];
  const place = [...(domain ?? [])].indexOf(label);
  return String(colours[Math.max(place, 0) % Math.max(colours.length, 1)] ?? accent);
}
