import type { MimeBundle } from "../bundle/mime-bundle.js";
import { readTable } from "./read-table.js";
import { renderHtmlTable } from "./render-html-table.js";
import { renderTextTable } from "./render-text-table.js";
import type { TableView } from "./table-view.js";

/** How much of a table is shown. */
export interface RenderTableOptions {
  /** Rows in the HTML table, 50 by default. The text table has at most 12. */
  readonly maxRows?: number;
  /** Columns, 60 by default. */
  readonly maxColumns?: number;
  /** Characters of one cell, 80 by default. In HTML a tooltip gives the rest. */
  readonly maxCellLength?: number;
}

/**
 * A table as HTML and as text: the first rows, the counts, and each column's type under its name.
 * Everything that comes from the table is escaped, column names included.
 *
 * @returns a bundle with `text/html` and `text/plain`
 */
export function renderTable(view: TableView, options: RenderTableOptions = {}): MimeBundle {
  const { maxRows = 50, maxColumns = 60, maxCellLength = 80 } = options;
  return {
    "text/html": renderHtmlTable(readTable(view, maxRows, maxColumns), maxCellLength),
    "text/plain": renderTextTable(readTable(view, Math.min(maxRows, 12), maxColumns)),
  };
}
