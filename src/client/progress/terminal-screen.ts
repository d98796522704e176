import type { ProgressScreen, ProgressState } from "./progress-screen.js";
import { progressShare, progressText } from "./progress-text.js";

/** What a bar needs of a terminal. `process.stderr` is one if `isTTY` is true. */
export interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

const CLEAR = "\r\u001b[K";
const BAR = 24;

/** One line on a terminal, which is gone when the read is over. */
export function terminalScreen(terminal: Terminal): ProgressScreen {
  return () => ({
    show: (state) => terminal.write(`${CLEAR}${lineOf(state).slice(0, (terminal.columns || 80) - 1)}`),
    end: () => terminal.write(CLEAR),
  });
}

function lineOf(state: ProgressState): string {
  const done = Math.round(progressShare(state) * BAR);
  return `${state.resource} ${"█".repeat(done)}${"░".repeat(BAR - done)} ${progressText(state)}`;
}
