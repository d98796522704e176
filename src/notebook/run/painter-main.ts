/** The program of the thread that paints. See `paint`. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { reasonOf } from "../../core/show-value.js";
import { fallbackPng } from "../../plot/figure/to-png.js";
import type { Painted, ToPaint } from "./painter.js";

// Running cells have priority. On other systems than Linux this would affect all threads and later processes.
if (process.platform === "linux") setPriority(10);
parentPort?.on("message", async ({ id, svg }: ToPaint) => {
  const answer = (painted: Painted) => parentPort?.postMessage(painted);
  try {
    answer({ id, png: await fallbackPng(svg) });
  } catch (error) {
    answer({ id, failure: reasonOf(error) });
  }
});
