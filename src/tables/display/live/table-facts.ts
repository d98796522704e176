import { columnType } from "../html/column-type.js";
import { sensibleDecimals } from "../html/sensible-decimals.js";
import type { ColumnView, TableView } from "../html/table-view.js";
import type { ColumnSummary } from "./column-summary.js";
import { embedColumn } from "./embed-column.js";
import type { EmbeddedColumn } from "./embedded-column.js";
import { summariseColumn } from "./summarise-column.js";
import { TextBudget } from "./text-budget.js";

/** Cells that are read for the summaries of a table: more take longer than people wait for a display. */
const MOST_CELLS = 4_000_000;

/** What the script of a table reads. */
export interface TableFacts {
  /** Of the whole table. */
  readonly rows: number;
  readonly columns: number;
  /** Columns that are left out since there are too many. */
  readonly left: number;
  /** Rows that the summaries are of; fewer than `rows` where those are evenly taken. */
  readonly summarised: number;
  /** Texts that were too long to be embedded whole. */
  readonly cut: number;
  readonly heads: readonly ColumnHead[];
  /** The first rows, by column. */
  readonly cells: readonly EmbeddedColumn[];
  /** By which the kernel knows the table, where it can be asked for the other rows. */
  readonly table?: string;
}

/** What stands above a column. */
export interface ColumnHead {
  readonly name: string;
  readonly type: string;
  /** With which its numbers are shown. */
  readonly decimals: number;
  readonly summary: ColumnSummary;
}

/** The first rows of a table, what all its rows hold, and how much of it is not here. */
export function tableFacts(
  view: TableView,
  {
    rows,
    columns,
    left = 0,
  }: { readonly rows: number; readonly columns: readonly ColumnView[]; readonly left?: number },
): TableFacts {
  const { rowCount } = view;
  const summarised = Math.min(rowCount, Math.floor(MOST_CELLS / Math.max(1, columns.length)));
  const budget = new TextBudget();
  const cells: EmbeddedColumn[] = [];
  const heads = columns.map((column): ColumnHead => {
    const values = Array.from({ length: Math.min(rows, rowCount) }, (_, row) => column.at(row));
    cells.push(embedColumn(values, budget));
    return {
      name: column.name,
      type: column.type ?? columnType(values),
      decimals: sensibleDecimals(values),
      summary: summariseColumn(column, rowCount, summarised),
    };
  });
  const all = view.columns.filter(({ isIndex }) => !isIndex).length;
  return { rows: rowCount, columns: all, left, summarised, cut: budget.cut, heads, cells };
}
