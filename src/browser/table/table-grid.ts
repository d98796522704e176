// The grid of a table: visible rows, the selection, and the keys and pointers that move it.
import { BESIDE, ROW_HEIGHT } from "../../tables/display/live/embedded-column.js";
import { clamp } from "../page/clamp.js";
import { find, make, makeButton, many, on } from "../page/elements.js";
import {
  type CellPlace,
  type HeadedColumn,
  isPicked,
  type LiveTable,
  selectionOf,
  shownColumns,
  widthOf,
} from "./live-table.js";
import type { TableColumn } from "./table-columns.js";
import { listenToKeys, listenToPointers } from "./table-input.js";

/** Rows above and below the visible rows that are rendered in advance. */
const SPARE = 6;
/** Characters of a cell that are rendered; the title has all of them. */
const DRAWN = 300;
/**
 * Maximum height in pixels, near the limit of browsers. For more rows, the scroll bar moves by several rows at a time.
 */
const TALL = 12_000_000;
/** Columns that identify a row: the first existing one stays visible. */
const NAMES = ["visible_id", "id"];
/** Maximum share of the view's width: a wider column would leave too little space for the others. */
const MOST_HELD = 0.45;

export interface TableGrid {
  /** Adds the visible columns to the grid, in their order. */
  layOut(): void;
  /** Shows other rows, or another order, unless the visible rows stay the same. */
  restart(isSame: boolean): void;
  /** Scrolls a row into view. */
  reveal(index: number): void;
  /** Scrolls to a row. */
  scrollTo(index: number): void;
  /** Renders the visible rows; empty space above and below replaces the others. */
  paint(isAll?: boolean): void;
  /** Applies the current widths of the columns. */
  setWidths(): void;
  /**
   * Shows below the last row which parts are missing.
   *
   * @param clear removes the filters, if no row passes them
   */
  say(words: string, clear?: () => void): void;
}

type GridParts = ReturnType<typeof gridParts>;

/** The elements of a grid. */
function gridParts() {
  const cellOf = (row: HTMLTableRowElement) => row.cells[0] as HTMLTableCellElement;
  const space = () => make("tr", { className: "space", "aria-hidden": "true" }, make("td"));
  const [above, below] = [space(), space()];
  /** The sign below the last row and next to the last column, if some are missing. */
  const note = make("span");
  const footRow = make("tr", {}, make("td", {}, note));
  const foot = make("tfoot", { hidden: true }, footRow);
  const beside = make("th", { scope: "col", className: "beside" });
  const [headRow, body] = [make("tr", { "aria-rowindex": 1 }), make("tbody")];
  const grid = find<HTMLTableElement>("grid");
  grid.append(make("thead", {}, headRow), body, foot);
  return { grid, scroll: find("scroll"), headRow, body, above, below, note, foot, footRow, beside, cellOf };
}

/** The column that stays visible when the others are scrolled sideways. */
function heldColumn(shown: readonly HeadedColumn[]): HeadedColumn | undefined {
  const named = NAMES.map((name) => shown.find((column) => column.name === name));
  return shown.find(({ type }) => type === "index") ?? named.find((column) => column);
}

/** A row of the grid; while it is being loaded, empty cells, which can have the focus. */
function rowElement(table: LiveTable, index: number): HTMLTableRowElement {
  const shown = shownColumns(table);
  const held = heldColumn(shown);
  const found = table.rows.at(index);
  const classOf = (column: HeadedColumn, isDim: boolean) =>
    `${column.kind === "number" ? "number" : ""}${isDim ? " dim" : ""}${column === held ? " held" : ""}`;
  const line = make("tr", { "aria-rowindex": index + 2 });
  if (found) line.className = isPicked(table, found) ? "picked" : "";
  else line.ariaBusy = "true";
  for (const column of shown) {
    const part = found?.part[column.index];
    const text = found && part ? part.seen(found.row) : "…";
    const isDim = !found || !part || part.isNull(found.row);
    const short = text.length > DRAWN ? `${text.slice(0, DRAWN)}…` : text;
    const cell = make("td", { tabIndex: -1, className: classOf(column, isDim) }, short);
    if (found && part) setTitle(cell, part, found.row, text);
    line.append(cell);
  }
  return line;
}

function setTitle(cell: HTMLElement, column: TableColumn, row: number, text: string): void {
  const full = column.full(row);
  if (!column.isMissing(row) && (full !== text || text.length > 12)) cell.title = full;
}

