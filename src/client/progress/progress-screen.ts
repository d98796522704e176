import { randomUUID } from "node:crypto";
import { type Effects, systemEffects } from "../../core/effects.js";

/** What a bar needs of a terminal. `process.stderr` is one if `isTTY` is true. */
interface Terminal {
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

/** What a reader needs from the outside besides the network. Tests pass their own. */
export interface ReaderEffects extends Effects {
  /** Where a read can show its progress, looked up when the read begins. */
  readonly screen: () => ProgressScreen | undefined;
}

export const readerEffects: ReaderEffects = { ...systemEffects, screen: findScreen };

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

/** The kernel's global `display`: shows a value below the cell, or replaces the one of that id. */
type Display = (value: object, options: { readonly id: string; readonly update: boolean }) => void;

/** One output below the cell that is updated on the way, and says at the end what came. */
export function notebookScreen(display: Display): ProgressScreen {
  return () => {
    const id = randomUUID();
    let shown = false;
    const show = ({ title, text }: ProgressState, html: string) => {
      display(output(`${title}: ${text}`, html), { id, update: shown });
      shown = true;
    };
    return {
      show(state) {
        const { title, share, text } = state;
        // Without a value it moves, and says no more than that something is under way.
        const value = share ? ` value="${share.toFixed(3)}"` : "";
        const bar = `<progress${value} aria-label="${title}" style="vertical-align: middle"></progress>`;
        show(state, `<div>${title} ${bar} ${text}</div>`);
      },
      end: (state) => show(state, `<div>${state.title}: ${state.text}</div>`),
    };
  };
}

/** Nothing in it comes from data: see `ProgressState`. */
function output(text: string, html: string): object {
  return { [Symbol.for("Jupyter.display")]: () => ({ "text/plain": text, "text/html": html }) };
}

/** Something that takes a while, as a screen shows it. Nothing in it comes from data. */
export interface ProgressState {
  /** What it is: `propertyChanges`, `pull`. */
  readonly title: string;
  /** How much of it is done, from 0 to 1; undefined where that cannot be told. */
  readonly share: number | undefined;
  /** How far it is, in words. */
  readonly text: string;
}

/** The place where it shows how far it is. */
export interface ProgressLine {
  show(state: ProgressState): void;
  /** Shows the last state, or nothing more, when it is over. */
  end(state: ProgressState): void;
}

/** Opens a place. */
export type ProgressScreen = () => ProgressLine;
