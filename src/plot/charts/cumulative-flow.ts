import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { dayOrMinute, formatDate, formatDay, inUtc, shownDates } from "../../core/format/format-date.js";
import { formatCount } from "../../core/format/format-number.js";
import { anything, checkOptions, list, type OptionRules } from "../../core/options.js";
import { type CreditOptions, creditRules } from "../../history/columns/credits.js";
import { type WeightOptions, weightRules } from "../../history/columns/weights.js";
import { labels } from "../../history/order/value-label.js";
import type { Dates } from "../../history/time/date-grid.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules, widthOf } from "../figure/figure.js";
import { endLabels, freeLabels, type LineEnd } from "../figure/place-labels.js";
import { narrowWidth } from "../figure/svg-text.js";
import { hatch, orderLabels, valueColours } from "../values/palette.js";
import { captionOf, historyNotes } from "../values/present-note.js";
import { columnWords } from "../values/spoken-options.js";
import { MOST_SERIES, mostFrequent } from "../values/value-order.js";
import { type CountsOverTime, countsOverTime, countTicks, earnedOf, shownAmount } from "./counts-over-time.js";
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
  const earned = share ? counts.dates.map((date) => ({ date, earned: earnedOf(counts, date, share) })) : [];
  const colours = valueColours(domain, {
    places: orderLabels(counts.places, order),
    isProcess: counts.isProcess || order !== undefined,
  });
  const layout = (width: number) => layoutOf(rows, { colours, earned, isOne }, width);
  return chart(
    {
      ariaLabel: `Stacked areas of ${counts.unit} by ${column} from ${formatDay(first, shownDates())} to ${formatDay(last, shownDates())}; at the end: ${atEnd}.`,
      provenance: data,
      title: TITLE,
      subtitle: `${counts.unit === "features" ? "Features" : counts.unit} by ${columnWords(column)}${note}${others > 0 ? `, ${formatCount(others)} others together` : ""}`,
      ...captionOf(...counts.notes, historyNotes(data, column, { dates })),
      width: CHART_WIDTH,
      height: 340,
      // A single date has no area.
      x: isOne ? { type: "band", label: null, padding: 0.8, tickFormat: nameOfDate } : { type: "utc", label: null },
      y: {
        label: counts.unit,
        grid: true,
        ...(counts.unit === "features" ? countTicks(Math.max(...counts.dates.map(counts.total))) : {}),
      },
      ...layout(widthOf(plotOptions)),
    },
    plotOptions,
    layout(narrowWidth),
  );
}

function nameOfDate(date: Date): string {
  return formatDate(date, { ...shownDates(), unit: dayOrMinute([Number(date)], inUtc) });
}

/** Features with a value at a date. */
interface Band {
  readonly date: Date;
  readonly value: string;
  readonly count: number;
}

interface Earned {
  readonly date: Date;
  readonly earned: number;
}

/** The bands, with names at their ends if these have room, else with a legend. */
function layoutOf(
  rows: readonly Band[],
  {
    colours,
    earned,
    isOne,
  }: {
    readonly colours: ObservablePlot.ScaleOptions;
    readonly earned: readonly Earned[];
    readonly isOne: boolean;
  },
  width: number,
): Omit<FigureOptions, "ariaLabel"> {
  const domain = [...(colours.domain ?? [])].map(String);
  const stack = { order: domain.toReversed() };
  const bands = { x: "date", y: "count", fill: "value", z: "value" } as const;
  const lineEnds = earned.slice(-1).map(({ date, earned: y }) => ({ name: EARNED, x: date, y }));
  // A bar has no end.
  const names = isOne
    ? { hasLegend: domain.length > 1, marks: [] }
    : endLabels([...bandEnds(rows.slice(-domain.length)), ...lineEnds], width);
  return {
    marginRight: names.marginRight ?? 20,
    color: { ...colours, legend: names.hasLegend },
    marks: [
      hatch(),
      isOne
        ? ObservablePlot.barY(rows, ObservablePlot.stackY(stack, bands))
        : ObservablePlot.areaY(rows, ObservablePlot.stackY(stack, { ...bands, curve: "step-after" })),
      ObservablePlot.ruleY([0]),
      ...earnedLine(earned),
      ...names.marks,
      ...(names.hasLegend
        ? [
            freeLabels(
              lineEnds.map((end) => ({ texts: [EARNED], points: [end] })),
              [],
            ),
          ]
        : []),
    ],
  };
}

const EARNED = "earned";

/** The middle of each band at the last date, of which the last value is at the bottom. */
function bandEnds(last: readonly Band[]): readonly LineEnd[] {
  let top = 0;
  const ends = last.toReversed().map(({ date, value, count }): LineEnd => {
    top += count;
    return { name: value, x: date, y: top - count / 2 };
  });
  // Empty bands have the same height, and the order of the others.
  return ends.toReversed();
}

/** The amount earned by the stages, as a line over the bands, whose last value is at the bottom. */
function earnedLine(rows: readonly Earned[]): readonly ObservablePlot.Markish[] {
  if (rows.length === 0) return [];
  return [
    ObservablePlot.lineY(rows, {
      x: "date",
      y: "earned",
      stroke: "currentColor",
      strokeWidth: 2,
      strokeDasharray: "5,3",
      curve: "step-after",
      channels: { earned: "earned" },
    }),
  ];
}

/** Number of features with each value, summed over all dates. */
function timesHeld({ dates, values, count }: CountsOverTime): ReadonlyMap<string, number> {
  return new Map(values.map((value) => [value, dates.reduce((sum, date) => sum + count(date, value), 0)]));
}
