import type { MimeBundle } from "../../../tables/display/bundle/mime-bundle.js";
import { html, md, svg } from "../../../tables/display/markup-tags.js";
import type { OutputQueue } from "./output-queue.js";

/** How a display can be named and replaced. */
export interface DisplayOptions {
  /** Names the display. */
  readonly id?: string;
  /** Replaces the displays of that id instead of adding one. */
  readonly update?: boolean;
}

/** How a question is asked. */
export interface InputOptions {
  /** True if the answer must not be seen. */
  readonly password?: boolean;
}

/** What the functions of cells work with. */
export interface CellGlobalsParts {
  /** The output of the cell that calls. */
  readonly output: () => OutputQueue | undefined;
  /** Any value as it shows itself. */
  readonly bundle: (value: unknown) => MimeBundle | Promise<MimeBundle>;
}

/** Makes the functions that cells have without importing them. */
export function createCellGlobals({ output, bundle }: CellGlobalsParts): Readonly<Record<string, unknown>> {
  return {
    display: (value: unknown, { id, update = false }: DisplayOptions = {}) =>
      output()?.display(bundle(value), id === undefined ? undefined : { id, update }),
    page: (value: unknown) => output()?.page(bundle(value)),
    clearOutput: ({ wait = false } = {}) => output()?.clear(Boolean(wait)),
    input: async (prompt = "", { password = false }: InputOptions = {}) =>
      await output()?.input({ prompt: String(prompt), password: Boolean(password) }),
    html,
    md,
    svg,
  };
}
