// Heads of a table's columns: name, type, summary of all rows, and a filter. A click on bars and values filters.
import { type CellFilter, type ColumnCells, rowTests } from "../live/arrange-rows.js";
import type { ColumnSummary } from "../live/embedded-column.js";
import { make, many } from "./elements.js";
import type { GridRows } from "./grid-rows.js";
import type { AskedRows } from "./kernel-channel.js";
import { edgeText, type TableColumn } from "./table-columns.js";

/** A column and its head. */
export interface HeadedColumn extends TableColumn {
  readonly head: HTMLElement;
  /** The mark for its sort order. */
  readonly mark: HTMLElement;
  /** The input of its filter. */
  readonly input: HTMLInputElement;
  /** The width set by dragging, in pixels. */
  width: number;
}

/** Minimum useful width of a column in pixels. */
const NARROWEST = 40;
const WIDEST = 1600;

/** A filter set by a click. */
export interface PickedFilter {
  readonly key: string;
  readonly label: string;
  readonly filter: CellFilter;
}

/** Indices of a row, or -1 for the heads, and a column. */
export type CellPlace = readonly [row: number, column: number];

/** State shared by the parts of an interactive table. */
export interface LiveTable {
  readonly columns: readonly HeadedColumn[];
  /** Visible columns, in order. */
  shown: readonly HeadedColumn[];
  /** Number of columns that are not in the output. */
  readonly left: number;
  /** Rows that pass all filters, in order. */
  rows: GridRows;
  /** The focused cell, and the start of the selection. */
  at: CellPlace;
  anchor: CellPlace;
  /** Sets a filter by a click; a second click removes it. */
  click(column: HeadedColumn, picked?: PickedFilter): void;
  /** Sets a filter by typing. */
  type(column: HeadedColumn, text: string): void;
  /** Sorts ascending, then descending, then not. With `isMore`, adds to the existing sort keys. */
  sort(column: HeadedColumn, isMore: boolean): void;
  move(column: HeadedColumn, place: number): void;
  /** @param width in pixels */
  resize(column: HeadedColumn, width: number): void;
  copy(): void;
  /** Selects the rows of the selected cells in the linked frames. */
  pick(): void;
  /** Whether a row is selected in the linked frames. */
  isPicked(row: NonNullable<ReturnType<GridRows["at"]>>): boolean;
}

/** The column with its head. */
export function withHead(plain: TableColumn, table: LiveTable): HeadedColumn {
  const mark = make("span", { className: "mark" });
  const label = make("span", {}, plain.symbol ? `${plain.name}, ${plain.symbol}` : plain.name || "\u00a0");
  const name = make("div", { className: "name", draggable: true, title: plain.name }, label, mark);
  const input = make("input", {
    type: "text",
    tabIndex: -1,
    placeholder: "filter",
    title: plain.kind === "text" ? "Part of the text" : "Part of the value, or > >= < <= =",
    "aria-label": `Filter ${plain.name}`,
  });
  const head = make("th", { scope: "col", tabIndex: -1, className: plain.kind === "number" ? "number" : "" });
  const column = { ...plain, head, mark, input };
  let wait = 0;
  input.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => table.type(column, input.value), 120);
  });
  const filterButton: FilterButton = ({ key, label, filter }, properties, ...children) =>
    make(
      "button",
      {
        type: "button",
        tabIndex: -1,
        "aria-pressed": "false",
        "data-key": key,
        onclick: () => table.click(column, { key, label, filter }),
        ...properties,
      },
      ...children,
    );
  head.append(
    name,
    make("small", { className: "type" }, plain.type),
    pictureOf(column, filterButton),
    rangeOf(column, filterButton),
    input,
    gripOf(column, plain.width, table),
  );
  head.addEventListener("click", ({ target, shiftKey }) => {
    if (!(target as Element).closest("input, button, .grip")) table.sort(column, shiftKey);
  });
  name.addEventListener("dragstart", ({ dataTransfer }) =>
    dataTransfer?.setData("text/plain", `column ${plain.index}`),
  );
  head.addEventListener("dragover", (event) => {
    event.preventDefault();
    head.classList.add("over");
  });
  head.addEventListener("dragleave", () => head.classList.remove("over"));
  head.addEventListener("drop", (event) => {
    event.preventDefault();
    head.classList.remove("over");
    const [, index] = /^column (\d+)$/.exec(event.dataTransfer?.getData("text/plain") ?? "") ?? [];
    const dragged = table.columns[Number(index)];
    if (dragged) table.move(dragged, table.shown.indexOf(column));
  });
  return column;
}

