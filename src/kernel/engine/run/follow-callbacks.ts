import type { CellContext } from "./cell-context.js";
import type { CellRun } from "./cell-run.js";
import { installGlobals } from "./install-globals.js";

type Callback = (...values: unknown[]) => void;
type Schedule = (callback: Callback, ...rest: unknown[]) => unknown;

/**
 * Makes timers and ticks that a cell sets run in its context, and come to nothing once the cell was stopped.
 * Returns the way back.
 */
export function followCallbacks(
  context: CellContext<CellRun>,
  onError: (error: unknown, run: CellRun) => void,
): () => void {
  const follow = (schedule: Schedule, cancel: (timer: unknown) => void = () => undefined): Schedule => {
    const followed: Schedule = (callback, ...rest) => {
      const run = context.current;
      if (!run || typeof callback !== "function") return schedule(callback, ...rest);
      const timer = schedule(
        (...values) => {
          if (run.stopped) return cancel(timer);
          try {
            context.run(run, () => callback(...values));
          } catch (error) {
            onError(error, run);
          }
        },
        ...rest,
      );
      return timer;
    };
    // Name, length, and what `promisify` takes in its place.
    return Object.defineProperties(followed, Object.getOwnPropertyDescriptors(schedule));
  };

  const { nextTick } = process;
  process.nextTick = follow(nextTick as Schedule) as typeof nextTick;
  const restore = installGlobals({
    setTimeout: follow(globalThis.setTimeout as Schedule, (timer) => clearTimeout(timer as NodeJS.Timeout)),
    setInterval: follow(globalThis.setInterval as Schedule, (timer) => clearInterval(timer as NodeJS.Timeout)),
    setImmediate: follow(globalThis.setImmediate as Schedule),
    queueMicrotask: follow(globalThis.queueMicrotask as Schedule),
  });
  return () => {
    process.nextTick = nextTick;
    restore();
  };
}
