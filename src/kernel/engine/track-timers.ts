import { promisify } from "node:util";
import type { CellRun } from "./cell-run.js";
import { installGlobals } from "./install-globals.js";

type Callback = (...values: unknown[]) => void;
type SetTimer = (callback: Callback, ...rest: unknown[]) => unknown;

/** Lets the timers that a cell set come to nothing once the cell was stopped. Returns the way back. */
export function trackTimers(current: () => CellRun | undefined): () => void {
  const guarded = (set: SetTimer, clear: (timer: unknown) => void): SetTimer => {
    const setTimer: SetTimer = (callback, ...rest) => {
      const run = current();
      if (!run || typeof callback !== "function") return set(callback, ...rest);
      const timer = set((...values) => (run.stopped ? clear(timer) : callback(...values)), ...rest);
      return timer;
    };
    const promised: unknown = Reflect.get(set, promisify.custom);
    return promised === undefined ? setTimer : Object.assign(setTimer, { [promisify.custom]: promised });
  };
  const { clearTimeout: clear, clearImmediate, clearInterval } = globalThis;
  return installGlobals({
    setTimeout: guarded(globalThis.setTimeout as SetTimer, (timer) => clear(timer as NodeJS.Timeout)),
    setInterval: guarded(globalThis.setInterval as SetTimer, (timer) => clearInterval(timer as NodeJS.Timeout)),
    setImmediate: guarded(globalThis.setImmediate as SetTimer, (timer) => clearImmediate(timer as NodeJS.Immediate)),
  });
}
