import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { requireAwaited } from "../../core/forgotten-await.js";
import { showValue } from "../../core/show-value.js";
import type { CellState } from "../../history/cell/cell-state.js";
import { Layer } from "../../layer/layer.js";
import { noColumn } from "../../tables/column/missing-column.js";
import { formatCell } from "../../tables/display/html/format-cell.js";

/** Reads one cell of a row. */
export type Getter = (row: number) => unknown;

/** The rows of a layer or a table, in the order in which it shows them. */
export interface TableRows {
  readonly count: number;
  readonly names: readonly string[];
  has(column: string): boolean;
  /** @throws ArgumentError if there is no such column; it names the one that was probably meant */
  column(name: string): Getter;
}

/** Reads a layer or any Arquero table. `hint` says what the caller could have given instead. */
export function tableRows(data: Layer | ColumnTable, hint: string): TableRows {
  requireAwaited(data);
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
  };
}

/** How figures say that the log does not tell a value (unknown), that there is none, and that it is one of several others. */
export const labels = { unknown: "unknown", none: "none", other: "other" } as const;

/** How figures say that an amount cannot be told, since something that it is made of was not given. */
export const NOT_KNOWN = "not known";

/** Whether the log does not tell a value, by its state. */
export function isUnknown(state: unknown): boolean {
  return state === ("unknown" satisfies CellState);
}

/** A property's value as a legend names it; `state` tells an unknown value from none. */
export function valueLabel(value: unknown, state?: unknown): string {
  if (isUnknown(state)) return labels.unknown;
  if (value === null || value === undefined || value === "") return labels.none;
  return typeof value === "string" ? value : formatCell(value).text;
}

/** An amount as figures write it beside what they draw: whole from 100 on, and what is not nothing never as 0. */
export function shortAmount(amount: number): string {
  const size = Math.abs(amount);
  const digits = size < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: size < 100 ? 1 : 0 };
  return amount.toLocaleString("en-US", digits);
}
