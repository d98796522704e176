import { columnType } from "./column-type.js";
import { type FormattedCell, formatCell } from "./format-cell.js";
import { sensibleDecimals } from "./sensible-decimals.js";
import type { ColumnView, TableView } from "./table-view.js";

/** The part of a table that is shown, read once and formatted. */
export interface ShownTable {
  readonly caption: string;
  readonly columns: readonly ShownColumn[];
  readonly shownRows: number;
  readonly rowCount: number;
  /** Columns that are not among those shown. */
  readonly left: number;
  /** Where the values come from and how old they are; may be empty. */
  readonly age: string;
}

/** One shown column; numeric columns are aligned right. */
export interface ShownColumn {
  readonly name: string;
  readonly type: string;
  readonly isIndex: boolean;
  readonly numeric: boolean;
  /** With which its numbers are shown where there is a way to see them in full. */
  readonly decimals: number;
  readonly cells: readonly FormattedCell[];
}

/** Reads the first rows and columns of a table. */
export function readTable(view: TableView, maxRows: number, maxColumns: number): ShownTable {
  const shownRows = Math.min(view.rowCount, maxRows);
  const columns = view.columns.slice(0, maxColumns).map((column) => readColumn(column, shownRows));
  return {
    caption: view.caption ?? "",
    columns,
    shownRows,
    rowCount: view.rowCount,
    left: Math.max(0, view.columns.length - maxColumns),
    age: view.age ?? "",
  };
}

function readColumn(column: ColumnView, rows: number): ShownColumn {
  const values = Array.from({ length: rows }, (_, row) => column.at(row));
  const cells = values.map(formatCell);
  const filled = cells.filter((_, row) => values[row] !== null && values[row] !== undefined);
  return {
    name: column.name,
    isIndex: column.isIndex === true,
    type: column.type ?? columnType(values),
    numeric: filled.length > 0 && filled.every((cell) => cell.numeric),
    decimals: sensibleDecimals(values),
    cells,
  };
}
