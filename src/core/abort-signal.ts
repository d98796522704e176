import { setMaxListeners } from "node:events";

/** A signal that can be aborted itself, and that also aborts with other signals. */
interface ChildSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  /** Must be called when the work ends, so that no listener stays. */
  readonly detach: () => void;
}

/** `AbortSignal.any` would register every request on the outer signals for as long as these live. */
export function childSignal(...outer: readonly AbortSignal[]): ChildSignal {
  const controller = new AbortController();
  // Every request under way listens; Node would warn from the eleventh on.
  setMaxListeners(0, controller.signal);
  const follow = ({ target }: Pick<Event, "target">) => controller.abort((target as AbortSignal).reason);
  for (const signal of outer) {
    if (signal.aborted) follow({ target: signal });
    else signal.addEventListener("abort", follow, { once: true });
  }
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    detach: () => {
      for (const signal of outer) signal.removeEventListener("abort", follow);
    },
  };
}

/**
 * Returns the result of some work unless a signal aborts first. The work itself may continue for a while: its later
 * result or error is ignored.
 *
 * @throws the signal's reason once it is aborted
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
}

/** A global symbol, because cells may have another copy of this package than their kernel. */
const key = Symbol.for("siteframe.signal");

/**
 * The default signal of every read, pull, query and request: that of the cell or callback that runs, which an interrupt of
 * its kernel aborts. Undefined in a script.
 */
export function cellSignal(): AbortSignal | undefined {
  return (globalThis as { readonly [key]?: () => AbortSignal | undefined })[key]?.();
}

/** Provides `cellSignal()` in this thread. Returns a function that undoes it. */
export function announceSignals(current: () => AbortSignal | undefined): () => void {
  Object.defineProperty(globalThis, key, { value: current, configurable: true });
  return () => {
    Reflect.deleteProperty(globalThis, key);
  };
}
