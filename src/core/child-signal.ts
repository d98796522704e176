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
