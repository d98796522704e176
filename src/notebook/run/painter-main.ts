/** The program of the thread that paints. See `paint`. */
import { parentPort } from "node:worker_threads";
import { reasonOf } from "../../core/reason-of.js";
import { stillPng } from "../../plot/figure/still-png.js";
import type { Painted, ToPaint } from "./painter.js";

parentPort?.on("message", async ({ id, svg }: ToPaint) => {
  const answer = (painted: Painted) => parentPort?.postMessage(painted);
  try {
    answer({ id, png: await stillPng(svg) });
  } catch (error) {
    answer({ id, failure: reasonOf(error) });
  }
});
