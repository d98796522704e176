import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { findScreen } from "../../client/progress/progress-screen.js";
import { progressView } from "../../client/progress/progress-view.js";
import { REMOVE_FOLDER, renamePath } from "../../core/busy-files.js";
import { counted } from "../../core/counted.js";
import { systemEffects } from "../../core/effects.js";
import { ArgumentError } from "../../core/errors.js";
import { makeFolderOf } from "../../core/make-folder.js";
import { nameHint } from "../../core/nearest-name.js";
import {
  abortSignal,
  checkOptions,
  flag,
  list,
  numeric,
  type OptionRule,
  type OptionRules,
  text,
} from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { svgSize } from "../figure/svg-text.js";
import { toPNG } from "../figure/to-png.js";

/** What the frames of a film have in common. */
interface FrameOptions {
  /** Dates of the map that are shown. By default all. */
  readonly dates?: readonly string[];
  /** Width of a frame in pixels. By default that of the map for a GIF, twice that for an MP4 and for images. */
  readonly width?: number;
  /** `"#rrggbb"`; texts are light on dark ground. Default `"#ffffff"`. */
  readonly background?: string;
  /** TTF or OTF files for scripts that Inter does not have. */
  readonly fonts?: readonly Uint8Array[];
  /** Whether to show how far it is, after a second. Default true. */
  readonly progress?: boolean;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** Options of `toFrames()` of a time map. */
export interface FramesOptions extends FrameOptions {
  /** A folder that does not exist, or is empty. */
  readonly folder: string;
}

/** Options of `toMP4()` of a time map. */
export interface FilmOptions extends FrameOptions {
  /** The file that is written, whole or not at all. */
  readonly path: string;
  /** How long each date is shown. Default 0.5. */
  readonly secondsPerDate?: number;
  /** The program ffmpeg, if it is not on the PATH. */
  readonly ffmpeg?: string;
}

/** Options of `toGIF()` of a time map. */
export interface GifOptions extends FilmOptions {
  /** Whether it begins again at its end. Default true. */
  readonly loop?: boolean;
}

/** A film of no width would have no pixels. */
const pixels: OptionRule = {
  takes: "a number of pixels from 1",
  accepts: (value) => typeof value === "number" && Number.isFinite(value) && value >= 1,
};

const frameRules: OptionRules<FrameOptions> = {
  dates: list,
  width: pixels,
  background: text,
  fonts: list,
  progress: flag,
  signal: abortSignal,
};
const framesRules: OptionRules<FramesOptions> = { ...frameRules, folder: text };
const filmRules: OptionRules<FilmOptions> = { ...frameRules, path: text, secondsPerDate: numeric, ffmpeg: text };
const gifRules: OptionRules<GifOptions> = { ...filmRules, loop: flag };

/** A map whose dates are drawn one by one. */
interface FilmedMap {
  readonly dates: readonly string[];
  /** The map at a date, by its place, as an image file. */
  readonly svgAt: (date: number) => string;
}

/** The calls of a time map that make films. */
export interface MapFilm {
  /**
   * The dates as PNG images `frame-0001.png` and so on, with title, legend, scale and date in each.
   *
   * @returns their paths
   * @throws ArgumentError for a folder that has anything in it
   */
  toFrames(options: FramesOptions): Promise<readonly string[]>;
  /**
   * The dates as an animated GIF, made by ffmpeg.
   *
   * @throws ArgumentError where there is no ffmpeg, with what to install
   */
  toGIF(options: GifOptions): Promise<void>;
  /**
   * The dates as a film in MP4 (H.264), made by ffmpeg.
   *
   * @throws ArgumentError where there is no ffmpeg, with what to install
   */
  toMP4(options: FilmOptions): Promise<void>;
}

/** Films of a map. Of its dates one is in memory at a time. */
export function mapFilm(map: FilmedMap): MapFilm {
  return {
    async toFrames(options) {
      checkOptions("toFrames()", options, framesRules);
      const { folder } = given("toFrames()", options, "folder");
      const target = resolve(folder);
      const held = await readdir(target).catch(() => undefined);
      if (held && held.length > 0) {
        throw new ArgumentError(`toFrames(): the folder ${folder} is not empty.`, {
          hint: "Give one that does not exist: images of an earlier film would be among the new ones.",
          facts: { folder },
        });
      }
      const unfinished = `${target}.${randomUUID()}.unfinished`;
      const names: string[] = [];
      try {
        await makeFolderOf(unfinished);
        await mkdir(unfinished);
        for await (const png of frames("toFrames()", map, options, 2)) {
          const name = `frame-${String(names.length + 1).padStart(4, "0")}.png`;
          await writeFile(join(unfinished, name), png);
          names.push(name);
        }
        if (held) await rmdir(target);
        await renamePath(unfinished, target);
      } finally {
        await rm(unfinished, REMOVE_FOLDER);
      }
      return names.map((name) => join(target, name));
    },
    async toGIF(options) {
      checkOptions("toGIF()", options, gifRules);
      // A palette for each frame: one for all would need all of them in memory.
      const filter = "[0]split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none";
      const loop = (options.loop ?? true) ? "0" : "-1";
      await film("toGIF()", map, options, 1, ["-filter_complex", filter, "-loop", loop, "-f", "gif"]);
    },
    async toMP4(options) {
      checkOptions("toMP4()", options, filmRules);
      const even = `pad=ceil(iw/2)*2:ceil(ih/2)*2:color=${(options.background ?? "#ffffff").replace("#", "0x")}`;
      const coding = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-preset", "medium"];
      // Players begin before all has come, and stumble over films of two images a second.
      await film("toMP4()", map, options, 2, [
        "-vf",
        even,
        "-r",
        "25",
        ...coding,
        "-movflags",
        "+faststart",
        "-f",
        "mp4",
      ]);
    },
  };
}

/** @throws ArgumentError without what says where to write */
function given<Options extends object, Name extends keyof Options & string>(
  call: string,
  options: Options,
  name: Name,
): Options {
  if (options?.[name] !== undefined) return options;
  throw new ArgumentError(`${call} needs the option ${name}.`, {
    hint: name === "folder" ? 'Say where: { folder: "frames" }.' : 'Say where: { path: "progress.mp4" }.',
    facts: { call, option: name },
  });
}

/** PNG images of dates, one after the other, all as high and wide as the first. */
async function* frames(call: string, map: FilmedMap, options: FrameOptions, scale: number): AsyncGenerator<Uint8Array> {
  const { dates, background, fonts, progress = true, signal } = options;
  const places = (dates ?? map.dates).map((date) => {
    const place = map.dates.indexOf(date);
    if (place >= 0) return place;
    throw new ArgumentError(`${call}: ${showValue(date)} is no date of the map.`, {
      hint: nameHint(
        date,
        map.dates,
        `It has ${counted(map.dates.length, "date")} from ${map.dates[0]} to ${map.dates.at(-1)}.`,
      ),
      facts: { option: "dates" },
    });
  });
  if (places.length === 0) throw new ArgumentError(`${call} needs a date.`, { facts: { option: "dates" } });
  if (background === "transparent") {
    throw new ArgumentError(`${call}: a film has a ground.`, {
      hint: 'Give "#rrggbb".',
      facts: { option: "background" },
    });
  }
  const screen = progress ? findScreen() : undefined;
  const view =
    screen &&
    progressView<number>(screen, systemEffects, (done) => ({
      title: "film",
      share: done / places.length,
      text: `${counted(done)} of ${counted(places.length, "frame")}`,
    }));
  let size: ReturnType<typeof svgSize> | undefined;
  try {
    for (const [done, place] of places.entries()) {
      signal?.throwIfAborted();
      const svg = map.svgAt(place);
      size ??= svgSize(svg);
      const { height, width } = size;
      const fitted = svg.replace(
        / height="[^"]*" viewBox="[^"]*"/,
        ` height="${height}" viewBox="0 0 ${width} ${height}"`,
      );
      yield await toPNG(
        { toSVG: () => fitted },
        {
          ...(options.width === undefined ? { scale } : { width: options.width }),
          ...(background === undefined ? {} : { background }),
          ...(fonts === undefined ? {} : { fonts }),
        },
      );
      view?.update(done + 1);
    }
  } finally {
    view?.end();
  }
}

/** Writes a film by ffmpeg, which gets frame after frame as it takes them. */
async function film(
  call: string,
  map: FilmedMap,
  options: FilmOptions,
  scale: number,
  args: readonly string[],
): Promise<void> {
  const { path, secondsPerDate = 0.5, signal } = given(call, options, "path");
  if (!(secondsPerDate >= 0.02 && secondsPerDate <= 60)) {
    throw new ArgumentError(`${call}: secondsPerDate takes a number from 0.02 to 60, but got ${secondsPerDate}.`, {
      facts: { call, option: "secondsPerDate" },
    });
  }
  const program = await findFfmpeg(call, options.ffmpeg);
  await replaceFile(path, async (unfinished) => {
    const rate = String(Number((1 / secondsPerDate).toFixed(6)));
    const input = ["-f", "image2pipe", "-c:v", "png", "-framerate", rate, "-i", "pipe:0"];
    const child = spawn(program, ["-hide_banner", "-loglevel", "error", "-y", ...input, ...args, unfinished], {
      stdio: ["pipe", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (words: string) => {
      said = (said + words).slice(-2000);
    });
    // What it says when it ends early is told below.
    child.stdin.on("error", () => {});
    const end = ended(child);
    try {
      for await (const png of frames(call, map, { ...options, ...(signal ? { signal } : {}) }, scale)) {
        if (child.exitCode !== null || child.stdin.destroyed) break;
        if (!child.stdin.write(png)) await Promise.race([once(child.stdin, "drain").catch(() => {}), end]);
      }
      child.stdin.end();
      const code = await end;
      signal?.throwIfAborted();
      const made = await stat(unfinished).catch(() => undefined);
      if (code !== 0 || !made || made.size === 0) {
        throw new ArgumentError(`${call}: ${program} made no film.`, {
          hint: `It said: ${said.trim().split("\n").slice(-2).join(" ") || "nothing"}`,
          facts: { ffmpeg: program },
        });
      }
    } finally {
      if (child.exitCode === null) child.kill("SIGKILL");
      await end;
    }
  });
}

/** The code with which a program ends; -1 where it could not be started or was killed. */
function ended(child: ChildProcess): Promise<number> {
  return new Promise((done) => {
    child.once("error", () => done(-1));
    child.once("close", (code) => done(code ?? -1));
  });
}

/** @throws ArgumentError if there is none, with what to install */
async function findFfmpeg(call: string, asked: string | undefined): Promise<string> {
  const name = process.platform === "win32" ? "ffmpeg.exe" : "ffmpeg";
  const folders = process.env["PATH"]?.split(delimiter) ?? [];
  const places = asked === undefined ? folders.map((folder) => join(folder, name)) : [asked];
  for (const place of places) if ((await stat(place).catch(() => undefined))?.isFile()) return place;
  const install = { darwin: "brew install ffmpeg", win32: "winget install ffmpeg" }[String(process.platform)];
  throw new ArgumentError(
    asked === undefined
      ? `${call} needs the program ffmpeg, and there is none on the PATH.`
      : `${call}: there is no ffmpeg at ${asked}.`,
    {
      hint: `Install it (${install ?? "apt install ffmpeg"}) or name it with the option ffmpeg; toFrames({ folder }) makes PNG images without it.`,
      facts: { call },
    },
  );
}
