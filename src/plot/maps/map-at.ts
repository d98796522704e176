import type { Markish } from "@observablehq/plot";
import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { checkOptions } from "../../core/check-options.js";
import { ArgumentError } from "../../core/errors.js";
import { anything, type OptionRules } from "../../core/option-rules.js";
import type { History } from "../../history/history.js";
import type { Grid } from "../../history/time/date-grid.js";
import type { Layer } from "../../layer/layer.js";
import { chart, emptyNote } from "../figure/chart.js";
import type { Figure } from "../figure/figure.js";
import { hatch } from "../values/hatch.js";
import { interactiveMap } from "./interactive-map.js";
import { type MapOptions, mapRules } from "./layer-map.js";
import { mapDrawing } from "./map-drawing.js";
import { mapFurniture } from "./map-furniture.js";
import { backgroundMark, type MapItem, mapMarks } from "./map-marks.js";
import { paneFinder } from "./map-panes.js";
import { timedValues } from "./timed-values.js";

/** Options of `mapAt()`; all others go to Plot. */
export interface MapAtOptions extends MapOptions {
  /** Ascending. By default six of the days on which the column changed, the first and the last among them. */
  readonly dates?: Grid;
}

/** Pixels of a panel for its day, scale bar and arrow. */
const headroom = 28;

const mapAtRules: OptionRules<MapAtOptions> = {
  ...mapRules,
  dates: anything,
};

/**
 * The same map at several dates, side by side: features that existed then, coloured by the column as of the date.
 * Unknown values are hatched.
 *
 * @param data a history, or a table with `date`, `id`, `geometry` and the column
 * @param column the property that colours the features
 * @throws ArgumentError
 */
export function mapAt(data: History | Layer | ColumnTable, column: string, options?: MapAtOptions): Figure;
export function mapAt(
  data: History | Layer | ColumnTable,
  column: string,
  options: MapAtOptions = {},
  ...former: readonly unknown[]
): Figure {
  if (typeof options !== "object" || Array.isArray(options) || "every" in options || former.length > 0) {
    throw new ArgumentError("mapAt() takes its dates as an option.", {
      hint: "Give mapAt(data, column, { dates, … }), with all other options beside them.",
    });
  }
  checkOptions("mapAt()", options, mapAtRules);
  const { dates, order, thresholds, background, tip, ...plotOptions } = options;
  const values = timedValues(data, column, { dates, maxDays: 6, order, thresholds, tip });
  const { features, labels, colours, codes } = values;
  const columns = Math.min(values.dates.length, values.dates.length === 4 ? 2 : 3);
  const lines = Math.ceil(values.dates.length / columns);
  const width = plotOptions.width ?? 940;
  const space = { width: (width - 12) / columns, maxHeight: 520, furniture: 34 };
  const drawing = mapDrawing(features, background, space);
  if (!drawing || columns === 0) {
    const nothing = drawing ? "No dates" : "No features with a place";
    return chart({ ariaLabel: "Maps of nothing", provenance: data, marks: [emptyNote(nothing)] }, plotOptions);
  }
  const panel = (date: number) => ({ fx: String(date % columns), fy: String(Math.floor(date / columns)) });
  const items = values.dates.flatMap((day, date) =>
    features.flatMap(({ name, ...feature }, row) => {
      const geometry = drawing.geometries[row] ?? feature.geometry;
      const label = labels[(codes[date * features.length + row] ?? 0) - 1];
      return label === undefined ? [] : [{ geometry, label, title: `${name}, ${day}: ${label}`, ...panel(date) }];
    }),
  );
  const captions = values.dates.map((day, date) => ({ day, ...panel(date) }));
  const draw = (shapes: readonly MapItem[], finder?: Markish) =>
    chart(
      {
        ariaLabel: `Maps of ${features.length} features by ${column} on ${values.dates.join(", ")}; values: ${labels.join(", ")}.`,
        provenance: data,
        title: `${column} over time`,
        subtitle: `${features.length.toLocaleString("en-US")} features as of each date`,
        width,
        height: drawing.height * lines + 12,
        margin: 6,
        marginLeft: 6,
        marginBottom: 6,
        projection: { ...drawing.view.projection, insetTop: headroom },
        fx: { axis: null, padding: 0.03 },
        fy: { axis: null, padding: 0.04 },
        color: { type: "ordinal", domain: labels, range: colours, legend: true },
        marks: [
          hatch(),
          finder ?? backgroundMark(drawing.below),
          ...mapMarks(shapes, drawing.radius),
          captionMark(captions),
          mapFurniture(drawing.view.centre, "corner"),
        ],
      },
      plotOptions,
    );
  return interactiveMap({
    still: draw(items),
    furniture: (finder) => draw([], finder),
    finder: paneFinder(drawing.view.centre, captions, headroom),
    facts: () => ({
      features,
      background: drawing.below,
      radius: drawing.radius,
      labels,
      columns: values.told,
      dates: values.dates,
    }),
  });
}

/** The day of each panel in its corner. */
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
