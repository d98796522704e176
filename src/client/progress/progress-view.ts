import type { Progress } from "../ask/read-options.js";
import type { Effects } from "./effects.js";
import type { ProgressLine, ProgressScreen } from "./progress-screen.js";

const FIRST_MS = 1000;
const EVERY_MS = 100;

/** What a read reports to while it is under way. */
export interface ProgressView {
  readonly update: (progress: Progress) => void;
  readonly end: () => void;
}

/** Shows the progress of a read that takes longer than a second, ten times a second at most. */
export function progressView(screen: ProgressScreen, effects: Effects): ProgressView {
  const start = effects.elapsed();
  let line: ProgressLine | undefined;
  let last: Progress | undefined;
  let next = start + FIRST_MS;
  const state = (progress: Progress) => ({ ...progress, elapsedMs: effects.elapsed() - start });
  return {
    update(progress) {
      last = progress;
      if (effects.elapsed() < next) return;
      next = effects.elapsed() + EVERY_MS;
      line ??= screen();
      line.show(state(progress));
    },
    end() {
      if (line && last) line.end(state(last));
    },
  };
}
