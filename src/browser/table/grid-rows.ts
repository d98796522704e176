// Rows of a table by index, in the output or in the kernel.
import type { TableColumn } from "./table-columns.js";

/** Receives columns with some of their rows, and the index of such a row. */
export type TakeRow = (part: readonly TableColumn[], row: number) => void;

export interface GridRows {
  readonly length: number;
  /** Whether all of them are in the output. */
  readonly isNear?: true;
  /** Whether they are neither sorted nor filtered. */
  readonly isPlain: boolean;
  /** Undefined while the row is being loaded. */
  at(place: number): { readonly part: readonly TableColumn[]; readonly row: number } | undefined;
  isHere(from: number, to: number): boolean;
  /** Requests missing rows. */
  want(from: number, to: number): void;
  /** Passes all rows of a range, in parts. */
  each(from: number, to: number, take: TakeRow, onProgress: (count: number) => void): Promise<void>;
}

/** Rows of the output, in an order. */
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