/** The vertical position of the view: browsers cannot scroll many rows at full height. */
function scrollView(table: LiveTable, { grid, scroll, foot }: GridParts) {
  /** In the browser's pixels, and in pixels of all rows at full height. */
  const view = { scrolled: 0, top: 0 };
  const height = () => table.rows.length * ROW_HEIGHT;
  const drawn = () => Math.min(TALL, height());
  const headHeight = () => (grid.tHead as HTMLElement).offsetHeight;
  const room = () => scroll.clientHeight - headHeight() - foot.offsetHeight;
  const share = () => Math.max(0, height() - room()) / Math.max(1, drawn() - room());
  const look = () => {
    const { scrollTop } = scroll;
    const by = scrollTop - view.scrolled;
    const isEnd = scrollTop <= 0 || scrollTop >= drawn() - room() - 1;
    const isNear = by === 0 || (Math.abs(by) < 2 * scroll.clientHeight && !isEnd);
    if (height() === drawn()) view.top = scrollTop;
    else view.top = Math.min(height() - room(), isNear ? Math.max(0, view.top + by) : scrollTop * share());
    view.scrolled = scrollTop;
    return view.top;
  };
  const lookAt = (top: number) => {
    scroll.scrollTop = height() === drawn() ? top : top / share();
    Object.assign(view, { scrolled: scroll.scrollTop, top });
  };
  const reveal = (index: number) => {
    const [top, now] = [index * ROW_HEIGHT, look()];
    // The note below the last row scrolls into view with it.
    if (top < now) lookAt(top);
    else if (top + ROW_HEIGHT > now + room()) lookAt(top + ROW_HEIGHT - room());
  };
  /** Rows on a page. */
  const page = () => Math.max(1, Math.floor((scroll.clientHeight - headHeight()) / ROW_HEIGHT) - 1);
  return { view, drawn, look, lookAt, reveal, page };
}

/** The rendered rows. */
function gridRows(table: LiveTable, parts: GridParts, { view, drawn, look }: ReturnType<typeof scrollView>) {
  const { scroll, body, above, below, cellOf } = parts;
  const built = new Map<number, HTMLTableRowElement>();
  const cellAt = ([index, column]: CellPlace) =>
    index < 0 ? shownColumns(table)[column]?.head : built.get(index)?.cells[column];
  /** Shows the selection. */
  const select = () => {
    const { at } = table.cells;
    const [top, bottom, left, right] = selectionOf(table);
    const isMany = top < bottom || left < right;
    const mark = (cell: HTMLElement, index: number, column: number) => {
      const isIn = isMany && index >= top && index <= bottom && column >= left && column <= right;
      if (isIn) cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      cell.tabIndex = index === at[0] && column === at[1] ? 0 : -1;
    };
    for (const [index, { children }] of built) {
      for (const [column, cell] of [...children].entries()) mark(cell as HTMLElement, index, column);
    }
    // Tab always reaches a cell, even if the focused one is scrolled or filtered away.
    const isHead = !built.has(at[0]);
    for (const [column, { head }] of shownColumns(table).entries()) head.tabIndex = isHead && column === at[1] ? 0 : -1;
  };
  const paint = (isAll = false) => {
    if (isAll) built.clear();
    const top = look();
    /** Offset from positions in the table to positions in the page. */
    const shift = view.scrolled - top;
    const lineCount = Math.ceil(scroll.clientHeight / ROW_HEIGHT) + 2 * SPARE;
    const wished = clamp(0, table.rows.length - lineCount, Math.floor(top / ROW_HEIGHT) - SPARE);
    const first = Math.max(wished, Math.ceil(-shift / ROW_HEIGHT));
    const last = Math.min(table.rows.length, wished + lineCount, Math.ceil((drawn() - shift) / ROW_HEIGHT));
    table.rows.want(first, last);
    const lines: HTMLElement[] = [];
    for (const index of built.keys()) if (index < first || index >= last) built.delete(index);
    for (let index = first; index < last; index += 1) {
      const known = built.get(index);
      const isLate = known?.ariaBusy === "true" && table.rows.at(index);
      const line = known && !isLate ? known : rowElement(table, index);
      built.set(index, line);
      lines.push(line);
    }
    cellOf(above).style.height = `${first * ROW_HEIGHT + shift}px`;
    cellOf(below).style.height = `${Math.max(0, drawn() - last * ROW_HEIGHT - shift)}px`;
    const focused = document.activeElement?.closest("td");
    body.replaceChildren(above, ...lines, below);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    else if (focused) cellAt(table.cells.at)?.focus({ preventScroll: true });
    select();
  };
  return { cellAt, select, paint };
}

