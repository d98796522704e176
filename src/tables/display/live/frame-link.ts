import type { CellMatch } from "./chart-facts.js";

/** What links the frames of an output with each other, as each of them has it. */
export interface FrameLink {
  /** Names those that are linked. */
  readonly group: string;
  /** With which they write what they say: 16 bytes in base64. */
  readonly key: string;
  /** Under which the kernel takes what is selected, if there is one. */
  readonly table?: string;
}

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
