import { readFileSync } from "node:fs";
import { counted, firstOf } from "../../../core/counted.js";
import { type Diagnostic, diagnosticText } from "../../../core/diagnostic.js";
import { dateUnit, formatDate, formatType } from "../../../core/format/format-date.js";
import { formatInColumn, isFullIn } from "../../../core/format/format-in-column.js";
import { formatCount } from "../../../core/format/format-number.js";
import { MS_PER_DAY } from "../../../core/instant.js";
import { printable, printableLine } from "../../../core/printable.js";
import { isForOthers } from "../../../core/provenance.js";
import { BESIDE, NO_VALUE, ROW_HEIGHT } from "../live/embedded-column.js";
import type { MimeBundle } from "../mime-bundle.js";
import { escapeHtml } from "../text.js";
import { type FormattedCell, readTable, type ShownColumn, type ShownTable, type TableView } from "./table-view.js";

/** Default size of a displayed table: its first rows and columns. */
export const shownFirst = { rows: 50, columns: 60 } as const;

/** Rows of a table as text. */
const textRows = 12;

/** Longer tables are scrolled. */
const maxHeight = "26rem";
/** Inline, in addition to the table's style, which Jupyter removes from the HTML of untrusted notebooks. */
const bounds = `max-height:${maxHeight};overflow:auto;white-space:nowrap`;

/** Maximum characters of one tooltip, and of all together, so that tables of long strings stay small. */
const maxTooltip = 2000;
const maxTooltips = 60_000;

/** Width in pixels of a table on an A4 or Letter page, at the font size for print. */
const paperWidth = 640;
const letterWidth = 6.6;
const cellPadding = 13;
/** Characters of a line: up to twice as many are printed in two lines. */
const fewLines = 16;
/** Width in pixels of a column that wraps anywhere. */
const wrappedWidth = fewLines * letterWidth + cellPadding;
/** Longer words (than a UUID) are broken in print. */
const maxWord = 36;
const longWord = /[^\s-]{37}/;
/** Printed rows of a table that is incomplete anyway. */
const printedRows = 15;
/** Maximum number of omitted columns that are listed by name. */
const maxNames = 60;

/** Maximum characters of one cell. In HTML, a tooltip shows the rest. */
const maxLength = 80;

/**
 * Renders a table as HTML and text: the first rows, the counts, and each column's type under its name. All data,
 * including column names, is escaped.
 *
 * @param maxRows rows of the HTML; the text has at most `textRows`
 * @param widths of the columns in pixels, for a table that an interactive one replaces
 * @returns a bundle with `text/html` and `text/plain`
 */
export function renderTable(
  view: TableView,
  maxRows: number = shownFirst.rows,
  widths: readonly number[] = [],
): MimeBundle {
  return {
    "text/html": renderHtmlTable(readTable(view, maxRows, shownFirst.columns), widths),
    "text/plain": renderTextTable(readTable(view, Math.min(maxRows, textRows), shownFirst.columns)),
  };
}

/** The plain text of a displayed table and its diagnostics. */
export function tableText(view: TableView, diagnostics: readonly Diagnostic[], maxRows: number = textRows): string {
  const text = renderTextTable(readTable(view, maxRows, shownFirst.columns));
  return diagnostics.length === 0 ? text : `${text}\n${diagnosticsText(diagnostics)}`;
}

