// Heads of a table's columns: name, type, what all its rows hold, and a filter. Bars and values filter when clicked.
import { type CellFilter, type ColumnCells, rowTests } from "../live/arrange-rows.js";
import type { ColumnSummary } from "../live/embedded-column.js";
import { make, many } from "./elements.js";
import type { GridRows } from "./grid-rows.js";
import type { AskedRows } from "./kernel-channel.js";
import { edgeText, type TableColumn } from "./table-columns.js";

/** A column and what stands above it. */
export interface HeadedColumn extends TableColumn {
  readonly head: HTMLElement;
  /** How the table is sorted by it. */
  readonly mark: HTMLElement;
  /** Of its filter. */
  readonly input: HTMLInputElement;
  /** As it was dragged, in pixels. */
  width: number;
}

/** Pixels below which a column shows nothing. */
const NARROWEST = 40;
const WIDEST = 1600;

/** A filter that was clicked. */
export interface PickedFilter {
  readonly key: string;
  readonly label: string;
  readonly filter: CellFilter;
}

/** A row, or -1 for the heads, and a column, by their places. */
export type CellPlace = readonly [row: number, column: number];

/** What the parts of a live table share. */
export interface LiveTable {
  readonly columns: readonly HeadedColumn[];
  /** Columns that are shown, in order. */
  shown: readonly HeadedColumn[];
  /** Columns that are not here. */
  readonly left: number;
  /** Those that pass all filters, in order. */
  rows: GridRows;
  /** The cell that has the focus, and where the selection began. */
  at: CellPlace;
  anchor: CellPlace;
  /** Filters by what was clicked; once more and it is gone. */
  click(column: HeadedColumn, picked?: PickedFilter): void;
  /** Filters by what was typed. */
  type(column: HeadedColumn, text: string): void;
  /** Upwards, then downwards, then as it came. With `isMore` behind what is sorted already. */
  sort(column: HeadedColumn, isMore: boolean): void;
  move(column: HeadedColumn, place: number): void;
  /** @param width in pixels */
  resize(column: HeadedColumn, width: number): void;
  copy(): void;
  /** Takes the rows of the selected cells for what is selected in the frames that this one is linked with. */
  pick(): void;
  /** Whether a row is selected in these frames. */
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
    title: plain.kind === "text" ? "A part of the text" : "A part of what is shown, or > >= < <= =",
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
  const type = plain.kind === "date" && plain.type === "date" ? "date, UTC" : plain.type;
  head.append(
    name,
    make("small", { className: "type" }, type),
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

/** The edge of a head, by which the column is made wider. */
function gripOf(column: HeadedColumn, first: number, table: LiveTable): HTMLElement {
  const grip = make("span", { className: "grip", title: "Resize; double-click to reset" });
  let from: { readonly x: number; readonly width: number } | undefined;
  // Else the name would be dragged, which comes to be where the edge was.
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

/** A width, in pixels, that can be read and dragged back. */
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

/** Below the picture: a range or a count, and the share of nulls, which filters when clicked. */
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

// What filters leave of the bars and values above other columns.

/** Rows that are here, by the bar or value that they fall into; behind the values stands what all others are. */
interface Tally {
  readonly here: readonly number[];
  /** Those that pass the filters of all other columns. */
  readonly left: readonly number[];
}

/** What filters leave, by column; undefined for one that has neither bars nor values. */
export function crossFilter(
  rowCount: number,
  columns: readonly TableColumn[],
  question: AskedRows,
): readonly (Tally | undefined)[] {
  /** Of each row the one column whose filter it fails; NO_FILTER where it fails none, SEVERAL where more than one. */
  const [NO_FILTER, SEVERAL] = [-1, -2];
  const failed = new Int32Array(rowCount).fill(NO_FILTER);
  // A row that the words in all columns do not find is left nowhere.
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

/** The bar or value that a row falls into, by its place, and how many there are. */
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

/** Shows in the head of a column what is left; undefined: that nothing is filtered. */
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
