import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { anything, checkOptions, flag, type OptionRules } from "../../core/options.js";
import type { Dates } from "../../history/time/date-grid.js";
import type { History, Layer } from "../../layer/layer.js";
import type { Figure } from "../figure/figure.js";
import { requireDrawable } from "../values/require-drawable.js";
import { figureOfMap } from "./interactive-map.js";
import { type MapOptions, mapRules } from "./layer-map.js";
import { mapModel } from "./map-model.js";
import { timedValues } from "./timed-values.js";

/** Options of `mapPanels()`. All others are passed to Plot. */
export interface MapPanelsOptions extends MapOptions {
  /** Dates, ascending. Default: six of the days on which the column changed, including the first and the last. */
  readonly dates?: Dates;
  /**
   * Whether two dates share one map with a movable divider: the first on the left, the second on the right. Without scripts
   * and in print, they are next to each other. Default: false.
   */
  readonly swipe?: boolean;
}

/** Maximum number of maps in a figure, and of shapes on all of them. */
const [MOST_PANELS, MOST_SHAPES] = [400, 2_000_000];

export const mapPanelsRules: OptionRules<MapPanelsOptions> = {
  ...mapRules,
  dates: anything,
  swipe: flag,
};

/**
 * Returns the same map at several dates, side by side: features that existed then, colored by the column as of the date.
 * Unknown values are hatched.
 *
 * @param data a history, or a table with `date`, `id`, `geometry` and the column
 * @param column the property that colors the features
 * @throws ArgumentError for an unknown column, and for `swipe` with other than two dates
 * @example
 * mapPanels(trenchHistory, "STATUS", { dates: ["2023-12-31", "2024-03-31"], height: 260 })
 */
export function mapPanels(data: History | Layer | ColumnTable, column: string, options?: MapPanelsOptions): Figure;
export function mapPanels(
  data: History | Layer | ColumnTable,
  column: string,
  options: MapPanelsOptions = {},
  ...former: readonly unknown[]
): Figure {
  requireNoDates(options, former);
  checkOptions("mapPanels()", options, mapPanelsRules);
  const { dates, order, thresholds, background, basemap, tip, href, swipe = false, ...plotOptions } = options;
  const values = timedValues(data, column, { dates, maxDays: 6, order, thresholds, tip, href });
  requireDrawable(values.dates.length, "dates", MOST_PANELS);
  requireDrawable(values.dates.length * values.features.length, "shapes", MOST_SHAPES);
  if (swipe) requireTwoDates(values.dates);
  const content = { data, column, title: `${column} over time`, requestedDates: dates, plotOptions };
  return figureOfMap(mapModel(values, content, { background, basemap }), swipe ? "swipe" : "panels");
}

/** Dates were an argument of earlier calls of this kind. */
function requireNoDates(options: unknown, former: readonly unknown[]): void {
  const isOptions = typeof options === "object" && options !== null && !Array.isArray(options) && !("every" in options);
  if (isOptions && former.length === 0) return;
  throw new ArgumentError("mapPanels(): dates must be an option, not an argument.", {
    hint: "Move them into the options: mapPanels(data, column, { dates, … }).",
  });
}

function requireTwoDates(dates: readonly string[]): void {
  if (dates.length === 2) return;
  throw new ArgumentError(`mapPanels(): swipe needs two dates, got ${dates.length}.`, {
    hint: "For example: { dates: [before, after], swipe: true }.",
    facts: { dates },
  });
}
