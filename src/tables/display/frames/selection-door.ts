// The way from the scripts of frames to the one that linked frames have besides.
import type { Selection } from "../live/frame-link.js";
import type { apartFrom, pickedRows } from "./picked-rows.js";

export interface SelectionLine {
  /** What a table makes of selections. */
  readonly rows?: typeof pickedRows;
  /** What a chart makes of them. */
  readonly apartFrom?: typeof apartFrom;
  /** Whether there are frames to speak with. */
  readonly isLinked: boolean;
  tell(selection: Selection): void;
  /** Says it to the kernel, if there is one that listens. */
  tellKernel(ids: readonly string[]): void;
}

declare global {
  /** Is there where a frame is linked. */
  var siteframeSelection: ((take: (selection: Selection) => void) => SelectionLine | undefined) | undefined;
}

/** A line to the frames that this one is linked with, if there are any. */
export function openSelectionLine(take: (selection: Selection) => void): SelectionLine {
  return globalThis.siteframeSelection?.(take) ?? { isLinked: false, tell: () => {}, tellKernel: () => {} };
}