/** A table as an HTML fragment with its style. */
function renderHtmlTable(table: ShownTable, widths: readonly number[]): string {
  let tooltips = 0;
  const tooltip = (text: string): string => {
    const title = escapeHtml(text.slice(0, maxTooltip));
    tooltips += title.length;
    return tooltips > maxTooltips ? "" : ` title="${title}"`;
  };
  const rows = Array.from({ length: table.shownRows }, (_, row) => {
    const cells = table.columns.map((column) => bodyCell(column, row, tooltip));
    return `<tr>${cells.join("")}${table.left > 0 && row === 0 ? restCell(table) : ""}</tr>`;
  });
  const caption = table.caption ? `<div class="caption">${escapeHtml(table.caption)}</div>` : "";
  const age = table.age ? `<div class="note">${escapeHtml(table.age)}</div>` : "";
  const rest =
    table.left > 0 ? `<th class="rest">${table.left} more ${table.left === 1 ? "column" : "columns"}</th>` : "";
  const columns = widths.length === 0 ? "" : columnWidths(widths.slice(0, table.columns.length), table.left);
  const head = `${columns}<thead><tr>${table.columns.map(headCell).join("")}${rest}</tr></thead>`;
  const [ownClass, paper] = [columnStyles(table.columns), onPaper(table)];
  const names = [...paper.names, ...ownClass.names];
  const attribute = names.length === 0 ? "" : ` class="${names.join(" ")}"`;
  return [
    `<div class="siteframe-table"><style>${tableStyle()}${compactStyle(`${ownClass.style} ${paper.style}`.trim())}</style>${caption}`,
    `<div class="scroll" style="${bounds}" tabindex="0" role="group" aria-label="${escapeHtml(table.caption || "Table")}"><table${attribute}>${head}<tbody>`,
    ...rows,
    `</tbody></table></div><div class="note${paper.note === "" ? "" : " screen"}">${tableNote(table)}</div>${paper.note}${age}</div>`,
  ].join("\n");
}

/** Widths that only pages with scripts use; see `assets/table.css`. */
function columnWidths(widths: readonly number[], left: number): string {
  const all = left > 0 ? [...widths, BESIDE] : widths;
  return all.map((width) => `<col width=${width}>`).join("");
}

/** The cells of a column, as shown. */
export function shownTexts(column: ShownColumn): readonly string[] {
  return column.cells.map((cell) => shortText(cell, column));
}

/**
 * Style of whole columns, set once per column instead of per cell: numbers are right-aligned, and neither they nor
 * dates and short ids are broken in print. Class names contain a number, because other tables in the page have such
 * styles too.
 */
function columnStyles(columns: readonly ShownColumn[]): { readonly style: string; readonly names: readonly string[] } {
  const set = (name: string, isOne: (column: ShownColumn) => boolean, style: string) => {
    const indices = columns.flatMap((column, index) => (isOne(column) ? [index + 1] : []));
    if (indices.length === 0) return [];
    const ownClass = `${name}-${indices.join("-")}`;
    const cells = indices.map((index) => `:nth-child(${index})`).join(", ");
    return [
      { own: ownClass, style: `.siteframe-table.siteframe-table table.${ownClass} td:is(${cells}) { ${style} }` },
    ];
  };
  const all = [
    ...set("numbers", ({ numeric }) => numeric, "text-align: right; white-space: nowrap;"),
    ...set("whole", isWhole, "white-space: nowrap;"),
  ];
  return { style: all.map(({ style }) => style).join(" "), names: all.map(({ own: ownClass }) => ownClass) };
}

/**
 * The printed part of a table, without scrolling: as many readable columns as fit, the first rows of an incomplete
 * table, and a note about omissions.
 */
function onPaper(table: ShownTable) {
  const { shownRows, rowCount } = table;
  const isCut = shownRows < rowCount && shownRows > printedRows;
  const rows = `${printedRows} of ${formatCount(rowCount)} rows. The page has more.`;
  const { style, names, note } = columnsOnPaper(table);
  const parts = [isCut ? `<span class="rows">${rows}</span>` : "", escapeHtml(note)]
    .filter((text) => text !== "")
    .join(" ");
  return {
    style,
    names: isCut ? [...names, "cut"] : names,
    // Also hidden inline, so that pages that remove our style do not show the note.
    note: parts === "" ? "" : `<div class="note paper" style="display:none">${parts}</div>`,
  };
}

/**
 * If not all columns fit, the widest columns wrap. If that is not enough, columns without any value, lists and
 * geometries are left out first. Columns that belong together are printed together.
 */
