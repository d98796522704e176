// Heads of a table's columns: name, type, summary of all rows, and a filter. A click on bars and values filters.
import { type CellFilter, type ColumnCells, rowTests } from "../../tables/display/live/arrange-rows.js";
import type { ColumnSummary } from "../../tables/display/live/embedded-column.js";
import { make, makeButton, many, on } from "../page/elements.js";
import { type HeadedColumn, type LiveTable, shownColumns, widthOf } from "./live-table.js";
import { edgeText, type TableColumn } from "./table-columns.js";
import { type AskedRows, movedTo, sortedBy, withValue } from "./table-state.js";

/** Examples of filters. */
const HINTS = { text: "contains", number: "> 100", date: "> 2026-06", bigint: "> 100" } as const;

/** The column with its head. */
export function withHead(plain: TableColumn, table: LiveTable): HeadedColumn {
  const { index, kind } = plain;
  const mark = make("span", { className: "mark" });
  const label = make("span", {}, plain.symbol ? `${plain.name}, ${plain.symbol}` : plain.name || "\u00a0");
  const name = make("div", { className: "name", draggable: true, title: plain.name }, label, mark);
  const input = make("input", {
    type: "text",
    tabIndex: -1,
    placeholder: HINTS[kind],
    title: kind === "text" ? "Part of the text" : "Part of the value, or a comparison",
    "aria-label": `Filter ${plain.name}`,
  });
  const head = make("th", {
    scope: "col",
    tabIndex: -1,
    "aria-label": `${plain.name}, ${plain.type}`,
    className: kind === "number" ? "number" : "",
  });
  const column = { ...plain, head, mark, input };
  let wait = 0;
  on(input, "input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => {
      const words = input.value;
      table.update({ typed: withValue(table.state.typed, index, words.trim() ? { words } : undefined) });
    }, 120);
  });
  const filterButton: FilterButton = (filter, properties, ...children) =>
    makeButton(
      {
        tabIndex: -1,
        "aria-pressed": "false",
        "data-key": keyOf(filter),
        onclick: () => clickFilter(table, column, filter),
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
    gripOf(column, table),
  );
  on(head, "click", ({ target, shiftKey }) => {
    if (!(target as Element).closest("input, button, .grip")) sortBy(table, column, shiftKey);
  });
  acceptColumns(column, name, table);
  return column;
}

/** A name can be dragged to another head, whose position its column gets. */
function acceptColumns({ index, head }: HeadedColumn, name: HTMLElement, table: LiveTable): void {
  on(name, "dragstart", ({ dataTransfer }) => dataTransfer?.setData("text/plain", `column ${index}`));
  on(head, "dragover", (event) => {
    event.preventDefault();
    head.classList.add("over");
  });
  on(head, "dragleave", () => head.classList.remove("over"));
  on(head, "drop", (event) => {
    event.preventDefault();
    head.classList.remove("over");
    const [, from] = /^column (\d+)$/.exec(event.dataTransfer?.getData("text/plain") ?? "") ?? [];
    const dragged = table.columns[Number(from)];
    if (dragged) moveColumn(table, dragged, table.state.shown.indexOf(index));
  });
}

/** The edge of a head, for dragging the width of the column. */
function gripOf(column: HeadedColumn, table: LiveTable): HTMLElement {
  const grip = make("span", { className: "grip", title: "Resize; double-click to reset" });
  let from: { readonly x: number; readonly width: number } | undefined;
  // Otherwise the name, which moves to where the edge was, would be dragged.
  on(grip, "mousedown", (event) => event.preventDefault());
  on(grip, "pointerdown", ({ pointerId, clientX }) => {
    grip.setPointerCapture(pointerId);
    from = { x: clientX, width: widthOf(table, column) };
  });
  on(grip, "pointermove", ({ clientX }) => {
    if (from) resizeColumn(table, column, from.width + clientX - from.x);
  });
  for (const end of ["pointerup", "pointercancel"] as const) on(grip, end, () => (from = undefined));
  on(grip, "dblclick", () => resizeColumn(table, column));
  return grip;
}

// Changes of the state by heads.

const keyOf = (filter: CellFilter | undefined) => JSON.stringify(filter);

/** Sets a filter; a second click removes it. */
export function clickFilter({ state, update }: LiveTable, { index }: TableColumn, filter?: CellFilter): void {
  const isOn = keyOf(state.clicked[index]) === keyOf(filter);
  update({ clicked: withValue(state.clicked, index, isOn ? undefined : filter) });
}

export function sortBy({ state, update, tell }: LiveTable, { index, name }: TableColumn, isMore: boolean): void {
  const sorts = sortedBy(state, index, isMore);
  update({ sorts });
  const [, way] = sorts.find(([column]) => column === index) ?? [];
  tell(way ? `Sorted by ${name}, ${way > 0 ? "ascending" : "descending"}` : "Not sorted");
}

export function moveColumn({ state, update, tell }: LiveTable, { index, name }: TableColumn, to: number): void {
  const shown = movedTo(state, index, to);
  update({ shown });
  tell(`${name} is column ${shown.indexOf(index) + 1} of ${shown.length}`);
}

/** @param width in pixels; omitted for the original width */
export function resizeColumn(table: LiveTable, column: TableColumn, width?: number): void {
  table.update({ widths: withValue(table.state.widths, column.index, width) });
  table.tell(`${column.name} is ${widthOf(table, column)} pixels wide`);
}

/** The text of a clicked filter. */
export function filterText(column: TableColumn, filter: CellFilter): string {
  if ("value" in filter) return `= ${filter.value || '""'}`;
  if (!("bar" in filter)) return "is empty";
  const [bar, step] = filter.bar;
  const from = edgeText(column, bar * step);
  const isOne = column.summary.kind === "number" && step === 1 && column.numbers.decimals === 0;
  return isOne ? `= ${from}` : `${from} – ${edgeText(column, (bar + 1) * step)}`;
}

/** Shows in the heads how the rows are sorted and filtered. */
export function markHeads(table: LiveTable): void {
  const { sorts, clicked } = table.state;
  for (const { index, head, mark } of shownColumns(table)) {
    const place = sorts.findIndex(([column]) => column === index);
    const isUp = sorts[place]?.[1] === 1;
    head.setAttribute("aria-sort", place < 0 ? "none" : isUp ? "ascending" : "descending");
    mark.textContent = place < 0 ? "" : `${isUp ? "▲" : "▼"}${sorts.length > 1 ? place + 1 : ""}`;
    for (const button of head.querySelectorAll<HTMLElement>("[data-key]"))
      button.setAttribute("aria-pressed", String(button.dataset["key"] === keyOf(clicked[index])));
  }
}

type FilterButton = (
  filter: CellFilter,
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
  const { rows } = column.summary;
  const most = Math.max(...counts);
  const buttons = counts.map((count, bar) => {
    const filter = { bar: [firstBar + bar, step] } as const;
    const title = `${filterText(column, filter)}: ${many(count)} of ${many(rows)} rows`;
    const filled = make("i");
    filled.style.height = count === 0 ? "0" : `${Math.max(6, (100 * count) / most)}%`;
    return filterButton(filter, { title, "aria-label": title, "data-title": title }, filled);
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
    const title = `${value}: ${many(count)} of ${many(rows)} rows`;
    const button = filterButton({ value }, { title, "data-title": title }, make("span", {}, value || '""'));
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
    parts.splice(1, 0, filterButton({ isNull: true }, { title }, `${share}% empty`));
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
