import type { Finding } from "../../../core/finding.js";
import { numberText } from "../cell-text.js";
import type { MimeBundle } from "../mime-bundle.js";
import { escapeHtml } from "../text.js";
import type { FormattedCell } from "./format-cell.js";
import { readTable, type ShownColumn, type ShownTable, type TableView } from "./table-view.js";

/** Beside the table's own style, which Jupyter takes out of the HTML of notebooks that are not trusted. */
const bounds = "max-height:26rem;overflow:auto;white-space:nowrap";

/** Characters of one tooltip, and of all together: a table of long texts stays small. */
const maxTooltip = 2000;
const maxTooltips = 60_000;

/** Pixels that a page of A4 or Letter has for a table, at the size in which tables are printed. */
const paperWidth = 640;
const letterWidth = 6.6;
const cellPadding = 13;
/** Longer words, beyond a UUID, are broken in print. */
const maxWord = 36;
const longWord = /[^\s-]{37}/;
/** Columns that are named where they are left out. */
const maxNames = 60;

/** How much of a table is shown. */
interface RenderTableOptions {
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

const maxCell = 28;
/** Letters of a line that notebooks do not wrap: wrapped rows look as if they ended at a column of blanks. */
const maxLine = 100;
/** Stands for the columns that are not there. */
const more = "…";

/**
 * A table as lines of text: names, rows, note. Columns that would make the lines too long are left out.
 *
 * @param lineLength letters of the longest line
 */
export function renderTextTable(table: ShownTable, lineLength = maxLine): string {
  const columns = fitting(table.columns.map(textColumn), lineLength);
  const isCut = table.left + table.columns.length > columns.length;
  const line = (row: number) =>
    [...columns.map((column) => column.lines[row] as string), ...(isCut ? [more] : [])].join("  ").trimEnd();
  const lines = Array.from({ length: table.shownRows + 1 }, (_, row) => line(row));
  const note = tableNote(table, columns.length);
  return [...(table.caption ? [table.caption] : []), ...lines, note, ...(table.age ? [table.age] : [])].join("\n");
}

interface TextColumn {
  readonly width: number;
  readonly lines: readonly string[];
}

function textColumn({ name, numeric, decimals, cells }: ShownColumn): TextColumn {
  const shown = cells.map(({ text, number }) => (number === undefined ? text : numberText(number, decimals)));
  const texts = [name, ...shown].map(oneLine);
  const width = Math.max(...texts.map((text) => text.length));
  return { width, lines: texts.map((text) => (numeric ? text.padStart(width) : text.padEnd(width))) };
}

function oneLine(text: string): string {
  // A terminal obeys control characters.
  const flat = text.replace(/[\s\p{Cc}]+/gu, " ");
  return flat.length > maxCell ? `${flat.slice(0, maxCell - 1)}…` : flat;
}

function fitting(columns: readonly TextColumn[], lineLength: number): readonly TextColumn[] {
  let length = 0;
  const end = columns.findIndex((column) => {
    length += column.width + 2;
    return length + more.length > lineLength;
  });
  return end === -1 ? columns : columns.slice(0, Math.max(1, end));
}

/**
 * `1,200 rows × 8 columns`, and what of them is shown.
 *
 * @param shown how many of the columns that were read are shown
 */
function tableNote({ columns, left, rowCount, shownRows }: ShownTable, shown = columns.length): string {
  const named = (some: ShownTable["columns"]) => some.filter(({ isIndex }) => !isIndex).length;
  const all = named(columns) + left;
  const here = named(columns.slice(0, shown));
  const size = `${count(rowCount, "row")} × ${count(all, "column")}`;
  const cut = [
    shownRows < rowCount ? `first ${count(shownRows, "row")}` : "",
    here < all ? `first ${count(here, "column")}` : "",
  ].filter((part) => part !== "");
  return cut.length === 0 ? size : `${size}, ${cut.join(" and ")} shown`;
}

function count(total: number, noun: string): string {
  return `${total.toLocaleString("en-US")} ${noun}${total === 1 ? "" : "s"}`;
}

/**
 * A bundle with a list of findings below it; the same bundle if there are none.
 *
 * @param rowCount of what is shown: where there is nothing, the list is open, since it says why
 */
export function withFindings(bundle: MimeBundle, findings: readonly Finding[], rowCount: number): MimeBundle {
  if (findings.length === 0) return bundle;
  const title = `${findings.length} ${findings.length === 1 ? "finding" : "findings"}`;
  const items = findings.map(({ message }) => `<li>${escapeHtml(message)}</li>`).join("");
  return {
    ...bundle,
    "text/html": `${bundle["text/html"]}<details${rowCount === 0 ? " open" : ""} style="font:12px/1.5 system-ui,sans-serif;margin-top:4px"><summary>${title}</summary><ul style="margin:4px 0 0;padding-left:1.5em">${items}</ul></details>`,
    "text/plain": `${bundle["text/plain"]}\n${title}:\n${findings.map(({ message }) => `- ${message}`).join("\n")}`,
  };
}

/**
 * Colours are mixed from the text colour, so that the table fits light and dark surroundings alike.
 * The sticky header alone needs a solid ground: VS Code's (whose page has a white one of JupyterLab's too, in every
 * theme), JupyterLab's, or that of a page of ours, else the browser's.
 * The doubled class outranks JupyterLab's style, which aligns all table cells right.
 */
export const tableStyle = compactStyle(`
.siteframe-table { font: 13px/1.45 system-ui, sans-serif; max-width: 100%; }
.siteframe-table .scroll { overflow: auto; scrollbar-width: thin; max-height: 26rem; width: fit-content; max-width: 100%;
  border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: 6px; }
.siteframe-table.siteframe-table table { border-collapse: separate; border-spacing: 0; margin: 0; font-variant-numeric: tabular-nums; }
.siteframe-table.siteframe-table table th, .siteframe-table.siteframe-table table td { padding: 4px 12px; text-align: left; white-space: nowrap;
  border: 0; border-bottom: 1px solid color-mix(in srgb, currentColor 10%, transparent); }
.siteframe-table.siteframe-table table tr:last-child td { border-bottom: 0; }
.siteframe-table.siteframe-table table thead th { position: sticky; top: 0; font-weight: 600; vertical-align: bottom;
  background: var(--vscode-editor-background, var(--jp-layout-color0, var(--ground, Canvas)));
  border-bottom: 1px solid color-mix(in srgb, currentColor 30%, transparent); }
.siteframe-table thead small { display: block; font-weight: 400; font-size: 11px; opacity: .65; }
.siteframe-table tbody tr:hover td { background: color-mix(in srgb, currentColor 6%, transparent); }
.siteframe-table.siteframe-table table .number { text-align: right; }
.siteframe-table.siteframe-table table .rest { font-weight: 400; font-style: italic; vertical-align: top; opacity: .65; }
.siteframe-table .dim { opacity: .65; font-style: italic; }
.siteframe-table .caption { font-weight: 600; margin-bottom: 4px; }
.siteframe-table .note { font-size: 12px; opacity: .65; margin-top: 4px; }
@media (prefers-contrast: more), (forced-colors: active) {
  .siteframe-table.siteframe-table :is(.note, .dim, .rest, small) { opacity: 1; }
  .siteframe-table .scroll, .siteframe-table.siteframe-table table :is(th, td) { border-color: currentColor; }
}
@media print {
  .siteframe-table .scroll { max-height: none !important; overflow: visible !important; white-space: normal !important; width: auto; }
  .siteframe-table.siteframe-table table :is(th, td) { padding: 2px 6px; font-size: 11px; white-space: normal; overflow-wrap: break-word; }
  .siteframe-table.siteframe-table table .long { overflow-wrap: anywhere; min-width: 18em; }
  .siteframe-table.siteframe-table table td.number { white-space: nowrap; }
  .siteframe-table.siteframe-table table thead th { position: static; }
  .siteframe-table .note.paper { display: block !important; }
}
`);

/** Style without the blanks that people read it by: it stands in every output. */
export function compactStyle(style: string): string {
  return style.replace(/\s*([{};,])\s*/g, "$1").replaceAll(": ", ":");
}
