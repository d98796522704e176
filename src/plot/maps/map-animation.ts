import type { Markish } from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import type { Geometry } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { formatCount } from "../../core/format/format-number.js";
import { anything, checkOptions, type OptionRules } from "../../core/options.js";
import type { Provenance } from "../../core/provenance.js";
import type { Dates } from "../../history/time/date-grid.js";
import type { History, Layer } from "../../layer/layer.js";
import { displaySymbol, type MimeBundle } from "../../tables/display/mime-bundle.js";
import { basemapCaption, drawnBasemap } from "../basemap/basemap.js";
import { chart } from "../figure/chart.js";
import { displayMethod } from "../figure/figure-bundle.js";
import { type PngOptions, toPNG } from "../figure/to-png.js";
import { captionOf, historyNotes } from "../values/present-note.js";
import {
  type InteractiveMap,
  interactiveBundle,
  interactiveHtmlNow,
  type MapForm,
  narrowForm,
  wholeMap,
} from "./interactive-map.js";
import { type MapOptions, mapRules } from "./layer-map.js";
import { type MapDrawing, mapDrawing } from "./map-drawing.js";
import { type FramesOptions, writeFrames } from "./map-frames.js";
import type { MapItem } from "./map-marks.js";
import { paneFinder } from "./map-panes.js";
import { type TimedValues, timedContent, timedValues } from "./timed-values.js";

/** Options of `mapAnimation()`. All others are passed to Plot. */
export interface MapAnimationOptions extends MapOptions {
  /** Dates, ascending. Default: the days on which the column changed, at most 300 of them. */
  readonly dates?: Dates;
  /** Title above the map. Default: the column "over time". */
  readonly title?: string;
  /** Line below the title. */
  readonly subtitle?: string;
}

const mapAnimationRules: OptionRules<MapAnimationOptions> = {
  ...mapRules,
  dates: anything,
};

/** An animated map: HTML with a separate frame. Notebooks display it. */
export interface MapAnimation {
  /** `DIV`, so that hosts of HTML elements accept it. */
  readonly tagName: string;
  /** The map as HTML that loads nothing. */
  readonly outerHTML: string;
  /** Origin and read time of the data, if known. */
  readonly provenance: Provenance | undefined;
  /** Returns the last date as an SVG image. */
  toSVG(): string;
  /**
   * Returns the last date as a PNG image.
   *
   * @throws ArgumentError for an invalid size or background
   */
  toPNG(options?: PngOptions): Promise<Uint8Array>;
  /**
   * Writes the dates as PNG images of one size, `frame-0001.png` and so on, each with title, legend, scale and date.
   *
   * @returns their paths
   * @throws ArgumentError if the folder is not empty, for an unknown date, and for an unsuitable size or background
   */
  toFrames(options: FramesOptions): Promise<readonly string[]>;
  /** HTML, and a PNG of the last date for hosts that cannot show it. */
  [displaySymbol](): Promise<MimeBundle>;
}

/**
 * Returns a map with a date slider and a play button: features that existed at each date, colored by the column. It needs
 * no other file and no network. Without scripts it shows the last date.
 *
 * @param data a history, or a table with `date`, `id`, `geometry` and the column
 * @param column the property that colors the features
 * @throws ArgumentError for an unknown column, and for data without a date or a location
 * @example
 * mapAnimation(trenchHistory, "STATUS", { dates: ["2023-12-31", "2024-03-31", "2024-06-30"], height: 300 })
 */
