import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ColumnTable } from "arquero";
import { REMOVE_FOLDER, renamePath } from "../../core/busy-files.js";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { makeFolderOf } from "../../core/make-folder.js";
import { nameHint } from "../../core/nearest-name.js";
import {
  abortSignal,
  anything,
  checkOptions,
  list,
  type OptionRules,
  required,
  requireOptions,
  text,
} from "../../core/options.js";
import type { Provenance } from "../../core/provenance.js";
import { showValue } from "../../core/show-value.js";
import type { Dates } from "../../history/time/date-grid.js";
import type { History, Layer } from "../../layer/layer.js";
import { displaySymbol, type MimeBundle } from "../../tables/display/mime-bundle.js";
import { displayMethod } from "../figure/figure-bundle.js";
import { svgSize } from "../figure/svg-text.js";
import { type PngOptions, pngRules, toPNG } from "../figure/to-png.js";
import { countOf } from "./draw-map.js";
import { mapOutputs } from "./interactive-map.js";
import { type MapOptions, mapRules } from "./layer-map.js";
import { mapModel } from "./map-model.js";
import { timedValues } from "./timed-values.js";

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

/** Options of `toFrames()` of a map animation. */
export interface FramesOptions extends PngOptions {
  /** A new or empty folder. */
  readonly folder: string;
  /** Dates of the map to write. Default: all. */
  readonly dates?: readonly string[];
  /** Signal to cancel the call. */
  readonly signal?: AbortSignal;
}

const framesRules: OptionRules<FramesOptions> = {
  ...pngRules,
  folder: required(text),
  dates: list,
  signal: abortSignal,
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
  const content = { data, column, title, subtitle, requestedDates: dates, plotOptions };
  const map = mapOutputs(mapModel(values, content, { background, basemap }), "animation");
  if (!map) throw new ArgumentError("mapAnimation() needs at least one date and one feature with a location.");
  const range = `${values.dates.length} dates from ${values.dates[0]} to ${values.dates.at(-1)}`;
  const text = `[Time map: ${countOf(values.features)}, ${range}]`;
  const toSVG = map.svg;
  return {
    tagName: "figure",
    get outerHTML() {
      return map.html();
    },
    provenance: map.fallback.provenance,
    toSVG,
    toPNG: (png) => toPNG({ toSVG }, png),
    toFrames: (frames) => writeFrames({ dates: values.dates, svgAt: map.svgAt }, frames),
    [displaySymbol]: displayMethod(() => map.bundle(text)),
  };
}

/** A map whose dates are drawn one by one. */
interface DatedMap {
  readonly dates: readonly string[];
  /** The map at a date, by its index, as an image file. */
  readonly svgAt: (date: number) => string;
}

/**
 * Writes the dates of a map as PNG images of one size. One image is in memory at a time.
 *
 * @returns their paths
 * @throws ArgumentError if the folder is not empty, for an unknown date, and for an unsuitable size or background
 */
async function writeFrames(map: DatedMap, options: FramesOptions): Promise<readonly string[]> {
  requireOptions("toFrames()", options, framesRules);
  const { folder, dates = map.dates, signal, ...png } = options;
  const indices = dates.map((date) => dateIndex(map.dates, date));
  const target = resolve(folder);
  const existing = await readdir(target).catch(() => undefined);
  if (existing && existing.length > 0) {
    throw new ArgumentError(`toFrames(): the folder ${folder} is not empty.`, {
      hint: "Choose a new folder, so that images of different calls are not mixed.",
      facts: { folder },
    });
  }
  const unfinished = `${target}.${randomUUID()}.unfinished`;
  const names: string[] = [];
  try {
    await makeFolderOf(unfinished);
    await mkdir(unfinished);
    let size: ReturnType<typeof svgSize> | undefined;
    for (const index of indices) {
      signal?.throwIfAborted();
      const svg = map.svgAt(index);
      size ??= svgSize(svg);
      const { height, width } = size;
      const fitted = svg.replace(
        / height="[^"]*" viewBox="[^"]*"/,
        ` height="${height}" viewBox="0 0 ${width} ${height}"`,
      );
      const name = `frame-${String(names.length + 1).padStart(4, "0")}.png`;
      await writeFile(join(unfinished, name), await toPNG({ toSVG: () => fitted }, png));
      names.push(name);
    }
    if (existing) await rmdir(target);
    await renamePath(unfinished, target);
  } finally {
    await rm(unfinished, REMOVE_FOLDER);
  }
  return names.map((name) => join(target, name));
}

/** @throws ArgumentError for a date that the map does not have */
function dateIndex(dates: readonly string[], date: string): number {
  const index = dates.indexOf(date);
  if (index >= 0) return index;
  const range = `It has ${counted(dates.length, "date")} from ${dates[0]} to ${dates.at(-1)}.`;
  throw new ArgumentError(`toFrames(): unknown date ${showValue(date)}.`, {
    hint: nameHint(date, dates, range),
    facts: { option: "dates" },
  });
}