function columnsOnPaper({ columns, left }: ShownTable) {
  const whole = columns.map((column) => printedWidth(column));
  const { widths, wrapped } = wrapWidest(columns, whole);
  const all = columns.map((_, index) => index);
  const isAllFitting = sum(widths) <= paperWidth;
  if (isAllFitting && left === 0) return { ...wrappedStyle(wrapped), note: "" };
  const telling = isAllFitting ? all : all.filter((index) => isTelling(columns[index] as ShownColumn));
  let width = 0;
  const kept = new Set(
    together(columns, telling.length > 0 ? telling : all)
      .filter((indices, rank) => {
        width += sum(indices.map((index) => widths[index] as number));
        return rank === 0 || width <= paperWidth;
      })
      .flat(),
  );
  const wrapping = wrappedStyle(wrapped.filter((index) => kept.has(index)));
  const hidden = all.filter((index) => !kept.has(index));
  const end = Math.max(...kept) + 1;
  const within = hidden.filter((index) => index < end).map((index) => index + 1);
  const name = `paper-${[end, ...within].join("-")}`;
  const cells = [...within.map((index) => `:nth-child(${index})`), `:nth-child(n + ${end + 1})`].join(", ");
  const named = hidden.map((index) => columns[index]?.name || "an unnamed column");
  const count = columns.length + left;
  const missing = firstOf(named, maxNames, { total: count - kept.size });
  const scope = left === 0 ? "the page has all" : `the page has the first ${columns.length}`;
  return {
    style:
      `${wrapping.style} @media print { .siteframe-table .${name} :is(th, td):is(${cells}) { display: none; } }`.trim(),
    names: [name, ...wrapping.names],
    note: `${kept.size} of ${count} columns printed, ${scope}. Not printed: ${missing}.`,
  };
}

/** Wraps the widest columns, one after the other, until all fit. */
function wrapWidest(columns: readonly ShownColumn[], whole: readonly number[]) {
  const widths = [...whole];
  const wrapped: number[] = [];
  const widestFirst = columns
    .flatMap((column, index) => (column.numeric || isWhole(column) || !isTelling(column) ? [] : [index]))
    .sort((a, b) => (whole[b] as number) - (whole[a] as number));
  for (const index of widestFirst) {
    if (sum(widths) <= paperWidth || (widths[index] as number) <= wrappedWidth) break;
    widths[index] = wrappedWidth;
    wrapped.push(index);
  }
  return { widths, wrapped: wrapped.sort((a, b) => a - b) };
}

function wrappedStyle(indices: readonly number[]): { readonly style: string; readonly names: readonly string[] } {
  if (indices.length === 0) return { style: "", names: [] };
  const name = `wrapped-${indices.map((index) => index + 1).join("-")}`;
  const cells = indices.map((index) => `:nth-child(${index + 1})`).join(", ");
  const style = "overflow-wrap: anywhere; min-width: 0;";
  return {
    style: `@media print { .siteframe-table.siteframe-table table.${name} :is(th, td):is(${cells}) { ${style} } }`,
    names: [name],
  };
}

/** Names of columns that belong together and are adjacent in a table. */
const pairs: readonly (readonly [string, string])[] = [
  ["before", "after"],
  ["before_state", "after_state"],
  ["from", "to"],
  ["start", "end"],
  ["value", "previous"],
  ["valid_from", "valid_to"],
  ["from_days", "to_days"],
];

