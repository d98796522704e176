import type { MimeBundle } from "../bundle/mime-bundle.js";
import { escapeHtml } from "../text/escape-html.js";
import type { FormattedCell } from "./format-cell.js";
import { numberText } from "./number-text.js";
import { readTable, type ShownColumn, type ShownTable } from "./read-table.js";
import { renderTextTable } from "./render-text-table.js";
import { tableNote } from "./table-note.js";
import { compactStyle, tableStyle } from "./table-style.js";
import type { TableView } from "./table-view.js";

/** Beside the table's own style, which Jupyter takes out of the HTML of notebooks that are not trusted. */
const bounds = "max-height:26rem;overflow:auto;white-space:nowrap";

/** Characters of one tooltip, and of all together: a table of long texts stays small. */
const maxTooltip = 2000;
const maxTooltips = 60_000;

/** A table as an HTML fragment that brings its own style. */
function renderHtmlTable(table: ShownTable, maxCellLength: number): string {
  let tooltips = 0;
  const tooltip = (text: string): string => {
    const title = escapeHtml(text.slice(0, maxTooltip));
    tooltips += title.length;
    return tooltips > maxTooltips ? "" : ` title="${title}"`;
  };
  const rows = Array.from({ length: table.shownRows }, (_, row) => {
    const cells = table.columns.map((column) => bodyCell(column, row, maxCellLength, tooltip));
    return `<tr>${cells.join("")}${table.left > 0 && row === 0 ? restCell(table) : ""}</tr>`;
  });
  const caption = table.caption ? `<div class="caption">${escapeHtml(table.caption)}</div>` : "";
  const age = table.age ? `<div class="note">${escapeHtml(table.age)}</div>` : "";
  const rest =
    table.left > 0 ? `<th class="rest">${table.left} more ${table.left === 1 ? "column" : "columns"}</th>` : "";
  const head = `<thead><tr>${table.columns.map(headCell).join("")}${rest}</tr></thead>`;
  const paper = onPaper(table, maxCellLength);
  return [
    `<div class="siteframe-table"><style>${tableStyle}${compactStyle(paper.style)}</style>${caption}`,
    `<div class="scroll" style="${bounds}" tabindex="0" role="group" aria-label="${escapeHtml(table.caption || "Table")}"><table${paper.attribute}>${head}<tbody>`,
    ...rows,
    `</tbody></table></div><div class="note">${tableNote(table)}</div>${paper.note}${age}</div>`,
  ].join("\n");
}

/** What a table has in print, where nobody can scroll: as many of its columns as are readable, and which it leaves out. */
function onPaper(table: ShownTable, maxLength: number) {
  const { columns, left } = table;
  let width = 0;
  const end = columns.findIndex((column) => {
    width += printedWidth(column, maxLength);
    return width > paperWidth;
  });
  if (end === -1) return { style: "", attribute: "", note: "" };
  const kept = Math.max(1, end);
  const names = columns.slice(kept, kept + maxNames).map(({ name }) => name || "one without a name");
  const more = columns.length + left - kept - names.length;
  const missing = `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return {
    // By number: other tables in the page have such a style too.
    style: `@media print { .siteframe-table .paper-${kept} :is(th, td):nth-child(n + ${kept + 1}) { display: none; } }`,
    attribute: ` class="paper-${kept}"`,
    // Hidden by itself, too: pages that take our style away show no note of it.
    note: `<div class="note paper" style="display:none">Columns that do not fit on paper: ${escapeHtml(missing)}.</div>`,
  };
}

/** Pixels that a page of A4 or Letter has for a table, at the size in which tables are printed. */
const paperWidth = 640;
const letterWidth = 6.6;
const cellPadding = 13;
/** Longer words, beyond a UUID, are broken in print. */
const maxWord = 36;
const longWord = /[^\s-]{37}/;
/** Columns that are named where they are left out. */
const maxNames = 60;

/** Pixels below which a column could not be read: its longest word, or number. */
function printedWidth({ name, type, numeric, decimals, cells }: ShownColumn, maxLength: number): number {
  const texts = cells.map((cell) => shortText({ ...cell, text: cell.text.slice(0, maxLength) }, decimals, maxLength));
  const words = [name, type, ...texts].flatMap((text) => (numeric ? [text] : text.split(/[\s-]+/)));
  const longest = Math.max(...words.map((word) => Math.min(maxWord, lettersOf(word))));
  // A text of many words that had a line for each would be unreadable as well.
  const whole = Math.max(...texts.map((text) => lettersOf(text)), 0);
  return Math.max(longest, Math.sqrt(whole) * 2) * letterWidth + cellPadding;
}

/** Chinese and its like take two places. */
function lettersOf(text: string): number {
  return text.length + (text.match(/[\u1100-\uffdc]/g)?.length ?? 0);
}

/** Beside the columns that are there, all the way down: who scrolls to their end sees that it is none. */
function restCell({ shownRows }: ShownTable): string {
  return `<td class="rest" rowspan="${shownRows}">…`;
}

function headCell({ name, type, numeric }: ShownColumn): string {
  const told = type === "date" ? "date, UTC" : type;
  // A page that takes our style away would put the type right behind the name.
  return `<th${numeric ? ' class="number"' : ""}>${escapeHtml(name) || "&nbsp;"}<br><small>${escapeHtml(told)}</small></th>`;
}

function bodyCell(column: ShownColumn, row: number, maxLength: number, tooltip: (text: string) => string): string {
  const cell: FormattedCell = column.cells[row] ?? { text: "", numeric: false, dim: false };
  const short = shortText(cell, column.decimals, maxLength);
  const isLong = longWord.test(short);
  const classes = [column.numeric ? "number" : "", cell.dim ? "dim" : "", isLong ? "long" : ""].filter((name) => name);
  const attribute = classes.length > 0 ? ` class="${classes.join(" ")}"` : "";
  const isFull = short === cell.text || Number(short) === cell.number;
  // HTML ends a cell where the next one begins: a thousand end tags would be a fifth of the table.
  return `<td${attribute}${isFull ? "" : tooltip(cell.text)}>${escapeHtml(short)}`;
}

function shortText({ text, number }: FormattedCell, decimals: number, maxLength: number): string {
  if (number !== undefined) return numberText(number, decimals);
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}

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
