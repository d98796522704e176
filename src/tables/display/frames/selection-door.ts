// The way from the scripts of frames to the one that linked frames have besides.
import type { CellMatch } from "../live/chart-facts.js";
import type { pickedRows } from "./picked-rows.js";

/** What frames say to each other of what is selected. */
export interface Selection {
  /** Of the features, as texts. None: nothing is selected. */
  readonly ids?: readonly string[];
  /** Values that the features have, for the table to say which those are. */
  readonly where?: readonly (readonly [column: string, is: CellMatch])[];
  /** By column: which texts the selected features have. Without any column nothing is selected. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
}

export interface SelectionLine {
  /** What a table makes of selections. */
  readonly rows?: typeof pickedRows;
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
