// An interactive table, as its parts share it.

import type { TablePayload } from "../../tables/display/live/embedded-column.js";
import { clamp } from "../page/clamp.js";
import type { GridRows } from "./grid-rows.js";
import type { TableColumn } from "./table-columns.js";
import type { TableState } from "./table-state.js";

/** A column and its head. */
export interface HeadedColumn extends TableColumn {
  readonly head: HTMLElement;
  /** The mark for its sort order. */
  readonly mark: HTMLElement;
  /** The input of its filter. */
  readonly input: HTMLInputElement;
}

/** Indices of a row, or -1 for the heads, and a column. */
export type CellPlace = readonly [row: number, column: number];

/** The focused cell, and the start of the selection. */
export interface CellRange {
  readonly at: CellPlace;
  readonly anchor: CellPlace;
}

export interface LiveTable {
  readonly payload: TablePayload;
  readonly columns: readonly HeadedColumn[];
  /** Replaced by `update()`. */
  state: TableState;
  /** Rows that pass all filters, in order. */
  rows: GridRows;
  /** Rows that are selected in the linked frames, and whether only these are visible. */
  picked: ReadonlySet<number>;
  isOnlyPicked: boolean;
  cells: CellRange;
  /** Reason why the last question failed. */
  trouble: string;
  /** Changes the state, and the view with it. */
  update(changes: Partial<TableState>): void;
  copy(): void;
  /** Selects rows here and in the linked frames. */
  pick(rows: ReadonlySet<number>): void;
  /** Reads a message aloud. */
  tell(text: string): void;
  /** Shows a message below the table, briefly if `isBrief`. */
  say(text: string, isBrief?: boolean): void;
}

/** Minimum and maximum useful width of a column in pixels. */
const [NARROWEST, WIDEST] = [40, 1600];

/** Visible columns, in order. */
export function shownColumns({ columns, state }: LiveTable): readonly HeadedColumn[] {
  return state.shown.map((index) => columns[index] as HeadedColumn);
}

/** A width in pixels at which the column is readable and can be dragged back. */
export function widthOf({ state }: LiveTable, { index, width }: TableColumn): number {
  return Math.round(clamp(NARROWEST, WIDEST, state.widths[index] ?? width));
}

/**
 * The rows of the output in the selected cells; none if they are one row that is already selected in the linked frames.
 */
export function cellRows(table: LiveTable): ReadonlySet<number> {
  const { rows, columns, picked } = table;
  const [top, bottom] = selectionOf(table);
  const found = Array.from({ length: bottom - top + 1 }, (_, index) => rows.at(top + index));
  const chosen = new Set(found.flatMap((each) => (each?.part === columns ? [each.row] : [])));
  const isOff = chosen.size === 1 && picked.size === 1 && [...chosen].every((row) => picked.has(row));
  return isOff ? new Set() : chosen;
}

/** Whether a row is selected in the linked frames. */
export function isPicked({ columns, picked }: LiveTable, found: NonNullable<ReturnType<GridRows["at"]>>): boolean {
  return found.part === columns && picked.has(found.row);
}

/** Top, bottom, left and right of the selection. */
export function selectionOf({ cells: { at, anchor } }: LiveTable): readonly [number, number, number, number] {
  return [
    Math.min(at[0], anchor[0]),
    Math.max(at[0], anchor[0]),
    Math.min(at[1], anchor[1]),
    Math.max(at[1], anchor[1]),
  ];
}
