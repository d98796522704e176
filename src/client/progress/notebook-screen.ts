import { randomUUID } from "node:crypto";
import type { ProgressScreen, ProgressState } from "./progress-screen.js";

/** The kernel's global `display`: shows a value below the cell, or replaces the one of that id. */
export type Display = (value: object, options: { readonly id: string; readonly update: boolean }) => void;

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
