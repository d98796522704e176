import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { requireAwaited } from "../../core/forgotten-await.js";
import { showValue } from "../../core/show-value.js";
import { Questions } from "../../history/questions/questions.js";
import { Layer } from "../../layer/layer.js";
import { unitOf } from "../../tables/column/column-units.js";
import { noColumn } from "../../tables/column/missing-column.js";

/** Reads one cell of a row. */
export type Getter = (row: number) => unknown;

/** The rows of a layer or a table, in the order in which it shows them. */
export interface TableRows {
  readonly count: number;
  readonly names: readonly string[];
  has(column: string): boolean;
  /** @throws ArgumentError if there is no such column; it names the one that was probably meant */
  column(name: string): Getter;
  /** The unit of a column's numbers, where a layer's definition or `derive()` says one. */
  unit(column: string): string | undefined;
}

/**
 * @param hint what a caller could give instead
 * @throws ArgumentError for a promise, and for questions that an engine answers, of which no figure asks
 */
export function requireAnswered(data: unknown, hint: string): void {
  requireAwaited(data);
  if (!(data instanceof Questions)) return;
  throw new ArgumentError(
    "Figures are drawn of histories and tables, and these are questions that an engine answers.",
    {
      hint: `${hint} A history is \`await snapshot.history(…)\`, and what questions answer is such a table: \`await questions.counts(…)\`.`,
    },
  );
}

/** Reads a layer or any Arquero table. `hint` says what the caller could have given instead. */
export function tableRows(data: Layer | ColumnTable, hint: string): TableRows {
  requireAnswered(data, hint);
  const table = data instanceof Layer ? data.table : data;
  if (typeof table?.columnNames !== "function") {
    throw new ArgumentError(`${showValue(data)} is no layer, history or Arquero table.`, { hint });
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
    unit: (column) => unitOf(table.column(column)),
  };
}