/** Columns of the grid: order, widths, and the column that stays visible. */
function gridColumns(table: LiveTable, { grid, scroll, headRow, above, below, footRow, beside, cellOf }: GridParts) {
  const { left } = table.payload;
  const holdIfNarrow = () => {
    const held = heldColumn(shownColumns(table));
    grid.classList.toggle("holds", held !== undefined && widthOf(table, held) <= MOST_HELD * scroll.clientWidth);
  };
  const widthOfAll = (columns: readonly HeadedColumn[]) =>
    columns.reduce((sum, column) => sum + widthOf(table, column), 0);
  const setWidths = () => {
    const shown = shownColumns(table);
    for (const column of shown) column.head.style.width = `${widthOf(table, column)}px`;
    grid.style.width = `${widthOfAll(shown) + (left > 0 ? BESIDE : 0)}px`;
    holdIfNarrow();
  };
  const layOut = () => {
    const shown = shownColumns(table);
    const held = heldColumn(shown);
    headRow.replaceChildren(...shown.map(({ head }) => head), ...(left > 0 ? [beside] : []));
    grid.setAttribute("aria-colcount", String(shown.length));
    for (const column of shown) column.head.classList.toggle("held", column === held);
    setWidths();
    const span = Math.max(1, shown.length + (left > 0 ? 1 : 0));
    for (const row of [above, below, footRow]) cellOf(row).colSpan = span;
  };
  /** Scrolls a column into view. */
  const reveal = (index: number, cell: HTMLElement) => {
    const shown = shownColumns(table);
    const held = heldColumn(shown);
    // The sign for further columns scrolls into view with the last one.
    const sign = index === shown.length - 1 && left > 0 ? BESIDE : 0;
    const before = shown.slice(0, index);
    // Its unscrolled position; the fixed column covers what is under it.
    const start = widthOfAll(before);
    const covered = held && before.includes(held) && grid.classList.contains("holds") ? widthOf(table, held) : 0;
    const [from, to] = [start - covered, start + cell.offsetWidth + sign];
    if (from < scroll.scrollLeft || to > scroll.scrollLeft + scroll.clientWidth)
      scroll.scrollLeft = Math.min(from, to - scroll.clientWidth);
    if (from < scroll.scrollLeft) scroll.scrollLeft = from;
  };
  return { holdIfNarrow, setWidths, layOut, reveal };
}

/** @param onScroll called with the index of the first visible row, when it changes */
export function createGrid(table: LiveTable, onScroll: (top: number) => void): TableGrid {
  const parts = gridParts();
  const { grid, scroll, note, foot, beside } = parts;
  const { left } = table.payload;
  const view = scrollView(table, parts);
  const { cellAt, select, paint } = gridRows(table, parts, view);
  const columns = gridColumns(table, parts);
  let isDue = false;
  on(scroll, "scroll", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      paint();
      onScroll(Math.floor(view.view.top / ROW_HEIGHT));
    });
  });
  new ResizeObserver(() => {
    columns.holdIfNarrow();
    paint();
  }).observe(scroll);
  /** Scrolls a cell into view and focuses it. */
  const go = (row: number, column: number, isMore = false) => {
    const last = table.state.shown.length - 1;
    if (last < 0) return;
    const at = [clamp(-1, table.rows.length - 1, row), clamp(0, last, column)] as const;
    table.cells = { at, anchor: isMore && at[0] >= 0 ? table.cells.anchor : at };
    if (at[0] >= 0) view.reveal(at[0]);
    paint();
    const cell = cellAt(at) as HTMLElement;
    columns.reveal(at[1], cell);
    cell.focus({ preventScroll: true });
  };
  listenToKeys(table, parts, { go, select, page: view.page });
  listenToPointers(table, parts, select);
  if (left > 0) {
    beside.style.width = `${BESIDE}px`;
    beside.textContent = `${many(left)} more ${left === 1 ? "column" : "columns"}`;
  }
  const scrollTo = (index: number) => view.lookAt(index * ROW_HEIGHT);
  const moveTo = (at: CellPlace) => {
    table.cells = { at, anchor: at };
    paint(true);
  };
  return {
    ...{ reveal: view.reveal, scrollTo, paint },
    setWidths: columns.setWidths,
    layOut: () => {
      columns.layOut();
      const [row, column] = table.cells.at;
      moveTo([row, clamp(0, table.state.shown.length - 1, column)]);
    },
    restart: (isSame) => {
      grid.setAttribute("aria-rowcount", String(table.rows.length + 1));
      if (!isSame) scrollTo(table.state.top);
      const [row, column] = table.cells.at;
      moveTo([Math.min(isSame ? table.rows.length - 1 : 0, row), column]);
    },
    say: (words, clear) => {
      const button = makeButton({ onclick: clear }, "Clear");
      note.replaceChildren(...(clear ? ["No row matches · ", button, " "] : []), words);
      foot.hidden = words === "" && !clear;
    },
  };
}
