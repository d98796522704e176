import { setMaxListeners } from "node:events";

/** A signal of our own that also aborts when another does. */
export interface ChildSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  /** Must be called when the work ends, so that no listener stays. */
  readonly detach: () => void;
}

/** `AbortSignal.any` would leave a trace of every request on the outer signal for as long as that lives. */
export function childSignal(outer: AbortSignal): ChildSignal {
  const controller = new AbortController();
  // Every request under way listens; Node would warn from the eleventh on.
  setMaxListeners(0, controller.signal);
  const follow = () => controller.abort(outer.reason);
  if (outer.aborted) follow();
  else outer.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    detach: () => outer.removeEventListener("abort", follow),
  };
}
