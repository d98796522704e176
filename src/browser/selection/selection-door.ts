// The access of frame scripts to the additional script of linked frames.
import type { Selection } from "../../tables/display/live/frame-link.js";
import type { apartFrom, pickedRows } from "./picked-rows.js";

export interface SelectionLine {
  /** Support for selections in a table. */
  readonly rows?: typeof pickedRows;
  /** Support for selections in a chart. */
  readonly apartFrom?: typeof apartFrom;
  /** Whether there are linked frames. */
  readonly isLinked: boolean;
  tell(selection: Selection): void;
  /** Sends the selection to the kernel, if one listens. */
  tellKernel(ids: readonly string[]): void;
}

declare global {
  /** Defined in linked frames. */
  var siteframeSelection: ((take: (selection: Selection) => void) => SelectionLine | undefined) | undefined;
}

/** Opens a line to the linked frames, if any. */
export function openSelectionLine(take: (selection: Selection) => void): SelectionLine {
  return globalThis.siteframeSelection?.(take) ?? { isLinked: false, tell: () => {}, tellKernel: () => {} };
}
