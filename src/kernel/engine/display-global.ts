import type { MimeBundle } from "../../display/mime-bundle.js";
import { toMimeBundle } from "../../display/to-mime-bundle.js";
import type { DisplayTarget } from "./language-engine.js";

/** How a display can be named and replaced. */
export interface DisplayOptions {
  /** Names the display. */
  readonly id?: string;
  /** Replaces the displays of that id instead of adding one. */
  readonly update?: boolean;
}

/** Shows a value below the cell. */
export type Display = (value: unknown, options?: DisplayOptions) => void;

/** What cells see of `display`. The engine's compiler reads it as a module of its own. */
export const displayDeclaration = `declare global {
  /** Shows a value below the cell: a table, a plot, anything. With \`update\`, replaces the display of that \`id\`. */
  function display(value: unknown, options?: { readonly id?: string; readonly update?: boolean }): void;
}`;

/** Makes the `display` function of cells. */
export function createDisplay(
  publish: (bundle: MimeBundle | Promise<MimeBundle>, target?: DisplayTarget) => void,
): Display {
  return (value, { id, update = false } = {}) =>
    publish(toMimeBundle(value), id === undefined ? undefined : { id, update });
}
