// The way from the scripts of frames to the one that linked frames have besides.
import type { CellMatch } from "../live/chart-facts.js";
import type { apartFrom, pickedRows } from "./picked-rows.js";

/** What frames say to each other of what is selected. */
export interface Selection {
  /** Of the features, as texts. None: nothing is selected. */
  readonly ids?: readonly string[];
  /** Values that the features have, for the table to say which those are. */
  readonly where?: readonly (readonly [column: string, is: CellMatch])[];
  /** By column: what the selected features have. Without any column nothing is selected. */
  readonly values?: Readonly<Record<string, ColumnValues>>;
}

/** Different values of a column. */
export interface ColumnValues {
  readonly texts?: readonly string[];
  /** Numbers, and milliseconds of dates. */
  readonly sizes?: readonly number[];
}

/** Whether no selected feature has this in a column. Not of columns of which nothing is said. */
export type IsApart = (column: string, cell: CellMatch) => boolean;

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
