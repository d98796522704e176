import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { checkOptions } from "../../core/check-options.js";
import { anything, list, type OptionRules } from "../../core/option-rules.js";
import type { Grid } from "../../history/time/date-grid.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart, emptyNote } from "../figure/chart.js";
import type { Figure } from "../figure/figure.js";
import type { FigureOptions } from "../figure/figure-options.js";
import { figureRules } from "../figure/figure-options.js";
import { dateLabel } from "../values/chart-date.js";
import { orderLabels, valueColours } from "../values/value-colours.js";
import { labels, valueLabel } from "../values/value-label.js";
import { countsOverTime } from "./counts-over-time.js";
import { knownValues, requireKnown } from "./known-values.js";

/** Options of `sCurve()`; all others go to Plot. */
export interface SCurveOptions extends FigureOptions {
  /** The values that features go through, first to last; the first has no curve. By default as the definition lists its options, then in the course of the log. */
  readonly stages?: readonly unknown[];
  /** Dates at which features are counted; by default days, weeks or months from the first change to `readAt`. */
  readonly dates?: Grid;
}

const sCurveRules: OptionRules<SCurveOptions> = {
  ...figureRules,
  stages: list,
  dates: anything,
};

/**
 * The share of features that have reached each stage or a later one, over time. 100 % are the features at the last
 * date.
 *
 * @param data a history, or a table with `date` and the column, one row a feature or with `count`
 * @param column the property whose values are the stages
 * @throws ArgumentError
 */
export function sCurve(data: History | Layer | ColumnTable, column: string, options: SCurveOptions = {}): Figure {
  checkOptions("sCurve()", options, sCurveRules);
  const { stages, dates, ...plotOptions } = options;
  const counts = countsOverTime(data, column, dates);
  if (stages) requireKnown("stages", stages, column, knownValues(data, column, counts));
  const all = stages?.map((stage) => valueLabel(stage)) ?? counts.values.filter((value) => value !== labels.unknown);
  const reached = all.slice(1);
  const last = counts.dates.at(-1);
  if (!last)
    return chart({ ariaLabel: "Progress without data", provenance: data, marks: [emptyNote("No data")] }, plotOptions);
  const total = counts.total(last);
  const rows = counts.dates.flatMap((date) => {
    return reached.map((stage, index) => {
      const count = reached.slice(index).reduce((sum, later) => sum + counts.count(date, later), 0);
      return { date, stage, percent: (100 * count) / Math.max(total, 1) };
    });
  });
  const atEnd = rows.slice(-reached.length);
  const spoken = atEnd.map(({ stage, percent }) => `${stage} ${percent.toFixed(0)} %`).join(", ");
  return chart(
    {
      ariaLabel: `Progress curves by ${column}; on ${dateLabel(last)}: ${spoken}.`,
      provenance: data,
      title: "Progress",
      subtitle: `Share of ${total.toLocaleString("en-US")} features that have reached each ${column}`,
      width: 720,
      height: 340,
      marginRight: 24,
      x: { type: "utc", label: null },
      y: { label: "% of features", grid: true, domain: [0, 100] },
      color: { ...valueColours(reached, orderLabels(counts.places, stages)), legend: true },
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
      ],
    },
    plotOptions,
  );
}
