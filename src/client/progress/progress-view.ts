import type { Effects } from "./effects.js";
import type { ProgressLine, ProgressScreen, ProgressState } from "./progress-screen.js";

const FIRST_MS = 1000;
const EVERY_MS = 100;

/** What reports to it while it is under way. */
export interface ProgressView<Progress> {
  readonly update: (progress: Progress) => void;
  readonly end: () => void;
}

/**
 * Shows the progress of what takes longer than a second, ten times a second at most.
 *
 * @param stateOf words it, so many milliseconds after its beginning
 */
export function progressView<Progress>(
  screen: ProgressScreen,
  { elapsed }: Pick<Effects, "elapsed">,
  stateOf: (progress: Progress, elapsedMs: number) => ProgressState,
): ProgressView<Progress> {
  const start = elapsed();
  let line: ProgressLine | undefined;
  let last: { readonly progress: Progress } | undefined;
  let next = start + FIRST_MS;
  return {
    update(progress) {
      last = { progress };
      const now = elapsed();
      if (now < next) return;
      next = now + EVERY_MS;
      line ??= screen();
      line.show(stateOf(progress, now - start));
    },
    end() {
      if (line && last) line.end(stateOf(last.progress, elapsed() - start));
    },
  };
}
