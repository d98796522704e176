import { randomUUID } from "node:crypto";
import { type Effects, systemEffects } from "../../core/effects.js";

/** The parts of a terminal that a bar needs. `process.stderr` has them if `isTTY` is true. */
interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

const CLEAR = "\r\u001b[K";
const BAR = 24;

/** One line on a terminal, removed at the end. */
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

/** Effects of a reader besides the network. Tests pass their own. */
export interface ReaderEffects extends Effects {
  /** Returns the screen for progress, called when the read begins. */
  readonly screen: () => ProgressScreen | undefined;
}

export const readerEffects: ReaderEffects = { ...systemEffects, screen: findScreen };

/**
 * Returns the screen for progress: below the notebook cell, else on a terminal, else undefined.
 * `SITEFRAME_PROGRESS=off` hides progress, so that outputs of unattended notebooks do not depend on timing.
 */
export function findScreen(): ProgressScreen | undefined {
  if (process.env["SITEFRAME_PROGRESS"] === "off") return undefined;
  const display: unknown = Reflect.get(globalThis, "display");
  if (typeof display === "function") return notebookScreen(display as Display);
  return process.stderr.isTTY ? terminalScreen(process.stderr) : undefined;
}

/** The kernel's global `display`: shows a value below the cell, or replaces the value with that id. */
type Display = (value: object, options: { readonly id: string; readonly update: boolean }) => void;

/** An output below the cell that is updated during the read and shows the result at the end. */
export function notebookScreen(display: Display): ProgressScreen {
  return () => {
    const id = randomUUID();
    let isShown = false;
    const show = ({ title, text }: ProgressState, html: string) => {
      display(output(`${title}: ${text}`, html), { id, update: isShown });
      isShown = true;
    };
    return {
      show(state) {
        const { title, share, text } = state;
        // Without a value, the bar only shows activity.
        const value = share ? ` value="${share.toFixed(3)}"` : "";
        const bar = `<progress${value} aria-label="${title}" style="vertical-align: middle"></progress>`;
        show(state, `<div>${title} ${bar} ${text}</div>`);
      },
      end: (state) => show(state, `<div>${state.title}: ${state.text}</div>`),
    };
  };
}

/** The text contains no data: see `ProgressState`. */
function output(text: string, html: string): object {
  return { [Symbol.for("Jupyter.display")]: () => ({ "text/plain": text, "text/html": html }) };
}

/** State of a long task on a screen. Contains no data. */
export interface ProgressState {
  /** Name of the task: `propertyChanges`, `pull`. */
  readonly title: string;
  /** Finished share, from 0 to 1; undefined if unknown. */
  readonly share: number | undefined;
  /** Progress in words. */
  readonly text: string;
}

/** A line that shows progress. */
export interface ProgressLine {
  show(state: ProgressState): void;
  /** Shows the last state or removes the line at the end. */
  end(state: ProgressState): void;
}

/** Opens a line. */
export type ProgressScreen = () => ProgressLine;
