import type { Markish } from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import type { Geometry } from "geojson";
import { checkOptions } from "../../core/check-options.js";
import { ArgumentError } from "../../core/errors.js";
import { anything, type OptionRules } from "../../core/option-rules.js";
import type { Provenance } from "../../core/provenance.js";
import { displaySymbol } from "../../display/bundle/display-symbol.js";
import type { MimeBundle } from "../../display/bundle/mime-bundle.js";
import { escapeHtml } from "../../display/text/escape-html.js";
import type { History } from "../../history/history.js";
import type { Grid } from "../../history/time/date-grid.js";
import type { Layer } from "../../layer/layer.js";
import { chart, filledRange } from "../figure/chart.js";
import { chartOf } from "../figure/chart-of.js";
import type { DomElement } from "../figure/dom-element.js";
import { stillPng } from "../figure/figure-bundle.js";
import { provenanceLine } from "../figure/provenance-line.js";
import { type PngOptions, toPNG } from "../figure/to-png.js";
import { type MapOptions, mapRules } from "./layer-map.js";
import { mapDrawing } from "./map-drawing.js";
import { kindOf } from "./map-marks.js";
import { timeMapHtml } from "./time-map-html.js";
import { type TimedValues, timedValues } from "./timed-values.js";
import { wholeMap } from "./whole-map.js";

/** Options of `timeMap()`; all others go to Plot. */
export interface TimeMapOptions extends MapOptions {
  /** Ascending. By default the days on which the column changed, at most 300 of them. */
  readonly dates?: Grid;
  /** Title above the map. By default the column "over time". */
  readonly title?: string;
  /** A line below the title. */
  readonly subtitle?: string;
}

const timeMapRules: OptionRules<TimeMapOptions> = {
  ...mapRules,
  dates: anything,
};

/** A map that plays: HTML with a frame of its own. It shows itself in notebooks. */
export interface TimeMap {
  /** `DIV`: what shows HTML elements takes it for one. */
  readonly tagName: string;
  /** The map as HTML that loads nothing. */
  readonly outerHTML: string;
  /** Where the data come from and when they were read, if that is known. */
  readonly provenance: Provenance | undefined;
  /** The last date as a still image. */
  toSVG(): string;
  /**
   * The last date as a still PNG image.
   *
   * @throws ArgumentError for a size or a background that cannot be
   */
  toPNG(options?: PngOptions): Promise<Uint8Array>;
  /** HTML, and a PNG of the last date for those that may not or cannot show it. */
  [displaySymbol](): Promise<MimeBundle>;
}

/**
 * A map with a date slider and a play button: features that existed at each date, coloured by the column. It needs no
 * other file and no network. Where scripts are not allowed it shows the last date.
 *
 * @param data a history, or a table with `date`, `id`, `geometry` and the column
 * @param column the property that colours the features
 * @throws ArgumentError also without any date or place
 */
export function timeMap(data: History | Layer | ColumnTable, column: string, options: TimeMapOptions = {}): TimeMap {
  checkOptions("timeMap()", options, timeMapRules);
  const { dates, order, thresholds, background, title = `${column} over time`, subtitle, ...plotOptions } = options;
  const timed = timedValues(data, column, { dates, maxDays: 300, order, thresholds });
  const { range = timed.colours } = filledRange({ range: timed.colours }, plotOptions.color);
  const values = { ...timed, colours: Array.from(range as Iterable<unknown>, String) };
  const width = plotOptions.width ?? 760;
  const drawing = mapDrawing(values.features, background, { width, maxHeight: 600, furniture: 44 });
  const lastDate = values.dates.at(-1);
  if (!drawing || lastDate === undefined) {
    throw new ArgumentError("A time map needs at least one date and one feature with a place.");
  }
  let shapes: readonly string[] = [];
  // Only Plot knows the projection that it fits to the frame; a mark gets to see it.
  const captureShapes = ((
    _index: unknown,
    _scales: unknown,
    _values: unknown,
    _dimensions: unknown,
    plot: PlotContext,
  ) => {
    const path = plot.path().digits(1).pointRadius(drawing.radius);
    shapes = drawing.geometries.map((geometry) => (kindOf(geometry) === "line" ? "L" : "") + (path(geometry) ?? ""));
    return null;
  }) as unknown as Markish;
  const map = wholeMap(drawing, itemsAtEnd(values, drawing.geometries), width);
  const still = chart(
    {
      ...map,
      ariaLabel: `Map of ${values.features.length} features by ${column} on ${lastDate}; values: ${values.labels.join(", ")}.`,
      provenance: data,
      title,
      subtitle: subtitle ?? `${values.features.length.toLocaleString("en-US")} features on ${lastDate}`,
      color: { type: "ordinal", domain: values.labels, range: values.colours, legend: true },
      marks: [...map.marks, captureShapes],
    },
    plotOptions,
  );
  const facts = `${values.features.length.toLocaleString("en-US")} features, ${values.dates.length} dates from ${values.dates[0]} to ${lastDate}`;
  const outerHTML = timeMapHtml({
    ...values,
    title,
    subtitle: subtitle ?? facts,
    still: shortPaths(chartOf(still as unknown as DomElement)?.outerHTML ?? ""),
    footer: still.provenance && plotOptions.provenance !== false ? provenanceLine(still.provenance) : "",
    shapes,
  });
  const toSVG = () => shortPaths(still.toSVG());
  return {
    tagName: "figure",
    outerHTML,
    provenance: still.provenance,
    toSVG,
    toPNG: (png) => toPNG({ toSVG }, png),
    [displaySymbol]: async () => {
      const png = await stillPng(toSVG());
      return {
        "text/plain": `[Time map: ${facts}]`,
        "text/html": withHiddenStill(outerHTML, png, title, width),
        "image/png": png,
      };
    },
  };
}

interface PlotContext {
  path(): Path;
}
interface Path {
  digits(count: number): Path;
  pointRadius(radius: number): Path;
  (geometry: Geometry): string | null;
}

function itemsAtEnd({ features, dates, labels, codes }: TimedValues, geometries: readonly Geometry[]) {
  const offset = (dates.length - 1) * features.length;
  return features.flatMap(({ name, ...feature }, row) => {
    const label = labels[(codes[offset + row] ?? 0) - 1];
    const geometry = geometries[row] ?? feature.geometry;
    return label === undefined ? [] : [{ geometry, label, title: `${name}: ${label}` }];
  });
}

/**
 * The same HTML with an image that nobody sees: Jupyter removes frames from notebooks that it does not trust, and
 * `hidden` too.
 */
function withHiddenStill(html: string, png: string, title: string, width: number): string {
  const image = `<img hidden alt="${escapeHtml(title)}" width="${width}" src="data:image/png;base64,${png}">`;
  return html.replace(/<\/figure>$/, () => `${image}</figure>`);
}

/** Coordinates to a tenth of a pixel: half the size, and nobody sees it. */
function shortPaths(svg: string): string {
  return svg.replace(/ d="[^"]*"/g, (path) => path.replace(/(\.\d)\d+/g, "$1"));
}
