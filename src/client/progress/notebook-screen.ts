import { randomUUID } from "node:crypto";
import type { ProgressScreen, ProgressState } from "./progress-screen.js";
import { progressShare, progressText } from "./progress-text.js";

/** The kernel's global `display`: shows a value below the cell, or replaces the one of that id. */
export type Display = (value: object, options: { readonly id: string; readonly update: boolean }) => void;

/** One output below the cell that is updated while the read is under way, and says at the end what it brought. */
export function notebookScreen(display: Display): ProgressScreen {
  return () => {
    const id = randomUUID();
    let shown = false;
    const show = (state: ProgressState, html: string) => {
      display(output(`${state.resource}: ${progressText(state)}`, html), { id, update: shown });
      shown = true;
    };
    return {
      show(state) {
        const bar = `<progress value="${progressShare(state).toFixed(3)}" style="vertical-align: middle"></progress>`;
        show(state, `<div>${state.resource} ${bar} ${progressText(state)}</div>`);
      },
      end: (state) => show(state, `<div>${state.resource}: ${progressText(state)}</div>`),
    };
  };
}

/** Nothing in it comes from data: resources are the contract's, the rest is numbers. */
function output(text: string, html: string): object {
  return { [Symbol.for("Jupyter.display")]: () => ({ "text/plain": text, "text/html": html }) };
}
