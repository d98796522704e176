import { type Display, notebookScreen } from "./notebook-screen.js";
import type { ProgressScreen } from "./progress-screen.js";
import { terminalScreen } from "./terminal-screen.js";

/** Where progress can be shown: below the cell of a notebook, else on a terminal, else nowhere. */
export function findScreen(): ProgressScreen | undefined {
  const display: unknown = Reflect.get(globalThis, "display");
  if (typeof display === "function") return notebookScreen(display as Display);
  return process.stderr.isTTY ? terminalScreen(process.stderr) : undefined;
}