/** The edge of a head, for dragging the width of the column. */
function gripOf(column: HeadedColumn, first: number, table: LiveTable): HTMLElement {
  const grip = make("span", { className: "grip", title: "Resize; double-click to reset" });
  let from: { readonly x: number; readonly width: number } | undefined;
  // Otherwise the name, which moves to where the edge was, would be dragged.
  grip.addEventListener("mousedown", (event) => event.preventDefault());
  grip.addEventListener("pointerdown", ({ pointerId, clientX }) => {
    grip.setPointerCapture(pointerId);
    from = { x: clientX, width: column.width };
  });
  grip.addEventListener("pointermove", ({ clientX }) => {
    if (from) table.resize(column, from.width + clientX - from.x);
  });
  for (const end of ["pointerup", "pointercancel"]) grip.addEventListener(end, () => (from = undefined));
  grip.addEventListener("dblclick", () => table.resize(column, first));
  return grip;
}

/** A width in pixels at which the column is readable and can be dragged back. */
export function boundedWidth(width: number): number {
  return Math.round(Math.max(NARROWEST, Math.min(WIDEST, width)));
}

type FilterButton = (
  picked: PickedFilter,
  properties: Readonly<Record<string, unknown>>,
  ...children: readonly (Node | string)[]
) => HTMLButtonElement;

function pictureOf(column: TableColumn, filterButton: FilterButton): HTMLElement {
  const { kind, bars, top } = column.summary;
  if (bars && kind === column.kind) return barsOf(column, bars, filterButton);
  return top && column.kind === "text" ? topOf(column, top, filterButton) : make("div", { className: "bars" });
}

function barsOf(
  column: TableColumn,
  { first: firstBar, step, counts }: NonNullable<ColumnSummary["bars"]>,
  filterButton: FilterButton,
): HTMLElement {
  const { kind, rows } = column.summary;
  const most = Math.max(...counts);
  const isOne = kind === "number" && step === 1 && column.decimals === 0;
  const buttons = counts.map((count, bar) => {
    const first = firstBar + bar;
    const from = edgeText(column, first * step);
    const label = isOne ? `= ${from}` : `${from} – ${edgeText(column, (first + 1) * step)}`;
    const title = `${label}: ${many(count)} of ${many(rows)} rows`;
    const filled = make("i");
    filled.style.height = count === 0 ? "0" : `${Math.max(6, (100 * count) / most)}%`;
    const picked = { key: `bar ${bar}`, label, filter: { bar: [first, step] } } as const;
    return filterButton(picked, { title, "aria-label": title, "data-title": title }, filled);
  });
  return make("div", { className: "bars" }, ...buttons);
}

function topOf(
  { summary: { rows, nulls } }: TableColumn,
  top: NonNullable<ColumnSummary["top"]>,
  filterButton: FilterButton,
): HTMLElement {
  let left = rows - nulls;
  const values: HTMLElement[] = top.map(([value, count]) => {
    left -= count;
    const shown = value || '""';
    const picked = { key: `value ${value}`, label: `= ${shown}`, filter: { value } };
    const title = `${value}: ${many(count)} of ${many(rows)} rows`;
    const button = filterButton(picked, { title, "data-title": title }, shown);
    button.style.flexGrow = String(count);
    return button;
  });
  if (left > 0) {
    const title = `others: ${many(left)}`;
    const rest = make("span", { title, "data-title": title });
    rest.style.flexGrow = String(left);
    values.push(rest);
  }
  return make("div", { className: "top" }, ...values);
}

