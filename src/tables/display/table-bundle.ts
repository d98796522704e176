import { ArgumentError } from "../../core/errors.js";
import { type DateFormat, dateUnit, formatType, inUtc } from "../../core/format/format-date.js";
import { LocalClock } from "../../core/local-clock.js";
import { isForOthers, reportLocale } from "../../core/provenance.js";
import { showValue } from "../../core/show-value.js";
import { numberForm, shownUnit } from "./column-form.js";
import { formatValue } from "./format-value.js";
import { readStyle, renderTable, shownFirst, shownTexts } from "./html/render-table.js";
import { type ColumnView, columnType, readTable, type ShownColumn, type TableView } from "./html/table-view.js";
import { answerRows, arrangeRows, type ColumnFilter, type RowQuestion } from "./live/arrange-rows.js";
import { type CellForms, ColumnReader, summariseColumn, TextBudget } from "./live/column-reader.js";
import {
  type ColumnHead,
  type ColumnSummary,
  cellKind,
  contents,
  type EmbeddedColumn,
  type EmbeddedNumbers,
  type EmbeddedTexts,
  type HeadZone,
  isOdd,
  type TablePayload,
} from "./live/embedded-column.js";
import { liveKernel } from "./live-kernel.js";
import type { MimeBundle } from "./mime-bundle.js";
import { escapeHtml } from "./text.js";
import { viewHtml } from "./view.js";

/** Limits of filters, words, and characters of a word, far above normal use. */
const MOST_FILTERS = 1000;
const MOST_LETTERS = 10_000;

/**
 * Checks a question, which comes from an output that may have any author.
 *
 * @param columnCount number of columns that may be requested
 * @throws ArgumentError with the invalid part
 */
export function rowQuestion(request: unknown, columnCount: number): RowQuestion {
  const { rows, order, filter, find } = objectOf(request);
  const isColumn = (value: unknown): value is number => isCount(value) && value < columnCount;
  const { words, columns } = objectOf(find);
  const question = {
    rows: check("rows", rows, isRange),
    order: listOf("order", order, (value): value is RowQuestion["order"][number] => isWay(value, isColumn)),
    filter: listOf("filter", filter, (value): value is ColumnFilter => isFilter(value, isColumn)),
    find: { words: listOf("words", words, isText), columns: listOf("columns", columns, isColumn) },
  };
  return question;
}

function isRange(value: unknown): value is readonly [number, number] {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(isCount)) return false;
  const [from = 0, to = 0] = value;
  return from <= to && to - from <= answerRows.most;
}

