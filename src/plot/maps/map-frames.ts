import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { REMOVE_FOLDER, renamePath } from "../../core/busy-files.js";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { makeFolderOf } from "../../core/make-folder.js";
import { nameHint } from "../../core/nearest-name.js";
import { abortSignal, list, type OptionRules, required, requireOptions, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { svgSize } from "../figure/svg-text.js";
import { type PngOptions, pngRules, toPNG } from "../figure/to-png.js";

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
export async function writeFrames(map: DatedMap, options: FramesOptions): Promise<readonly string[]> {
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