/** Columns in groups that are printed together. */
function together(columns: readonly ShownColumn[], indices: readonly number[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (const index of indices) {
    const last = groups.at(-1);
    const before = columns[last?.at(-1) ?? Number.NaN]?.name;
    const isPair = pairs.some(([first, second]) => before === first && columns[index]?.name === second);
    if (last && isPair) last.push(index);
    else groups.push([index]);
  }
  return groups;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Whether a column has values other than objects. */
function isTelling({ cells }: ShownColumn): boolean {
  return cells.length === 0 || cells.some(({ text, isMissing }) => !isMissing && !/^[[{]/.test(text));
}

/** Characters of dates and short ids. */
const maxWhole = 12;

/** Whether a column has only short words, some of them with a hyphen. */
function isWhole({ numeric, cells }: ShownColumn): boolean {
  return (
    !numeric &&
    cells.some(({ text }) => text.includes("-")) &&
    cells.every(({ text }) => text.length <= maxWhole && !/\s/.test(text))
  );
}

/** Minimum readable width of a column in pixels: its longest word or number. */
function printedWidth(column: ShownColumn): number {
  const { name, type, numeric, cells } = column;
  const texts = cells.map((cell) => shortText({ ...cell, text: cell.text.slice(0, maxLength) }, column));
  const isUnbroken = numeric || isWhole(column);
  const words = [name, type, ...texts].flatMap((text) => (isUnbroken ? [text] : text.split(/[\s-]+/)));
  const longest = Math.max(...words.map((word) => Math.min(maxWord, lettersOf(word))));
  // A long string with one word per line would be unreadable, too.
  const whole = Math.max(...texts.map((text) => lettersOf(text)), 0);
  return Math.max(longest, Math.min(whole / 2, fewLines), Math.sqrt(whole) * 2) * letterWidth + cellPadding;
}

/** CJK characters take two columns. */
function lettersOf(text: string): number {
  return text.length + (text.match(/[\u1100-\uffdc]/g)?.length ?? 0);
}

/** A cell for omitted columns in every row, so that scrolling to the end shows that they are missing. */
function restCell({ shownRows }: ShownTable): string {
  return `<td class="rest" rowspan="${shownRows}">…`;
}

function headCell({ name, unit, type, numeric, dates, cells }: ShownColumn): string {
  const parts = cells.some(({ time }) => time !== undefined) ? formatType(type, dates.timeZone) : type;
  const heading = escapeHtml(unit ? `${name}, ${unit}` : name) || "&nbsp;";
  if (isForOthers()) return `<th${numeric ? ' class="number"' : ""}>${heading}</th>`;
  // On pages that remove our style, the type would directly follow the name.
  return `<th${numeric ? ' class="number"' : ""}>${heading}<br><small>${escapeHtml(parts)}</small></th>`;
}

function bodyCell(column: ShownColumn, row: number, tooltip: (text: string) => string): string {
  const cell = column.cells[row] as FormattedCell;
  const short = shortText(cell, column);
  const isLong = longWord.test(short);
  const classes = [cell.dim ? "dim" : "", isLong ? "long" : ""].filter((name) => name);
  const attribute = classes.length > 0 ? ` class="${classes.join(" ")}"` : "";
  const isFull = cell.isMissing || short === cell.text || isShownInFull(cell, column);
  // HTML ends a cell where the next one begins: a thousand end tags would be a fifth of the table.
  return `<td${attribute}${isFull ? "" : tooltip(fullText(cell, column))}>${escapeHtml(short)}`;
}

/** Whether a tooltip would add nothing. */
function isShownInFull({ number, time }: FormattedCell, { numbers, dates }: ShownColumn): boolean {
  if (number !== undefined) return isFullIn(number, numbers);
  return time !== undefined && dateUnit([time], dates) >= (dates.unit ?? 1);
}

/** A date has its seconds in the time zone of its column. */
function fullText({ text, time }: FormattedCell, { dates }: ShownColumn): string {
  return time === undefined ? text : formatDate(time, { ...dates, unit: dateUnit([time], dates) });
}

function shortText(cell: FormattedCell, column: ShownColumn): string {
  const { text, isMissing } = cell;
  if (isMissing) return NO_VALUE;
  return valueText(cell, column) ?? (text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`);
}

/** Text of a number or date; undefined for other values. */
function valueText({ number, time }: FormattedCell, { numbers, dates }: ShownColumn): string | undefined {
  if (number !== undefined) return formatInColumn(number, numbers);
  return time === undefined ? undefined : formatDate(time, dates);
}

/** As long as a time with milliseconds and its offset. */
const maxCell = "2026-06-30T14:03:20.125+02:00".length;
/** Characters of a line that notebooks do not wrap: wrapped rows look as if they ended at a blank column. */
const maxLine = 100;
/** Placeholder for omitted columns. */
const more = "…";

/**
 * A table as lines of text: names, rows, note. Columns that would make the lines too long are left out.
 *
 * @param lineLength maximum number of characters of a line
 */
export function renderTextTable(table: ShownTable, lineLength = maxLine): string {
  const columns = fitting(table.columns.map(textColumn), lineLength);
  const isCut = table.left + table.columns.length > columns.length;
  const line = (row: number) =>
    [...columns.map((column) => column.lines[row] as string), ...(isCut ? [more] : [])].join("  ").trimEnd();
  const lines = Array.from({ length: table.shownRows + 1 }, (_, row) => line(row));
  const note = tableNote(table, columns.length);
  const given = (text: string | undefined) => (text ? [printableLine(text)] : []);
  return [...given(table.caption), ...lines, note, ...given(table.age)].join("\n");
}

interface TextColumn {
  readonly width: number;
  readonly lines: readonly string[];
}

function textColumn(column: ShownColumn): TextColumn {
  const { name, numeric, cells, dates } = column;
  // The type, with the zone, is not part of a table as text.
  const isLocal = dates.timeZone !== "UTC" && (dates.unit ?? 1) < MS_PER_DAY;
  const texts = [
    isLocal ? `${name}, ${dates.timeZone}` : name,
    ...cells.map((cell) => valueText(cell, column) ?? cell.text),
  ].map(oneLine);
  const width = Math.max(...texts.map((text) => text.length));
  return { width, lines: texts.map((text) => (numeric ? text.padStart(width) : text.padEnd(width))) };
}

function oneLine(text: string): string {
  const flat = printable(text.replace(/[\s\p{Cc}]+/gu, " "));
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
 * `1,200 rows × 8 columns`, and the shown part.
 *
 * @param texts number of shown columns, at most the number read
 */
function tableNote({ columns, left, rowCount, shownRows }: ShownTable, texts = columns.length): string {
  // Readers of a report do not need the size of a complete table.
  if (isForOthers() && shownRows === rowCount && left === 0) return "";
  const named = (some: ShownTable["columns"]) => some.filter(({ isIndex }) => !isIndex).length;
  const all = named(columns) + left;
  const here = named(columns.slice(0, texts));
  const size = `${counted(rowCount, "row")} × ${counted(all, "column")}`;
  const cut = [
    shownRows < rowCount ? `first ${counted(shownRows, "row")}` : "",
    here < all ? `first ${counted(here, "column")}` : "",
  ].filter((part) => part !== "");
  return cut.length === 0 ? size : `${size}, ${cut.join(" and ")} shown`;
}

/**
 * A bundle with a list of diagnostics below it; the same bundle without diagnostics.
 *
 * @param rowCount number of shown rows: for none, the list is open, because it explains the empty result
 */
export function withDiagnostics(bundle: MimeBundle, diagnostics: readonly Diagnostic[], rowCount: number): MimeBundle {
  if (diagnostics.length === 0) return bundle;
  const title = diagnosticsTitle(diagnostics);
  const items = diagnostics.map((one) => `<li>${escapeHtml(diagnosticText(one))}</li>`).join("");
  return {
    ...bundle,
    "text/html": `${bundle["text/html"]}<details${rowCount === 0 ? " open" : ""} style="font:12px/1.5 system-ui,sans-serif;margin-top:4px"><summary>${title}</summary><ul style="margin:4px 0 0;padding-left:1.5em">${items}</ul></details>`,
    "text/plain": `${bundle["text/plain"]}\n${diagnosticsText(diagnostics)}`,
  };
}

function diagnosticsTitle(diagnostics: readonly Diagnostic[]): string {
  return counted(diagnostics.length, "diagnostic");
}

function diagnosticsText(diagnostics: readonly Diagnostic[]): string {
  const lines = diagnostics.map((one) => `- ${printable(diagnosticText(one))}`);
  return `${diagnosticsTitle(diagnostics)}:\n${lines.join("\n")}`;
}

/**
 * Colors are mixed from the text color, so that the table fits light and dark surroundings. Only the sticky header
 * needs an opaque background: that of VS Code (whose page also has a white one of JupyterLab in every theme), of
 * JupyterLab, or of a page of Siteframe, else the browser's. The doubled class outranks JupyterLab's style, which
 * aligns all table cells right.
 */
export function tableStyle(): string {
  return `${readStyle("table")}@media print{.siteframe-table .cut tr:nth-child(n + ${printedRows + 1}){display:none}}`;
}

const styles = new Map<string, string>();

/** Returns a style of `assets`, which is read on first use: most programs show no table. */
export function readStyle(name: "frame" | "live-table" | "table" | "view"): string {
  const cached = styles.get(name);
  if (cached !== undefined) return cached;
  const text = readFileSync(new URL(`../../../../assets/${name}.css`, import.meta.url), "utf8");
  const style = compactStyle(text).replaceAll("var(--row-height)", `${ROW_HEIGHT}px`);
  styles.set(name, style);
  return style;
}

/** The style without whitespace for readability, because it is part of every output. */
export function compactStyle(style: string): string {
  return style
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replace(/\s*([{};,])\s*/g, "$1")
    .replaceAll(/:\s+/g, ":")
    .replaceAll(";}", "}")
    .replaceAll(/(?<=[:, ])0\./g, ".")
    .trim();
}
