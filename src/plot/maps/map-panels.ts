import type { Markish } from "@observablehq/plot";
import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import type { Geometry } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { formatCount } from "../../core/format/format-number.js";
import { anything, checkOptions, flag, type OptionRules } from "../../core/options.js";
import type { Dates } from "../../history/time/date-grid.js";
import type { History, Layer } from "../../layer/layer.js";
import { basemapCaption, drawnBasemap } from "../basemap/basemap.js";
import { basemapMark, basemapNamesMark } from "../basemap/basemap-marks.js";
import { chart } from "../figure/chart.js";
import type { Figure } from "../figure/figure.js";
import { narrowWidth } from "../figure/svg-text.js";
import { hatch } from "../values/palette.js";
import { captionOf, historyNotes } from "../values/present-note.js";
import { requireDrawable } from "../values/require-drawable.js";
import { interactiveMap, type MapForm, mapForm, narrowForm } from "./interactive-map.js";
import { type MapOptions, mapRules } from "./layer-map.js";
import { type MapDrawing, mapDrawing } from "./map-drawing.js";
import { backgroundMark, type MapItem, mapMarks } from "./map-marks.js";
import type { Panel } from "./map-panes.js";
import { mapDecorations } from "./scale-bar.js";
import { type TimedValues, timedContent, timedValues } from "./timed-values.js";

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

/** Pixels of a panel for its date, scale bar and arrow. */
const headroom = 28;
/** Pixels below a map of two dates for its scale bar. */
const BELOW = 32;

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
  const { features, labels, colours } = values;
  requireDrawable(values.dates.length, "dates", MOST_PANELS);
  requireDrawable(values.dates.length * features.length, "shapes", MOST_SHAPES);
  if (swipe) requireTwoDates(values.dates);
  const { height } = plotOptions;
  const linesOf = (across: number) => Math.ceil(values.dates.length / across);
  const columns = Math.min(values.dates.length, values.dates.length === 4 ? 2 : 3);
  const width = plotOptions.width ?? 940;
  const below = drawnBasemap(basemap, data);
  const drawingOf = (wide: number, across: number) =>
    mapDrawing(features, background, below, { width: (wide - 12) / across, maxHeight: 520, decorations: 34 });
  const drawing = drawingOf(width, columns);
  if (!drawing || columns === 0) {
    const nothing = drawing ? "No dates" : "No features with a location";
    return chart(
      { ariaLabel: "Maps of nothing", provenance: data, title: `${column} over time`, nothing },
      plotOptions,
    );
  }
  const draw = ({ plan, width, panels, lines, isWhole = false }: Plan, shapes: readonly MapItem[], finder?: Markish) =>
    chart(
      {
        ariaLabel: `Maps of ${features.length} features by ${column} on ${values.dates.join(", ")}; values: ${labels.join(", ")}.`,
        provenance: data,
        title: `${column} over time`,
        subtitle: `${formatCount(features.length)} features as of each date`,
        ...captionOf(historyNotes(data, column, { dates }), basemapCaption(plan)),
        width,
        height: plan.height * lines + 12,
        margin: 6,
        marginLeft: 6,
        marginBottom: isWhole ? BELOW : 6,
        projection: { ...plan.view.projection, insetTop: headroom + (isWhole ? 8 : 0) },
        fx: { axis: null, padding: 0.03 },
        fy: { axis: null, padding: 0.04 },
        color: { type: "ordinal", domain: labels, range: colours, legend: true },
        marks: [
          hatch(),
          finder,
          ...(finder ? [] : [basemapMark(plan, headroom), backgroundMark(plan.below)]),
          ...mapMarks(shapes, plan.radius),
          ...(finder ? [] : [basemapNamesMark(plan, headroom)]),
          ...(isWhole ? [] : [captionMark(panels.map((panel, date) => ({ ...panel, day: values.dates[date] })))]),
          mapDecorations(plan.view.centre, isWhole ? "below" : "corner"),
        ],
      },
      // A height set by the caller applies to the number of rows on a wide page.
      height === undefined ? plotOptions : { ...plotOptions, height: (height * lines) / linesOf(columns) },
    );
  /** The fallback has a map of each date; the frame has one map of both, as wide and as high as they are together. */
  const swipeForm = (wide: number): MapForm | undefined => {
    const [pair, whole] = [drawingOf(wide, 2), drawingOf(wide, 1)];
    if (!pair || !whole) return undefined;
    // Neither uses all of the available space.
    const height = Math.round(Math.sqrt(pair.height * whole.height));
    const panels = [{ fx: "0" }, { fx: "1" }];
    const items = panelItems(values, pair.geometries, panels);
    const both = { plan: { ...pair, height }, width: wide, panels, lines: 1 };
    const one = { plan: { ...whole, height }, width: wide, panels: [{}], lines: 1, isWhole: true };
    const drawEither = (shapes: readonly MapItem[], finder?: Markish) => draw(finder ? one : both, shapes, finder);
    return mapForm(one.plan, items, drawEither, [{}, {}], headroom);
  };
  const formOf = (plan: MapDrawing, wide: number, across: number) => {
    const panels = values.dates.map((_, date) => ({
      fx: String(date % across),
      fy: String(Math.floor(date / across)),
    }));
    const whole = { plan, width: wide, panels, lines: linesOf(across) };
    const items = panelItems(values, plan.geometries, panels);
    return mapForm(plan, items, (shapes, finder) => draw(whole, shapes, finder), panels, headroom);
  };
  // On a phone, maps are below each other.
  const narrow = () =>
    swipe
      ? swipeForm(narrowWidth)
      : narrowForm(
          (wide) => drawingOf(wide, 1),
          (plan, wide) => formOf(plan, wide, 1),
        );
  return interactiveMap({
    wide: (swipe ? swipeForm(width) : undefined) ?? formOf(drawing, width, columns),
    narrow: () => (plotOptions.width === undefined ? narrow() : undefined),
    content: () => timedContent(values, drawing, { swipe }),
  });
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

/** The items of each date in its panel. */
function panelItems(
  { dates, features, labels, codes }: TimedValues,
  geometries: readonly Geometry[],
  panels: readonly Panel[],
): readonly MapItem[] {
  return dates.flatMap((day, date) =>
    features.flatMap(({ name, ...feature }, row) => {
      const geometry = geometries[row] ?? feature.geometry;
      const label = labels[(codes[date * features.length + row] as number) - 1];
      return label === undefined ? [] : [{ geometry, label, title: `${name}, ${day}: ${label}`, ...panels[date] }];
    }),
  );
}

/** Small multiples of some width. */
interface Plan {
  readonly plan: MapDrawing;
  readonly width: number;
  readonly panels: readonly Panel[];
  readonly lines: number;
  /** Whether it is a single map of all dates, which the frame separates. */
  readonly isWhole?: boolean;
}

/** The date of each panel in its corner. */
function captionMark(captions: readonly object[]): Markish {
  return ObservablePlot.text(captions, {
    fx: "fx",
    fy: "fy",
    text: "day",
    frameAnchor: "top-left",
    dx: 8,
    dy: 4,
    fontWeight: "bold",
    fontSize: 13,
  });
}
