import type { CellMatch } from "./chart-payload.js";

/** The link between the frames of an output, as each of them has it. */
export interface FrameLink {
  /** Name of the group of linked frames. */
  readonly group: string;
  /** Key that encrypts their messages: 16 bytes in base64. */
  readonly key: string;
  /** Name by which the kernel receives the selection, if there is a kernel. */
  readonly table?: string;
}

/** Messages of frames about the selection. */
export interface Selection {
  /** Ids of the features, as strings. Empty for no selection. */
  readonly ids?: readonly string[];
  /** Values of the features, from which the table finds their rows. */
  readonly where?: readonly (readonly [column: string, is: CellMatch])[];
  /** Values of the selected features, by column. Without columns, the selection is empty. */
  readonly values?: Readonly<Record<string, ColumnValues>>;
}

/** Distinct values of a column. */
export interface ColumnValues {
  readonly texts?: readonly string[];
  /** Numbers, and milliseconds of dates. */
  readonly sizes?: readonly number[];
}

/** Whether no selected feature has this value in a column. False for columns that are not in the message. */
export type IsApart = (column: string, cell: CellMatch) => boolean;
