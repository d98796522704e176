import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { formatDay, shownDates } from "../../core/format/format-date.js";
import { formatAmount } from "../../core/format/format-number.js";
import { anything, checkOptions, type OptionRules } from "../../core/options.js";
import { columnValues, valueList } from "../../history/cell/value-sets.js";
import { type CreditOptions, creditRules, doneAndCredits } from "../../history/columns/credits.js";
import { type WeightOptions, weightRules } from "../../history/columns/weights.js";
import { labels, valueLabel } from "../../history/order/value-label.js";
import type { Dates } from "../../history/time/date-grid.js";
import type { TimePoint } from "../../history/time/valid-time.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { freeLabels } from "../figure/place-labels.js";
import { silent } from "../tips/extract-tooltips.js";
import { accent, hatch, hatchFill } from "../values/palette.js";
import { captionOf, historyNotes } from "../values/present-note.js";
import { columnWords, valueWords } from "../values/spoken-options.js";
import { countsOverTime, requireHistory, shownAmount } from "./counts-over-time.js";
import { type FanOptions, forecastFan } from "./forecast-fan.js";
import { possibleValues, requireSpelled, shareByLabel } from "./validate-stages.js";

/** Options of `burnDown()`. All others are passed to Plot. */
export interface BurnDownOptions extends FigureOptions, WeightOptions, CreditOptions {
  /** Value, or array of values, of a finished feature. Default: `"CLOSED"`. */
  readonly done?: unknown;
  /** Dates at which features are counted. Default: days, weeks or months from the first change to `until`. */
  readonly dates?: Dates;
  /** Report date, at which the forecast of a history begins. Default: `until` of the history. */
  readonly until?: TimePoint;
  /** Whether to draw the fan of `history.forecast()`, or its options. The total is the number of features at `until`. */
  readonly forecast?: FanOptions;
}

export const burnDownRules: OptionRules<BurnDownOptions> = {
  ...figureRules,
  done: columnValues("of a finished feature"),
  dates: anything,
  until: anything,
  forecast: anything,
  ...weightRules,
  ...creditRules,
};

/**
 * Returns a line of the unfinished features over time. Features with an unknown value are hatched on top. With `weight`,
 * it is a quantity, whose unit is on the axis; with `credits`, the part that the stages have not earned.
 *
 * @param data a history, or a table with `date` and the column, one row per feature or with `count`
 * @param column the property with the status
 * @throws ArgumentError for invalid options
 * @example
 * const dates = { from: "2026-01-01", until: "2026-06-30", every: "week" } as const;
 * burnDown(history, "STATUS", { done: ["RESOLVED", "CLOSED"], dates })
 */
export function burnDown(data: History | Layer | ColumnTable, column: string, options: BurnDownOptions = {}): Figure {
  checkOptions("burnDown()", options, burnDownRules);
  const { done = "CLOSED", dates, until, forecast, weight, unit, credits, ...plotOptions } = options;
  requireHistory("burnDown()", data, until);
  if (credits && options.done !== undefined) throw doneAndCredits("burnDown()");
  const counts = countsOverTime(data, column, dates, until, { weight, unit });
  const share = shareByLabel(credits, data, column, counts);
  const possible = possibleValues(data, column, counts);
  const doneValues = valueList(done);
  if (options.done !== undefined) requireSpelled("done", doneValues, column, possible, data);
  const doneLabels = new Set(doneValues.map((value) => valueLabel(value)));
  const earned = share ?? ((label: string) => Number(doneLabels.has(label)));
  const open = counts.values.filter((value) => earned(value) < 1 && value !== labels.unknown);
  const rows = counts.dates.map((date) => {
    const left = open.reduce((sum, value) => sum + counts.count(date, value) * (1 - earned(value)), 0);
    return { date, left, top: left + counts.count(date, labels.unknown) };
  });
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last)
    return chart(
      { ariaLabel: "Burn-down without data", provenance: data, title: "Open features", nothing: "No data" },
      plotOptions,
    );
  const most = rows.reduce((best, row) => (row.left > best.left ? row : best), first);
  const isEverDone = [...doneLabels].some((label) => possible.has(label));
  const fan = forecastFan(data, column, forecast, {
    done: doneValues,
    until,
    colour: accent,
    toY: (count, total) => total - count,
    earned: { weight, unit, credits },
  });
  const amount = ({ left }: Left) => shownAmount(left, counts);
  const what = counts.unit === "features" ? "Features" : counts.unit;
  const subtitle = share
    ? `${what} not earned by the credits of ${columnWords(column)}`
    : `${what} whose ${columnWords(column)} is not ${valueWords(doneValues)}${isEverDone ? "" : ", a value that never occurs"}`;
  const ariaLabel =
    `Line chart of ${counts.unit} not ${share ? "earned" : "done"} by ${column}: ${amount(first)} on ${formatDay(first.date, shownDates())}, ` +
    `at most ${amount(most)} on ${formatDay(most.date, shownDates())}, ${amount(last)} on ${formatDay(last.date, shownDates())}.${fan.spoken}`;
  const lastAmount = {
    texts: [counts.unit === "features" ? String(last.left) : formatAmount(last.left)],
    points: [{ x: last.date, y: last.left }],
    isBold: true,
  };
  return chart(
    {
      ariaLabel,
      provenance: data,
      title: counts.unit === "features" && !share ? "Open features" : "Open work",
      subtitle,
      ...captionOf(fan.caption, ...counts.notes, historyNotes(data, column, { dates, until })),
      width: CHART_WIDTH,
      height: 320,
      marginRight: Math.max(44, fan.marginRight),
      x: { type: "utc", label: null },
      y: { label: counts.unit, grid: true, zero: true, nice: true },
      marks: [
        ...areas(rows),
        ...fan.marks,
        ObservablePlot.dot([last], { x: "date", y: "left", fill: accent, r: 3.5 }),
        freeLabels(
          [lastAmount, ...fan.labels],
          [
            rows.map(({ date, left }) => ({ x: date, y: left })),
            [
              { x: last.date, y: 0 },
              { x: last.date, y: last.left },
            ],
            ...fan.lines,
          ],
        ),
      ],
    },
    plotOptions,
  );
}

/** Features at a date. */
interface Left {
  readonly date: Date;
  /** Unfinished. */
  readonly left: number;
  /** Unfinished or unknown. */
  readonly top: number;
}

function areas(rows: readonly Left[]): readonly ObservablePlot.Markish[] {
  return [
    hatch(),
    ObservablePlot.areaY(rows, {
      x: "date",
      y1: 0,
      y2: "left",
      fill: accent,
      fillOpacity: 0.25,
      curve: "step-after",
      channels: { "not done": "left" },
    }),
    ObservablePlot.areaY(rows, {
      x: "date",
      y1: "left",
      y2: "top",
      fill: hatchFill,
      curve: "step-after",
      channels: { unknown: ({ left, top }) => top - left },
    }),
    // Its area has the same tooltip.
    silent(ObservablePlot.lineY(rows, { x: "date", y: "left", stroke: accent, strokeWidth: 2, curve: "step-after" })),
    ObservablePlot.ruleY([0]),
  ];
}