/** Below the picture: a range or a count, and the share of nulls, which filters by click. */
function rangeOf(column: TableColumn, filterButton: FilterButton): HTMLElement {
  const { range, nulls, rows } = column.summary;
  const texts = range ? [...new Set(range)].map((edge) => edgeText(column, edge)) : distinctText(column.summary);
  const parts: HTMLElement[] = texts.map((text) => make("span", {}, text));
  if (nulls > 0) {
    const percent = (100 * nulls) / rows;
    const share = percent < 1 ? "<1" : percent > 99 && percent < 100 ? ">99" : Math.round(percent);
    const title = `${many(nulls)} of ${many(rows)} rows`;
    const picked = { key: "null", label: "is empty", filter: { isNull: true } } as const;
    parts.splice(1, 0, filterButton(picked, { title }, `${share}% empty`));
  }
  return make("small", {}, ...parts);
}

function distinctText({ distinct, isMore, nulls, rows }: ColumnSummary): readonly string[] {
  if (distinct === undefined || rows === nulls) return [];
  if (isMore) return [`over ${many(distinct)} values`];
  if (distinct === 1) return ["1 value"];
  return [distinct === rows - nulls ? "all different" : `${many(distinct)} values`];
}

// Filtered counts of the bars and values above other columns.

/** Rows in the output, by their bar or value; the entry after the values is for all others. */
interface Tally {
  readonly here: readonly number[];
  /** Counts of rows that pass the filters of all other columns. */
  readonly left: readonly number[];
}

/** Filtered counts by column; undefined for a column without bars and values. */
export function crossFilter(
  rowCount: number,
  columns: readonly TableColumn[],
  question: AskedRows,
): readonly (Tally | undefined)[] {
  /** For each row, the only column whose filter it fails; NO_FILTER for none, SEVERAL for more than one. */
  const [NO_FILTER, SEVERAL] = [-1, -2];
  const failed = new Int32Array(rowCount).fill(NO_FILTER);
  // A row that fails the search over all columns is counted nowhere.
  for (const { column = SEVERAL, test } of rowTests(columns, question)) {
    for (let row = 0; row < rowCount; row += 1) {
      const before = failed[row] as number;
      if (before !== column && before !== SEVERAL && !test(row)) failed[row] = before === NO_FILTER ? column : SEVERAL;
    }
  }
  return columns.map((column) => {
    const places = placesOf(column);
    if (!places) return undefined;
    const here = new Array<number>(places.count).fill(0);
    const left = new Array<number>(places.count).fill(0);
    for (let row = 0; row < rowCount; row += 1) {
      const place = places.at(row);
      if (place === undefined) continue;
      here[place] = (here[place] as number) + 1;
      const isLeft = failed[row] === NO_FILTER || failed[row] === column.index;
      if (isLeft) left[place] = (left[place] as number) + 1;
    }
    return { here, left };
  });
}

/** The index of a row's bar or value, and their number. */
function placesOf(column: TableColumn & ColumnCells) {
  const { summary, coded, kind } = column;
  const { bars, top } = summary;
  if (bars && kind === summary.kind) {
    const count = bars.counts.length;
    const at = (row: number) => {
      const place = Math.floor(column.sizeOf(row) / bars.step) - bars.first;
      return place >= 0 && place < count ? place : undefined;
    };
    return { count, at };
  }
  if (!top || !coded || kind !== "text") return undefined;
  const placeOf = new Map(top.map(([text], place) => [text, place]));
  const places = coded.texts.map((text) => placeOf.get(text) ?? top.length);
  return { count: top.length + 1, at: (row: number) => places[coded.codes[row] as number] };
}

/** Shows the filtered counts in the head of a column; undefined without filters. */
export function showLeft({ head }: HeadedColumn, tally: Tally | undefined, areAllHere: boolean): void {
  for (const [place, part] of [...head.querySelectorAll<HTMLElement>(":is(.bars, .top) > *")].entries()) {
    const title = part.dataset["title"] as string;
    if (tally) {
      const [here, left] = [tally.here[place] as number, tally.left[place] as number];
      part.title = `${title}, ${many(left)} of ${areAllHere ? "them" : `the ${many(here)} here`} left`;
      part.style.setProperty("--left", `${here === 0 ? 0 : (100 * left) / here}%`);
    } else {
      part.title = title;
      part.style.removeProperty("--left");
    }
    if (part.ariaLabel) part.ariaLabel = part.title;
  }
}