function isWay(value: unknown, isColumn: (value: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length === 2 && isColumn(value[0]) && (value[1] === 1 || value[1] === -1);
}

function isFilter(value: unknown, isColumn: (value: unknown) => boolean): boolean {
  const { column, words, bar, value: text, isNull } = objectOf(value);
  if (!isColumn(column)) return false;
  return isText(words) || isText(text) || isNull === true || isBar(bar);
}

function isBar(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [index, step]: readonly unknown[] = value;
  return Number.isSafeInteger(index) && typeof step === "number" && step > 0 && Number.isFinite(step);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MOST_LETTERS;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function listOf<Item>(name: string, value: unknown, is: (item: unknown) => item is Item): readonly Item[] {
  return check(
    name,
    value,
    (list): list is readonly Item[] => Array.isArray(list) && list.length <= MOST_FILTERS && list.every(is),
  );
}

function check<Value>(name: string, value: unknown, is: (value: unknown) => value is Value): Value {
  if (is(value)) return value;
  throw new ArgumentError(`Invalid ${name} in a request for rows: ${showValue(value)}.`);
}

/** Values of a column, in the form that is smallest after compression. */
function embedColumn(
  values: readonly unknown[],
  budget: TextBudget,
  type: string | undefined,
  dates: DateFormat,
): EmbeddedColumn {
  const odd = values.flatMap((value, row) => (isOdd(value) ? [[row, formatValue(value)] as const] : []));
  const oddRows = { ...(odd.length > 0 ? { odd } : {}) };
  const kind = cellKind(values, type);
  const isText = (value: unknown) => typeof value === "string";
  if (kind === "number") {
    const words = values.flatMap((value, row) => (isText(value) ? [[row, budget.fit(String(value))] as const] : []));
    const more = words.length > 0 ? { words } : {};
    return { ...numbersOf("number", values.map(numberOf), 1), ...oddRows, ...more };
  }
  if (kind === "date" && !values.some(isText)) {
    const times = values.map(numberOf);
    return { ...numbersOf("date", times, dateUnit(times, inUtc)), ...oddRows };
  }
  return { ...textsOf(kind === "bigint" ? "number" : kind, values, budget, dates), ...oddRows };
}

function numberOf(value: unknown): number | null {
  return value === null || typeof value === "string" || isOdd(value) ? null : Number(value);
}

function numbersOf(kind: "number" | "date", values: readonly (number | null)[], unit: number): EmbeddedNumbers {
  const numbers = values.map((value) => (value === null ? null : value / unit));
  const scale = unit === 1 ? {} : { unit };
  const plain = { kind, numbers, ...scale };
  if (!numbers.every((value) => value === null || Number.isSafeInteger(value))) return plain;
  const from = numbers.reduce<number>((least, value) => Math.min(least, value ?? least), Number.MAX_SAFE_INTEGER);
  const above = numbers.map((value) => (value === null ? null : value - from));
  let before = 0;
  const steps = numbers.map((value) => {
    const step = value === null ? null : value - before;
    before = value ?? before;
    return step;
  });
  const forms = [plain, { ...plain, numbers: above, from }, { ...plain, numbers: steps, isDelta: true as const }];
  return forms.filter(isExact).reduce((best, form) => (lengthOf(form) < lengthOf(best) ? form : best));
}

function isExact({ numbers }: EmbeddedNumbers): boolean {
  return numbers.every((value) => value === null || Number.isSafeInteger(value));
}

/** Length of the compressed text, including the further fields of a form. */
function lengthOf({ numbers, ...rest }: EmbeddedNumbers): number {
  return String(numbers).length + JSON.stringify(rest).length;
}

function textsOf(
  kind: EmbeddedTexts["kind"],
  values: readonly unknown[],
  budget: TextBudget,
  dates: DateFormat,
): EmbeddedTexts {
  const places = new Map<string, number>();
  const texts: string[] = [];
  const codes = values.map((value) => {
    if (value === null || isOdd(value)) return -1;
    const text = formatValue(value, dates);
    const code = places.get(text);
    if (code !== undefined) return code;
    places.set(text, texts.length);
    return texts.push(budget.fit(text, typeof value === "object")) - 1;
  });
  return { kind, texts, codes };
}

/** Some rows of a filtered table. */
interface SomeRows {
  /** Their indices: the first, and the one after the last. */
  readonly rows: readonly [from: number, to: number];
  /** Number of rows that pass all filters. */
  readonly of: number;
  /** By column, as embedded in an output. */
  readonly cells: readonly EmbeddedColumn[];
  /** Number of strings that were shortened. */
  readonly cut: number;
}

/** All rows of a table, sorted and filtered as its output requests. */
export class TableRows {
  readonly #rowCount: number;
  readonly #readers: readonly ColumnReader[];
  /** The last result, because scrolling requests the same rows repeatedly. */
  #last: { readonly key: string; readonly rows: Uint32Array } | undefined;

  constructor(rowCount: number, columns: readonly ColumnView[], forms: readonly CellForms[]) {
    this.#rowCount = rowCount;
    this.#readers = columns.map((column, index) => new ColumnReader(column, rowCount, forms[index] as CellForms));
  }

  answer(question: RowQuestion): SomeRows {
    const rows = this.#arranged(question);
    const of = rows?.length ?? this.#rowCount;
    const from = Math.min(of, question.rows[0]);
    const to = Math.min(of, question.rows[1]);
    const codes = Array.from({ length: to - from }, (_, index) => rows?.[from + index] ?? from + index);
    const budget = new TextBudget();
    const cells = this.#readers.map((reader) =>
      embedColumn(
        codes.map((row) => reader.at(row)),
        budget,
        reader.type,
        reader.dates,
      ),
    );
    return { rows: [from, to], of, cells, cut: budget.cut };
  }

  /** Undefined for all rows in their original order. */
  #arranged(question: RowQuestion): Uint32Array | undefined {
    const { order, filter, find } = question;
    if (order.length + filter.length + find.words.length === 0) return undefined;
    const key = JSON.stringify([order, filter, find]);
    if (this.#last?.key === key) return this.#last.rows;
    const rows = arrangeRows(this.#rowCount, this.#readers, question);
    this.#last = { key, rows };
    return rows;
  }
}

/** Cells that are read for the summaries of a table: more would delay the display noticeably. */
const MOST_CELLS = 4_000_000;
/** Maximum cost of counting a cell, relative to reading it. */
const COUNTING = 0.1;

/** Number of summarized rows. */
function summarisedRows(rowCount: number, columns: readonly ColumnView[]): number {
  const cost = columns.reduce((sum, { counted }) => sum + (counted ? COUNTING : 1), 0);
  return rowCount * cost <= MOST_CELLS ? rowCount : Math.floor(MOST_CELLS / columns.length);
}

/** The name of the user's variable for a table is unknown. */
function replaceNote(code: string): string {
  return `// Replace ${/^\w+/.exec(code)?.[0] ?? code} with your variable.`;
}

/** The first rows of a table, the summaries of all its rows, and how much is missing in the output. */
export function tablePayload(
  view: TableView,
  {
    rows,
    columns,
    left = 0,
  }: { readonly rows: number; readonly columns: readonly ColumnView[]; readonly left?: number },
): TablePayload {
  const { rowCount } = view;
  const summarised = summarisedRows(rowCount, columns);
  const budget = new TextBudget();
  const cells: EmbeddedColumn[] = [];
  const locale = reportLocale();
  const heads = columns.map((column): ColumnHead => {
    const values = Array.from({ length: Math.min(rows, rowCount) }, (_, row) => column.at(row));
    const { unit, timeZone = "UTC" } = column.format ?? {};
    cells.push(embedColumn(values, budget, column.type, { timeZone }));
    const kind = cellKind(values, column.type);
    const type = column.type ?? columnType(values);
    const summary = summariseColumn(column, rowCount, summarised);
    const head = {
      name: column.name,
      ...(unit === undefined ? {} : { symbol: unit }),
      type: values.some((value) => value instanceof Date) ? formatType(type, timeZone) : type,
      numbers: { ...numberForm(column, values), ...(locale === undefined ? {} : { locale }) },
      ...(kind === "date" ? { unit: shownUnit(values.map(numberOf), column.format ?? {}) } : {}),
      ...(locale === undefined ? {} : { locale }),
      ...contents(values, kind),
      summary,
      ...zoneOf(timeZone, summary),
    };
    const first = { ...column, at: (row: number) => values[row] };
    const [shown] = readTable({ rowCount: values.length, columns: [first] }, MEASURED, 1).columns;
    return { ...head, width: columnWidth(head, shownTexts(shown as ShownColumn)) };
  });
  const all = view.columns.filter(({ isIndex }) => !isIndex).length;
  const code = codeOf(view);
  const named = {
    ...(code === undefined ? {} : { code: `${replaceNote(code)}\n${code}` }),
    ...(view.file === undefined ? {} : { file: view.file }),
  };
  return { rows: rowCount, columns: all, left, summarised, cut: budget.cut, ...named, heads, cells };
}

/** Rows whose text determines the width of a column. */
const MEASURED = 200;
/** Widths in pixels: the least one for bars and a filter, the greatest one of a column that is not resized. */
const [NARROWEST, WIDEST] = [88, 280];

/** Wide enough for most of its texts and for its summary: two numbers or dates, or a count, and the share of nulls. */
function columnWidth({ name, symbol = "", summary }: Omit<ColumnHead, "width">, texts: readonly string[]): number {
  const widest = Math.max(...[`${name}  ${symbol}`, ...texts].map(letters));
  const longest = Math.max(...texts.map(({ length }) => length));
  const below = (summary.range ? 2 * Math.min(16, longest) : 9) + (summary.nulls > 0 ? 9 : 0);
  const width = widest * (summary.kind === "number" ? 8.5 : 7.3) + 24;
  return Math.round(Math.max(NARROWEST, 6.8 * below + 28, Math.min(WIDEST, width)));
}

/** Width of a string in average characters: capitals are wider. */
function letters(text: string): number {
  return text.length + 0.35 * (text.slice(0, 60).match(/[\p{Lu}MWmw@%]/gu)?.length ?? 0);
}

/** The time zone of a column of dates, if it is not UTC. */
function zoneOf(timeZone: string, { kind, range }: ColumnSummary): Pick<ColumnHead, "zone"> {
  if (timeZone === "UTC" || kind !== "date" || !range) return {};
  const [first, last] = range;
  const intervals = new LocalClock(timeZone).offsetsBetween(first * 1000, last * 1000);
  const offsets = intervals.map(({ fromUs, offsetUs }) => [Math.max(first, fromUs / 1000), offsetUs / 1000] as const);
  // At least the interval of the first time.
  return { zone: { offsets: offsets as unknown as HeadZone["offsets"] } };
}

/** The part of a table that is embedded in its output. */
export interface TableBundleOptions {
  /** Default: 1,000. */
  readonly rows?: number;
  /** Rows of the table that is shown if scripts cannot run. Default: 50. */
  readonly printed?: number;
  /** In this order. Default: the first 60. */
  readonly columns?: readonly ColumnView[];
  /** Whether short tables are interactive too. */
  readonly isLive?: boolean;
}

const ROWS = 1000;
/** Tables of at most so many rows need no sorting or search. */
const GLANCE = 10;
/** Pixels by which an interactive table is higher than its fallback in pages that remove the style of the fallback. */
const ROOM = 96;

/**
 * A table as HTML and as text. The HTML has the first rows as fallback, and over them an interactive table, if frames
 * and scripts are allowed.
 */
export function tableBundle(table: TableView, options: TableBundleOptions = {}): MimeBundle {
  const {
    rows = ROWS,
    printed = shownFirst.rows,
    columns = table.columns.slice(0, shownFirst.columns),
    isLive = false,
  } = options;
  const view = options.columns ? { ...table, columns } : table;
  const isShort = table.rowCount <= GLANCE && !isLive;
  // Complete in a report, whose readers need no types and summaries.
  const isComplete = isForOthers() && options.printed !== undefined && table.rowCount <= printed;
  if (isShort || isComplete || columns.length === 0) return renderTable(view, printed);
  const title = table.caption || "Table";
  const facts = tablePayload(table, { rows, columns, left: view.columns.length - columns.length });
  const widths = facts.heads.map(({ width }) => width);
  const bundle = renderTable(view, printed, widths);
  const name = table.rowCount > rows ? keptName(view, columns, facts) : undefined;
  const html = viewHtml({
    title,
    fallback: { html: String(bundle["text/html"]) },
    room: ROOM,
    body: body(title, table),
    // Embedded in the data, and compressed with it: it is only needed after the script has read the data.
    payload: {
      ...facts,
      style: readStyle("frame") + readStyle("live-table"),
      ...(name === undefined ? {} : { table: name }),
    },
    script: name === undefined ? "near-table" : "far-table",
    mayDownload: true,
  });
  return { ...bundle, "text/html": html };
}

/** The name by which a kernel returns the rows that are not embedded, if this code runs in one. */
function keptName(
  { owner, rowCount }: TableView,
  columns: readonly ColumnView[],
  facts: TablePayload,
): string | undefined {
  const keeper = owner && liveKernel()?.tables;
  if (!keeper) return undefined;
  const forms = facts.heads.map(({ numbers }, index) => ({
    numbers,
    timeZone: columns[index]?.format?.timeZone ?? "UTC",
  }));
  const all = new TableRows(rowCount, columns, forms);
  const key = JSON.stringify([rowCount, columns.map((column) => column.name)]);
  return keeper.keep(owner, key, (question) => all.answer(rowQuestion(question, columns.length)));
}

/** Reports show no code to their readers. */
function codeOf({ code }: TableView): string | undefined {
  return isForOthers() ? undefined : code;
}

function body(title: string, view: TableView): string {
  const { caption = "", age = "" } = view;
  const code = codeOf(view) !== undefined;
  const tool = (id: string, label: string, more = "") => `<button id=${id}${more}>${label}</button>`;
  const opens = (panel: string) => ` aria-expanded=false aria-controls=${panel}`;
  const panel = (id: string, label: string) => `<div id=${id} class=panel role=group aria-label=${label} hidden></div>`;
  return (
    `<div id=bar>${caption ? `<b>${escapeHtml(caption)}</b>` : ""}` +
    `<input id=find type=search placeholder="Find in all columns" aria-label="Find in all columns">` +
    `${tool("choose", "Columns", opens("chooser"))}${code ? tool("code", "Code", opens("coded")) : ""}` +
    `${tool("copy", "Copy")}${tool("save", "CSV", ' title="Download as CSV"')}<span id=filters></span></div>` +
    `${panel("chooser", "Columns")}${code ? panel("coded", "Code") : ""}` +
    `<div id=scroll><table id=grid role=grid aria-multiselectable=true aria-label="${escapeHtml(title)}"></table></div>` +
    `<div id=foot><span id=count></span>${age ? `<span>${escapeHtml(age)}</span>` : ""}</div><div id=said role=status></div>`
  );
}
