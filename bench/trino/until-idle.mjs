import { setTimeout as delay } from "node:timers/promises";
import { cpuSeconds } from "./cpu-seconds.mjs";

const STEP_MS = 250;
/** Of a core: what all nodes together take when nothing is asked of them. */
const IDLE = 0.2;
const MOST_STEPS = 40;

/** Waits until the processes of some nodes have no work left. */
export async function untilIdle(nodes) {
  const total = () => nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  let before = total();
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await delay(STEP_MS);
    const now = total();
    if ((now - before) * 1000 < IDLE * STEP_MS) return;
    before = now;
  }
}
