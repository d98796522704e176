import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { dayOrMinute, formatDate, formatDay, inUtc, shownDates } from "../../core/format/format-date.js";
import { formatCount, formatCountTick } from "../../core/format/format-number.js";
import { anything, checkOptions, list, type OptionRules } from "../../core/options.js";
import { type CreditOptions, creditRules } from "../../history/columns/credits.js";
import { type WeightOptions, weightRules } from "../../history/columns/weights.js";
import { labels } from "../../history/order/value-label.js";
import type { Dates } from "../../history/time/date-grid.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { hatch, orderLabels, valueColours } from "../values/palette.js";
import { captionOf, historyNotes } from "../values/present-note.js";
import { MOST_SERIES, mostFrequent } from "../values/value-order.js";
import { type CountsOverTime, countsOverTime, earnedOf, shownAmount } from "./counts-over-time.js";
import { shareByLabel } from "./validate-stages.js";

/** Options of `cumulativeFlow()`. All others are passed to Plot. */
export interface CumulativeFlowOptions extends FigureOptions, WeightOptions, CreditOptions {
  /** Values from first to last. Default: the order in the definition's options, then in the log. */
  readonly order?: readonly unknown[];
  /** Dates at which features are counted. Default: days, weeks or months from the first change to `until` of the history. */
  readonly dates?: Dates;
}

export const cumulativeFlowRules: OptionRules<CumulativeFlowOptions> = {
  ...figureRules,
  order: list,
  dates: anything,
  ...weightRules,
  ...creditRules,
};

const TITLE = "Cumulative flow";

/**
 * Returns stacked areas of the number of features with each value over time, with the last value at the bottom: a band
 * that gets wider is a growing queue. Unknown values are hatched. With `weight`, the bands are quantities, whose unit is on
 * the axis; with `credits`, a line shows the amount earned by the stages.
 *
 * @param data a history, or a table with `date` and the column, one row per feature or with `count`
 * @param column the property whose values are counted
 * @throws ArgumentError for invalid options
 * @example
 * const dates = { from: "2023-02-13", until: "2024-12-31", every: "month" } as const;
 * cumulativeFlow(trenchHistory, "STATUS", { order: ["PLANNED", "EXCAVATED", "CABLE_LAID", "BACKFILLED"], dates })
 */
export function cumulativeFlow(
  data: History | Layer | ColumnTable,
  column: string,
  options: CumulativeFlowOptions = {},
): Figure {
  checkOptions("cumulativeFlow()", options, cumulativeFlowRules);
  const { order, dates, weight, unit, credits, ...plotOptions } = options;
  const counts = countsOverTime(data, column, dates, undefined, { weight, unit });
  const share = shareByLabel(credits, data, column, counts);
  const { kept, others, note } = mostFrequent(timesHeld(counts), MOST_SERIES, { listed: order });
  const drawn = counts.values.filter((value) => kept.has(value));
  const domain = orderLabels(others > 0 ? [...drawn, labels.other] : drawn, order);
  const [first, last] = [counts.dates[0], counts.dates.at(-1)];
  if (!first || !last) {
    return chart(
      {
        ariaLabel: "Cumulative flow without data",
        provenance: data,
        title: TITLE,
        nothing: "No data",
      },
      plotOptions,
    );
  }
  const countOf = (date: Date, value: string, total: number) =>
    others > 0 && value === labels.other ? total : counts.count(date, value);
  const rows = counts.dates.flatMap((date) => {
    // The remainder without a band.
    const rest = domain.reduce((left, value) => left - countOf(date, value, 0), counts.total(date));
    return domain.map((value) => ({ date, value, count: countOf(date, value, rest) }));
  });
  const atEnd = rows
    .slice(-domain.length)
    .map(({ value, count }) => `${value} ${shownAmount(count, counts)}`)
    .join(", ");
  const isOne = counts.dates.length === 1;
  const stack = { order: [...domain].reverse() };
  const bands = { x: "date", y: "count", fill: "value", z: "value" } as const;
  return chart(
    {
      ariaLabel: `Stacked areas of ${counts.unit} by ${column} from ${formatDay(first, shownDates())} to ${formatDay(last, shownDates())}; at the end: ${atEnd}.`,
      provenance: data,
      title: TITLE,
      subtitle: `${counts.unit === "features" ? "Features" : counts.unit} by ${column}${note}${others > 0 ? `, ${formatCount(others)} others together` : ""}`,
      ...captionOf(...counts.notes, historyNotes(data, column, { dates })),
      width: CHART_WIDTH,
      height: 340,
      // A single date has no area.
      x: isOne ? { type: "band", label: null, padding: 0.8, tickFormat: nameOfDate } : { type: "utc", label: null },
      y: { label: counts.unit, grid: true, ...(counts.unit === "features" ? { tickFormat: formatCountTick } : {}) },
      color: valueColours(domain, {
        places: orderLabels(counts.places, order),
        isProcess: counts.isProcess || order !== undefined,
      }),
      marks: [
        hatch(),
        isOne
          ? ObservablePlot.barY(rows, ObservablePlot.stackY(stack, bands))
          : ObservablePlot.areaY(rows, ObservablePlot.stackY(stack, { ...bands, curve: "step-after" })),
        ObservablePlot.ruleY([0]),
        ...(share ? earnedLine(counts.dates.map((date) => ({ date, earned: earnedOf(counts, date, share) }))) : []),
      ],
    },
    plotOptions,
  );
}

function nameOfDate(date: Date): string {
  return formatDate(date, { ...shownDates(), unit: dayOrMinute([Number(date)], inUtc) });
}

/** The amount earned by the stages, as a line over the bands, whose last value is at the bottom. */
function earnedLine(
  rows: readonly { readonly date: Date; readonly earned: number }[],
): readonly ObservablePlot.Markish[] {
  const axes = { x: "date", y: "earned" } as const;
  return [
    ObservablePlot.lineY(rows, {
      ...axes,
      stroke: "currentColor",
      strokeWidth: 2,
      strokeDasharray: "5,3",
      curve: "step-after",
      channels: { earned: "earned" },
    }),
    ObservablePlot.text(rows.slice(-1), {
      ...axes,
      text: () => "earned",
      dy: -7,
      textAnchor: "end",
      fill: "currentColor",
    }),
  ];
}

/** Number of features with each value, summed over all dates. */
function timesHeld({ dates, values, count }: CountsOverTime): ReadonlyMap<string, number> {
  return new Map(values.map((value) => [value, dates.reduce((sum, date) => sum + count(date, value), 0)]));
}
