import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** How much of the data of a bench to use: `npm run bench -- --share 0.01` is a quick look. Default: all. */
export const share = Number(process.env["SITEFRAME_BENCH_SHARE"] ?? 1);

/** The path of made-up data that later runs use again. Remove the folder `out/bench` after a change of what is in it. */
export function dataPath(name) {
  const folder = fileURLToPath(new URL("../out/bench", import.meta.url));
  mkdirSync(folder, { recursive: true });
  return folder + name;
}
