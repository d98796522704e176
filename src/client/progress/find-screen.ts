import { type Display, notebookScreen } from "./notebook-screen.js";
import type { ProgressScreen } from "./progress-screen.js";
import { terminalScreen } from "./terminal-screen.js";

/**
 * Where progress can be shown: below the cell of a notebook, else on a terminal, else nowhere. `SITEFRAME_PROGRESS=off`
 * in the environment shows none: a notebook that nobody watches must not have outputs that depend on how long it took.
 */
export function findScreen(): ProgressScreen | undefined {
  if (process.env["SITEFRAME_PROGRESS"] === "off") return undefined;
  const display: unknown = Reflect.get(globalThis, "display");
  if (typeof display === "function") return notebookScreen(display as Display);
  return process.stderr.isTTY ? terminalScreen(process.stderr) : undefined;
}
