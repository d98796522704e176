import type { MimeBundle } from "./bundle/mime-bundle.js";
import { renderTable } from "./html/render-table.js";
import type { ColumnView, TableView } from "./html/table-view.js";
import type { EmbeddedColumn } from "./live/embedded-column.js";
import { rowQuestion } from "./live/row-question.js";
import { type TableFacts, tableFacts } from "./live/table-facts.js";
import { tableFrameStyle } from "./live/table-frame-style.js";
import { TableRows } from "./live/table-rows.js";
import { liveKernel } from "./live-kernel.js";
import { escapeHtml } from "./text/escape-html.js";
import { viewHtml } from "./view.js";

/** How much of a table is embedded in its output. */
export interface TableBundleOptions {
  /** 1,000 by default. */
  readonly rows?: number;
  /** In this order; the first 60 by default. */
  readonly columns?: readonly ColumnView[];
}

const ROWS = 1000;
const COLUMNS = 60;
/** A table of not more rows is read at a glance: there is nothing to sort or to find. */
const GLANCE = 10;

/**
 * A table as HTML and as text. The HTML has the first rows as they stand, and over them a table that can be sorted,
 * filtered and scrolled, where frames and scripts are allowed.
 */
export function tableBundle(table: TableView, options: TableBundleOptions = {}): MimeBundle {
  const { rows = ROWS, columns = table.columns.slice(0, COLUMNS) } = options;
  const view = options.columns ? { ...table, columns } : table;
  const bundle = renderTable(view);
  if (table.rowCount <= GLANCE || columns.length === 0) return bundle;
  const title = table.caption || "Table";
  const facts = tableFacts(table, { rows, columns, left: view.columns.length - columns.length });
  const name = table.rowCount > rows ? keptName(view, columns, facts) : undefined;
  const html = viewHtml({
    title,
    still: { html: String(bundle["text/html"]) },
    style: tableFrameStyle,
    body: body(title, table),
    facts: { facts: name === undefined ? facts : { ...facts, table: name } },
    script: name === undefined ? "table" : "farTable",
    mayDownload: true,
  });
  return { ...bundle, "text/html": html };
}

/** The name by which a kernel, if this runs in one, gives the rows that are not embedded. */
function keptName(
  { owner, rowCount }: TableView,
  columns: readonly ColumnView[],
  facts: TableFacts,
): string | undefined {
  const keeper = owner && liveKernel()?.tables;
  if (!keeper) return undefined;
  const forms = facts.heads.map(({ decimals }, place) => ({ decimals, ...unitOf(facts.cells[place]) }));
  const all = new TableRows(rowCount, columns, forms);
  const key = JSON.stringify([rowCount, columns.map((column) => column.name)]);
  return keeper.keep(owner, key, (question) => all.answer(rowQuestion(question, columns.length)));
}

function unitOf(column: EmbeddedColumn | undefined): { readonly unit?: number } {
  return column && "unit" in column && column.unit !== undefined ? { unit: column.unit } : {};
}

function body(title: string, { caption = "", age = "" }: TableView): string {
  const button = (id: string, label: string, more = "") => `<button id="${id}" type="button"${more}>${label}</button>`;
  return (
    `<div id="bar">${caption ? `<b>${escapeHtml(caption)}</b>` : ""}` +
    `<input id="find" type="search" placeholder="Find in all columns" aria-label="Find in all columns">` +
    `${button("choose", "Columns", ' aria-expanded="false" aria-controls="chooser"')}` +
    `${button("copy", "Copy")}${button("save", "Download CSV")}<span id="filters"></span></div>` +
    `<div id="chooser" role="group" aria-label="Columns" hidden></div>` +
    `<div id="scroll"><table id="grid" role="grid" aria-multiselectable="true" aria-label="${escapeHtml(title)}"></table></div>` +
    `<div id="foot"><span id="count"></span>${age ? `<span>${escapeHtml(age)}</span>` : ""}</div><div id="said" role="status"></div>`
  );
}
