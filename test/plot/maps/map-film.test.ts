import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ArgumentError, History } from "../../../src/index.js";
import { type TimeMap, timeMap } from "../../../src/plot/index.js";
import { plottedHistory } from "../plotted-history.js";
import { decodePng } from "../png/decode-png.js";

const dates = ["2024-03-05", "2024-03-08", "2024-03-12", "2024-03-25"];

/** Whether this machine has ffmpeg; a reason to fail where everything is required. */
function hasFfmpeg(): boolean {
  try {
    execFileSync("ffmpeg", ["-version"], { stdio: "ignore" });
    return true;
  } catch {
    const reason = "no ffmpeg was found. Run .ci/full views";
    if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(reason);
    process.stderr.write(`skipped: ${reason}\n`);
    return false;
  }
}

let history: History;
let map: TimeMap;
let folder: string;

beforeAll(async () => {
  history = await plottedHistory();
  map = timeMap(history, "STATUS", { dates });
  folder = await mkdtemp(join(tmpdir(), "film-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What an ArgumentError says, and what it advises. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const error = (await call.then(
    () => ({}),
    (reason: unknown) => reason,
  )) as Partial<ArgumentError>;
  return `${error.message} ${error.hint}`;
}

const left = async () => (await readdir(folder)).filter((name) => name.includes("unfinished"));

describe("frames of a time map", () => {
  it("are PNG images of one size, one for each date", async () => {
    const paths = await map.toFrames({ folder: join(folder, "deep", "frames"), width: 500 });
    expect(paths.map((path) => path.slice(-14))).toEqual(dates.map((_, at) => `frame-000${at + 1}.png`));
    const images = await Promise.all(paths.map(async (path) => decodePng(await readFile(path))));
    expect(new Set(images.map(({ width, height }) => `${width}x${height}`)).size).toBe(1);
    expect(images[0]?.width).toBe(500);
    const bytes = await Promise.all(paths.map((path) => readFile(path, "base64")));
    expect(new Set(bytes).size).toBe(dates.length);
  });

  it("are those of the dates that are asked for", async () => {
    const paths = await map.toFrames({ folder: join(folder, "few"), dates: ["2024-03-08"], width: 200 });
    expect(paths).toHaveLength(1);
    expect(await refusal(map.toFrames({ folder: join(folder, "no"), dates: ["2024-03-09"] }))).toMatch(
      /"2024-03-09" is no date of the map.*Did you mean/,
    );
  });

  it("are not mixed with those of another film, and leave nothing behind when they fail", async () => {
    const full = join(folder, "full");
    await mkdir(full);
    await writeFile(join(full, "frame-0009.png"), "");
    expect(await refusal(map.toFrames({ folder: full }))).toContain("is not empty");
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(map.toFrames({ folder: join(folder, "none"), width: -4 })).rejects.toThrow(
      "a number of pixels from 1",
    );
    await expect(map.toFrames({ folder: join(folder, "ended"), signal })).rejects.toThrow("enough");
    expect(await readdir(folder)).not.toContain("ended");
    expect(await left()).toEqual([]);
    expect(await refusal(map.toFrames({} as never))).toContain("needs the option folder");
  });
});

describe("a film without ffmpeg", () => {
  it("is refused before anything is drawn, with what to install", async () => {
    const path = join(folder, "none.mp4");
    const nowhere = join(folder, "nowhere");
    for (const ask of [() => map.toMP4({ path, ffmpeg: nowhere }), () => map.toGIF({ path, ffmpeg: folder })]) {
      expect(await refusal(ask())).toMatch(/there is no ffmpeg at .*Install it .*toFrames\(\{ folder \}\)/);
    }
    const before = process.env["PATH"];
    try {
      process.env["PATH"] = folder;
      expect(await refusal(map.toMP4({ path }))).toContain("toMP4() needs the program ffmpeg");
    } finally {
      process.env["PATH"] = before;
    }
  });

  it.runIf(process.platform !== "win32")(
    "leaves an earlier film where ffmpeg fails, and says what it said",
    async () => {
      const [path, program] = [join(folder, "earlier.mp4"), join(folder, "broken-ffmpeg")];
      await writeFile(path, "earlier");
      await writeFile(program, "#!/bin/sh\necho 'Unknown encoder libx264' >&2\nexit 1\n");
      await chmod(program, 0o755);
      expect(await refusal(map.toMP4({ path, ffmpeg: program }))).toMatch(/made no film.*Unknown encoder libx264/);
      expect(await readFile(path, "utf8")).toBe("earlier");
      expect(await left()).toEqual([]);
    },
  );
});

describe.runIf(hasFfmpeg())("a film by ffmpeg", () => {
  const probe = (path: string, entries: string) =>
    execFileSync("ffprobe", ["-v", "error", "-count_frames", "-show_entries", entries, "-of", "csv=p=0", path], {
      encoding: "utf8",
    })
      .trim()
      .split(/[\n,]/);

  it("is a GIF with an image for each date, that begins again", async () => {
    const path = join(folder, "map.gif");
    await map.toGIF({ path, secondsPerDate: 0.25 });
    expect(probe(path, "stream=width,nb_read_frames")).toEqual(["760", "4"]);
    expect(probe(path, "format=duration").map(Number)).toEqual([1]);
    expect((await readFile(path)).includes("NETSCAPE2.0")).toBe(true);
    await map.toGIF({ path, loop: false, width: 300, dates: dates.slice(0, 2) });
    expect(probe(path, "stream=width,nb_read_frames")).toEqual(["300", "2"]);
    expect((await readFile(path)).includes("NETSCAPE2.0")).toBe(false);
  });

  it("is an MP4 of even sides that lasts as long as its dates", async () => {
    const path = join(folder, "map.mp4");
    await map.toMP4({ path, width: 401, secondsPerDate: 0.4, background: "#15191d" });
    const [codec, width, height, pixels] = probe(path, "stream=codec_name,width,height,pix_fmt");
    expect([codec, width, pixels]).toEqual(["h264", "402", "yuv420p"]);
    expect(Number(height) % 2).toBe(0);
    expect(Number(probe(path, "format=duration")[0])).toBeCloseTo(1.6, 1);
  });

  it("is not written where it is ended on the way, and an earlier one stays", async () => {
    const path = join(folder, "stays.gif");
    await map.toGIF({ path, width: 100 });
    const before = await readFile(path, "base64");
    const controller = new AbortController();
    const ended = map.toGIF({ path, width: 1500, signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(ended).rejects.toThrow("enough");
    expect(await readFile(path, "base64")).toBe(before);
    expect(await left()).toEqual([]);
  });

  it("takes only what it can be made of", async () => {
    const path = join(folder, "no.gif");
    expect(await refusal(map.toGIF({ path, secondsPerDate: 0 }))).toContain("secondsPerDate");
    expect(await refusal(map.toGIF({ path, fps: 2 } as never))).toContain("no option");
    expect(await refusal(map.toGIF({ path, background: "transparent" }))).toContain("a film has a ground");
    expect(await refusal(map.toGIF({} as never))).toContain("needs the option path");
  });
});