export function mapAnimation(
  data: History | Layer | ColumnTable,
  column: string,
  options: MapAnimationOptions = {},
): MapAnimation {
  checkOptions("mapAnimation()", options, mapAnimationRules);
  const {
    dates,
    order,
    thresholds,
    background,
    basemap,
    tip,
    href,
    title = `${column} over time`,
    subtitle,
    ...plotOptions
  } = options;
  const values = timedValues(data, column, { dates, maxDays: 300, order, thresholds, tip, href });
  const width = plotOptions.width ?? 760;
  const below = drawnBasemap(basemap, data);
  const drawingOf = (wide: number) =>
    mapDrawing(values.features, background, below, { width: wide, maxHeight: 600, decorations: 44 });
  const drawing = drawingOf(width);
  const lastDate = values.dates.at(-1);
  if (!drawing || lastDate === undefined) {
    throw new ArgumentError("mapAnimation() needs at least one date and one feature with a location.");
  }
  const count = `${formatCount(values.features.length)} features`;
  const last = values.dates.length - 1;
  const drawAt = (
    date: number,
    plan: MapDrawing,
    wide: number,
    shapes: readonly MapItem[],
    label: string,
    finder?: Markish,
  ) =>
    chart(
      {
        ...wholeMap(plan, shapes, wide, finder),
        ariaLabel: `Map of ${values.features.length} features by ${column} on ${values.dates[date]}; values: ${values.labels.join(", ")}.`,
        provenance: data,
        title,
        subtitle: subtitle ?? label,
        ...captionOf(historyNotes(data, column, { dates }), basemapCaption(plan)),
        color: {
          type: "ordinal",
          domain: values.labels,
          range: values.colours,
          legend: true,
          tickFormat: tallyAt(values, date),
        },
      },
      plotOptions,
    );
  const draw = (...drawn: [MapDrawing, number, readonly MapItem[], string, Markish?]) => drawAt(last, ...drawn);
  const formOf = (plan: MapDrawing, wide: number): MapForm => {
    const fallback = draw(plan, wide, itemsAt(values, last, plan.geometries), `${count} on ${lastDate}`);
    return {
      fallback,
      svg: () => shortPaths(fallback.toSVG()),
      // At most as long as the fallback's, so that it has the same number of lines.
      decorations: (mark) => draw(plan, wide, [], `${count}, ${values.dates.length} dates`, mark),
      finder: paneFinder(plan, [{}]),
      radius: plan.radius,
    };
  };
  const facts = `${count}, ${values.dates.length} dates from ${values.dates[0]} to ${lastDate}`;
  const map: InteractiveMap = {
    wide: formOf(drawing, width),
    narrow: () => (plotOptions.width === undefined ? narrowForm(drawingOf, formOf) : undefined),
    content: () => timedContent(values, drawing, { plays: true }),
  };
  const toSVG = map.wide.svg;
  return {
    tagName: "figure",
    get outerHTML() {
      return interactiveHtmlNow(map);
    },
    provenance: map.wide.fallback.provenance,
    toSVG,
    toPNG: (png) => toPNG({ toSVG }, png),
    toFrames: (frames) => {
      const svgAt = (date: number) => {
        const shapes = itemsAt(values, date, drawing.geometries);
        return shortPaths(drawAt(date, drawing, width, shapes, `${count} on ${values.dates[date]}`).toSVG());
      };
      return writeFrames({ dates: values.dates, svgAt }, frames);
    },
    [displaySymbol]: displayMethod(() => interactiveBundle(map, `[Time map: ${facts}]`)),
  };
}

/** Labels with the number of features at a date, padded to a common width. */
function tallyAt({ features, labels, codes }: TimedValues, date: number): (label: string) => string {
  const tallies = new Map<string, number>();
  for (const code of codes.subarray(date * features.length, (date + 1) * features.length)) {
    const label = labels[code - 1];
    if (label !== undefined) tallies.set(label, (tallies.get(label) ?? 0) + 1);
  }
  const most = formatCount(features.length).length;
  return (label) => {
    const count = formatCount(tallies.get(label) ?? 0);
    // A space is narrower than a digit.
    return `${label} ${count}${"\u00a0".repeat(Math.ceil(1.5 * (most - count.length)))}`;
  };
}

function itemsAt({ features, labels, codes }: TimedValues, date: number, geometries: readonly Geometry[]) {
  const offset = date * features.length;
  return features.flatMap(({ name, ...feature }, row) => {
    const label = labels[(codes[offset + row] as number) - 1];
    const geometry = geometries[row] ?? feature.geometry;
    return label === undefined ? [] : [{ geometry, label, title: `${name}: ${label}` }];
  });
}

/** Rounds coordinates to a tenth of a pixel, which halves the size without a visible difference. */
function shortPaths(svg: string): string {
  return svg.replace(/ d="[^"]*"/g, (path) => path.replace(/(\.\d)\d+/g, "$1"));
}
