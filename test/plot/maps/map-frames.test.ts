import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { ArgumentError, History } from "../../../src/index.js";
import { type MapAnimation, mapAnimation } from "../../../src/plot/index.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { plottedHistory } from "../plotted-history.js";
import { decodePng } from "../png/decode-png.js";

const dates = ["2024-03-05", "2024-03-08", "2024-03-12", "2024-03-25"];

let history: History;
let map: MapAnimation;
const folder = temporaryFolder();

beforeAll(async () => {
  history = await plottedHistory();
  map = mapAnimation(history, "STATUS", { dates });
});

/** Message and hint of an ArgumentError. */
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

  it("are the frames of the given dates", async () => {
    const paths = await map.toFrames({ folder: join(folder, "few"), dates: ["2024-03-08"], width: 200 });
    expect(paths).toHaveLength(1);
    expect(await refusal(map.toFrames({ folder: join(folder, "no"), dates: ["2024-03-09"] }))).toMatch(
      /unknown date "2024-03-09".*Did you mean/,
    );
  });

  it("are not mixed with frames of another call, and are removed on failure", async () => {
    const full = join(folder, "full");
    await mkdir(full);
    await writeFile(join(full, "frame-0009.png"), "");
    expect(await refusal(map.toFrames({ folder: full }))).toContain("is not empty");
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(map.toFrames({ folder: join(folder, "none"), width: -4 })).rejects.toThrow("invalid width -4");
    await expect(map.toFrames({ folder: join(folder, "ended"), signal })).rejects.toThrow("enough");
    expect(await readdir(folder)).not.toContain("ended");
    expect(await left()).toEqual([]);
    expect(await refusal(map.toFrames({} as never))).toContain("needs the option folder");
    expect(await refusal(map.toFrames({ folder: full, fps: 2 } as never))).toContain("no option");
  });
});
