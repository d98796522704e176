import { escapeHtml } from "../text/escape-html.js";
import type { FormattedCell } from "./format-cell.js";
import { numberText } from "./number-text.js";
import type { ShownColumn, ShownTable } from "./read-table.js";
import { tableNote } from "./table-note.js";
import { tableStyle } from "./table-style.js";

/** Beside the table's own style, which Jupyter takes out of the HTML of notebooks that are not trusted. */
const bounds = "max-height:26rem;overflow:auto;white-space:nowrap";

/** Characters of one tooltip, and of all together: a table of long texts stays small. */
const maxTooltip = 2000;
const maxTooltips = 60_000;

/** A table as an HTML fragment that brings its own style. */
export function renderHtmlTable(table: ShownTable, maxCellLength: number): string {
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
  return [
    `<div class="siteframe-table"><style>${tableStyle}</style>${caption}`,
    `<div class="scroll" style="${bounds}" tabindex="0" role="group" aria-label="${escapeHtml(table.caption || "Table")}"><table>${head}<tbody>`,
    ...rows,
    `</tbody></table></div><div class="note">${tableNote(table)}</div>${age}</div>`,
  ].join("\n");
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
  const classes = [column.numeric ? "number" : "", cell.dim ? "dim" : ""].filter((name) => name !== "");
  const attribute = classes.length > 0 ? ` class="${classes.join(" ")}"` : "";
  const short = shortText(cell, column.decimals, maxLength);
  const isFull = short === cell.text || Number(short) === cell.number;
  // HTML ends a cell where the next one begins: a thousand end tags would be a fifth of the table.
  return `<td${attribute}${isFull ? "" : tooltip(cell.text)}>${escapeHtml(short)}`;
}

function shortText({ text, number }: FormattedCell, decimals: number, maxLength: number): string {
  if (number !== undefined) return numberText(number, decimals);
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
