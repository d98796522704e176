import type { Markish } from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import type { Geometry } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { anything, checkOptions, type OptionRules } from "../../core/options.js";
import type { Provenance } from "../../core/provenance.js";
import type { Grid } from "../../history/time/date-grid.js";
import type { History, Layer } from "../../layer/layer.js";
import { displaySymbol, type MimeBundle } from "../../tables/display/mime-bundle.js";
import { chart } from "../figure/chart.js";
import { displayMethod } from "../figure/figure-bundle.js";
import { type PngOptions, toPNG } from "../figure/to-png.js";
import { drawnGround, groundCaption } from "../ground/ground.js";
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
import { type TimedValues, timedValues } from "./timed-values.js";

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
  /**
   * Writes the dates as PNG images of one size, `frame-0001.png` and so on, each with title, legend, scale and date.
   *
   * @returns their paths
   * @throws ArgumentError if the folder is not empty, for an unknown date, and for an unsuitable size or background
   */
  toFrames(options: FramesOptions): Promise<readonly string[]>;
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
  const {
    dates,
    order,
    thresholds,
    background,
    ground,
    tip,
    href,
    title = `${column} over time`,
    subtitle,
    ...plotOptions
  } = options;
  const values = timedValues(data, column, { dates, maxDays: 300, order, thresholds, tip, href });
  const width = plotOptions.width ?? 760;
  const below = drawnGround(ground, data);
  const drawingOf = (wide: number) =>
    mapDrawing(values.features, background, below, { width: wide, maxHeight: 600, furniture: 44 });
  const drawing = drawingOf(width);
  const lastDate = values.dates.at(-1);
  if (!drawing || lastDate === undefined) {
    throw new ArgumentError("A time map needs at least one date and one feature with a place.");
  }
  const count = `${values.features.length.toLocaleString("en-US")} features`;
  const last = values.dates.length - 1;
  const drawAt = (
    date: number,
    plan: MapDrawing,
    wide: number,
    shapes: readonly MapItem[],
    said: string,
    finder?: Markish,
  ) =>
    chart(
      {
        ...wholeMap(plan, shapes, wide, finder),
        ariaLabel: `Map of ${values.features.length} features by ${column} on ${values.dates[date]}; values: ${values.labels.join(", ")}.`,
        provenance: data,
        title,
        subtitle: subtitle ?? said,
        ...captionOf(historyNotes(data, column, { dates }), groundCaption(plan)),
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
    const still = draw(plan, wide, itemsAt(values, last, plan.geometries), `${count} on ${lastDate}`);
    return {
      still,
      svg: () => shortPaths(still.toSVG()),
      // Not longer than the still's, so that it takes no more lines.
      furniture: (mark) => draw(plan, wide, [], `${count}, ${values.dates.length} dates`, mark),
      finder: paneFinder(plan, [{}]),
      radius: plan.radius,
    };
  };
  const facts = `${count}, ${values.dates.length} dates from ${values.dates[0]} to ${lastDate}`;
  const map: InteractiveMap = {
    wide: formOf(drawing, width),
    narrow: () => (plotOptions.width === undefined ? narrowForm(drawingOf, formOf) : undefined),
    facts: () => ({
      features: values.features,
      links: values.links,
      drawing,
      labels: values.labels,
      columns: values.told,
      dates: values.dates,
      plays: true,
    }),
  };
  const toSVG = map.wide.svg;
  return {
    tagName: "figure",
    get outerHTML() {
      return interactiveHtmlNow(map);
    },
    provenance: map.wide.still.provenance,
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

/** Labels with how many features have them at a date, and room for as many as there are. */
function tallyAt({ features, labels, codes }: TimedValues, date: number): (label: string) => string {
  const tallies = new Map<string, number>();
  for (const code of codes.subarray(date * features.length, (date + 1) * features.length)) {
    const label = labels[code - 1];
    if (label !== undefined) tallies.set(label, (tallies.get(label) ?? 0) + 1);
  }
  const most = features.length.toLocaleString("en-US").length;
  return (label) => {
    const count = (tallies.get(label) ?? 0).toLocaleString("en-US");
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

/** Coordinates to a tenth of a pixel: half the size, and nobody sees it. */
function shortPaths(svg: string): string {
  return svg.replace(/ d="[^"]*"/g, (path) => path.replace(/(\.\d)\d+/g, "$1"));
}
