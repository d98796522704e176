/** The program of the thread that paints. See `paint`. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { reasonOf } from "../../core/show-value.js";
import { stillPng } from "../../plot/figure/still-png.js";
import type { Painted, ToPaint } from "./painter.js";

// Cells that run meanwhile come first. Elsewhere than on Linux this would be of all threads, and of processes begun later.
if (process.platform === "linux") setPriority(10);
parentPort?.on("message", async ({ id, svg }: ToPaint) => {
  const answer = (painted: Painted) => parentPort?.postMessage(painted);
  try {
    answer({ id, png: await stillPng(svg) });
  } catch (error) {
    answer({ id, failure: reasonOf(error) });
  }
});
