import type { ProgressScreen, ProgressState } from "./progress-screen.js";

/** What a bar needs of a terminal. `process.stderr` is one if `isTTY` is true. */
export interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

const CLEAR = "\r\u001b[K";
const BAR = 24;

/** One line on a terminal, which is gone at the end. */
export function terminalScreen(terminal: Terminal): ProgressScreen {
  return () => ({
    show: (state) => terminal.write(`${CLEAR}${lineOf(state).slice(0, (terminal.columns || 80) - 1)}`),
    end: () => terminal.write(CLEAR),
  });
}

function lineOf({ title, share = 0, text }: ProgressState): string {
  const done = Math.round(share * BAR);
  return `${title} ${"█".repeat(done)}${"░".repeat(BAR - done)} ${text}`;
}
