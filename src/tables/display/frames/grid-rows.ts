// Rows of a table by their place, wherever they are.
import type { TableColumn } from "./table-columns.js";

/** Columns of which some rows are here, and which of these. */
export type TakeRow = (part: readonly TableColumn[], row: number) => void;

export interface GridRows {
  readonly length: number;
  /** Whether all of them are in the output. */
  readonly isNear?: true;
  /** Whether they are neither sorted nor filtered. */
  readonly isPlain: boolean;
  /** Undefined while the row is on its way. */
  at(place: number): { readonly part: readonly TableColumn[]; readonly row: number } | undefined;
  isHere(from: number, to: number): boolean;
  /** Asks for rows that are not here. */
  want(from: number, to: number): void;
  /** Every row from one place to another, in parts. */
  each(from: number, to: number, take: TakeRow, onProgress: (count: number) => void): Promise<void>;
}

/** Rows that the output holds, in an order. */
export function nearRows(columns: readonly TableColumn[], order: ArrayLike<number>, isPlain: boolean): GridRows {
  const rowAt = (place: number) => order[place] as number;
  return {
    isNear: true,
    isPlain,
    length: order.length,
    at: (place) => ({ part: columns, row: rowAt(place) }),
    isHere: () => true,
    want: () => {},
    each: async (from, to, take) => {
      for (let place = from; place < to; place += 1) take(columns, rowAt(place));
    },
  };
}
