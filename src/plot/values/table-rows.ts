import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { requireAwaited } from "../../core/forgotten-await.js";
import { showValue } from "../../core/show-value.js";
import { LazyHistory } from "../../history/lazy/lazy-history.js";
import { Layer } from "../../layer/layer.js";
import { type ColumnFormat, columnFormat } from "../../tables/column/column-format.js";
import { noColumn } from "../../tables/column/missing-column.js";

/** Reads one cell of a row. */
export type Getter = (row: number) => unknown;

/** The rows of a layer or a table, in their order. */
export interface TableRows {
  readonly count: number;
  readonly names: readonly string[];
  has(column: string): boolean;
  /** @throws ArgumentError for an unknown column, with the probable name */
  column(name: string): Getter;
  /** The format of a column: its unit, decimals and time zone, as far as its layer has them. */
  format(column: string): ColumnFormat;
}

/**
 * @param hint what to pass instead
 * @throws ArgumentError for a promise, and for a lazy history
 */
export function requireAnswered(data: unknown, hint: string): void {
  requireAwaited(data);
  if (!(data instanceof LazyHistory)) return;
  throw new ArgumentError("Figures need a history or a table, got a lazy history.", {
    hint: `${hint} Use \`await snapshot.history(…)\`, or await a table of the lazy history: \`await lazy.counts(…)\`.`,
  });
}

/** Reads a layer or any Arquero table. `hint` is the fix in the error. */
export function tableRows(data: Layer | ColumnTable, hint: string): TableRows {
  requireAnswered(data, hint);
  const table = data instanceof Layer ? data.table : data;
  if (typeof table?.columnNames !== "function") {
    throw new ArgumentError(`Not a layer, history or Arquero table: ${showValue(data)}.`, { hint });
  }
  const names = table.columnNames();
  return {
    count: table.numRows(),
    names,
    has: (column) => names.includes(column),
    column(name) {
      if (names.includes(name)) return table.getter(name);
      throw noColumn(name, table, hint);
    },
    format: (column) => columnFormat(table.column(column)),
  };
}
