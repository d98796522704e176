// The grid of a table: visible rows, the selection, and the keys and pointers that move it.
import { ROW_HEIGHT } from "../../tables/display/live/embedded-column.js";
import { find, make, many } from "../page/elements.js";
import type { TableColumn } from "./table-columns.js";
import type { CellPlace, HeadedColumn, LiveTable } from "./table-heads.js";

/** Rows above and below the visible rows that are rendered in advance. */
const SPARE = 6;
/** Characters of a cell that are rendered; the title has all of them. */
const DRAWN = 300;
/**
 * Maximum height in pixels, near the limit of browsers. For more rows, the scroll bar moves by several rows at a time.
 */
const TALL = 12_000_000;
/** Width in pixels of the sign for further columns. */
const BESIDE = 130;
/** Pixels by which a key widens a column. */
const WIDER = 16;
/** Columns that identify a row: the first existing one stays visible. */
const NAMES = ["visible_id", "id"];
/** Maximum share of the view's width: a wider column would leave too little space for the others. */
const MOST_HELD = 0.45;

export interface TableGrid {
  /** Adds the visible columns to the grid, in their order. */
  layOut(): void;
  /** Shows other rows, or another order, from the first row on, unless the visible rows stay the same. */
  restart(isSame: boolean): void;
  selection(): readonly [top: number, bottom: number, left: number, right: number];
  /** Scrolls a row into view. */
  reveal(place: number): void;
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

export function createGrid(table: LiveTable): TableGrid {
  const grid = find<HTMLTableElement>("grid");
  const scroll = find("scroll");
  const headRow = make("tr", { "aria-rowindex": 1 });
  const body = make("tbody");
  const cellOf = (row: HTMLTableRowElement) => row.cells[0] as HTMLTableCellElement;
  const space = () => make("tr", { className: "space", "aria-hidden": "true" }, make("td"));
  const [above, below] = [space(), space()];
  /** The sign below the last row and next to the last column, if some are missing. */
  const note = make("span");
  const footRow = make("tr", {}, make("td", {}, note));
  const foot = make("tfoot", { hidden: true }, footRow);
  const beside = make("th", { scope: "col", className: "beside" });
  grid.append(make("thead", {}, headRow), body, foot);

  /** The column that stays visible when the others are scrolled sideways. */
  let held: HeadedColumn | undefined;
  /** Rendered rows, by index. */
  const built = new Map<number, HTMLTableRowElement>();
  const selection = () =>
    [
      Math.min(table.at[0], table.anchor[0]),
      Math.max(table.at[0], table.anchor[0]),
      Math.min(table.at[1], table.anchor[1]),
      Math.max(table.at[1], table.anchor[1]),
    ] as const;
  /** A row that is being loaded: empty cells, which can have the focus. */
  const emptyAt = (place: number) => {
    const cells = table.shown.map((shown) =>
      make("td", { tabIndex: -1, className: shown === held ? "dim held" : "dim" }, "…"),
    );
    return make("tr", { "aria-rowindex": place + 2, "aria-busy": "true" }, ...cells);
  };
  const rowAt = (place: number) => {
    const found = table.rows.at(place);
    if (!found) return emptyAt(place);
    const { part, row } = found;
    const line = make("tr", { "aria-rowindex": place + 2, className: table.isPicked(found) ? "picked" : "" });
    for (const shown of table.shown) {
      const { index, kind } = shown;
      const column = part[index] as TableColumn;
      const text = column.seen(row);
      const full = column.full(row);
      const classes = `${kind === "number" ? "number" : ""}${column.isNull(row) ? " dim" : ""}${shown === held ? " held" : ""}`;
      const cell = make(
        "td",
        { tabIndex: -1, className: classes },
        text.length > DRAWN ? `${text.slice(0, DRAWN)}…` : text,
      );
      if (!column.isMissing(row) && (full !== text || text.length > 12)) cell.title = full;
      line.append(cell);
    }
    return line;
  };
  /** Position of the view: in the browser's pixels, and in pixels of all rows at full height. */
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
  const paint = (isAll = false) => {
    if (isAll) built.clear();
    const top = look();
    /** Offset from positions in the table to positions in the page. */
    const shift = view.scrolled - top;
    const lineCount = Math.ceil(scroll.clientHeight / ROW_HEIGHT) + 2 * SPARE;
    const wished = Math.max(0, Math.min(table.rows.length - lineCount, Math.floor(top / ROW_HEIGHT) - SPARE));
    const first = Math.max(wished, Math.ceil(-shift / ROW_HEIGHT));
    const last = Math.min(table.rows.length, wished + lineCount, Math.ceil((drawn() - shift) / ROW_HEIGHT));
    table.rows.want(first, last);
    const lines: HTMLElement[] = [];
    for (const place of built.keys()) if (place < first || place >= last) built.delete(place);
    for (let place = first; place < last; place += 1) {
      const known = built.get(place);
      const isLate = known?.ariaBusy === "true" && table.rows.at(place);
      const line = known && !isLate ? known : rowAt(place);
      built.set(place, line);
      lines.push(line);
    }
    cellOf(above).style.height = `${first * ROW_HEIGHT + shift}px`;
    cellOf(below).style.height = `${Math.max(0, drawn() - last * ROW_HEIGHT - shift)}px`;
    const focused = document.activeElement?.closest("td");
    body.replaceChildren(above, ...lines, below);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    else if (focused) cellAt(table.at)?.focus({ preventScroll: true });
    select();
  };
  const select = () => {
    const [top, bottom, left, right] = selection();
    const isMany = top < bottom || left < right;
    const mark = (cell: HTMLElement, place: number, column: number) => {
      const isIn = isMany && place >= top && place <= bottom && column >= left && column <= right;
      if (isIn) cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      cell.tabIndex = place === table.at[0] && column === table.at[1] ? 0 : -1;
    };
    for (const [place, { children }] of built) {
      for (const [column, cell] of [...children].entries()) mark(cell as HTMLElement, place, column);
    }
    // Tab always reaches a cell, even if the focused one is scrolled or filtered away.
    const isHead = !built.has(table.at[0]);
    for (const [column, { head }] of table.shown.entries()) {
      head.tabIndex = isHead && column === table.at[1] ? 0 : -1;
    }
  };
  let isDue = false;
  scroll.addEventListener("scroll", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      paint();
    });
  });
  new ResizeObserver(() => {
    holdIfNarrow();
    paint();
  }).observe(scroll);

  const reveal = (place: number) => {
    const [top, now] = [place * ROW_HEIGHT, look()];
    // The note below the last row scrolls into view with it.
    if (top < now) lookAt(top);
    else if (top + ROW_HEIGHT > now + room()) lookAt(top + ROW_HEIGHT - room());
  };
  const cellAt = ([place, column]: CellPlace) =>
    place < 0 ? table.shown[column]?.head : built.get(place)?.cells[column];
  /** Scrolls a cell into view and focuses it. */
  const go = (place: number, column: number, isMore = false) => {
    if (table.shown.length === 0) return;
    table.at = [
      Math.max(-1, Math.min(table.rows.length - 1, place)),
      Math.max(0, Math.min(table.shown.length - 1, column)),
    ];
    if (!isMore || table.at[0] < 0) table.anchor = table.at;
    if (table.at[0] >= 0) reveal(table.at[0]);
    paint();
    const cell = cellAt(table.at) as HTMLElement;
    const isLast = table.at[1] === table.shown.length - 1;
    // The sign for further columns scrolls into view with the last one.
    const sign = isLast && table.left > 0 ? BESIDE : 0;
    const before = table.shown.slice(0, table.at[1]);
    // Its unscrolled position; the fixed column covers what is under it.
    const start = before.reduce((sum, { width }) => sum + width, 0);
    const covered = held && before.includes(held) && grid.classList.contains("holds") ? held.width : 0;
    const [left, right] = [start - covered, start + cell.offsetWidth + sign];
    if (left < scroll.scrollLeft || right > scroll.scrollLeft + scroll.clientWidth)
      scroll.scrollLeft = Math.min(left, right - scroll.clientWidth);
    if (left < scroll.scrollLeft) scroll.scrollLeft = left;
    cell.focus({ preventScroll: true });
  };
  const ends = (event: KeyboardEvent): CellPlace | undefined => {
    const page = Math.max(1, Math.floor((scroll.clientHeight - headHeight()) / ROW_HEIGHT) - 1);
    const isFar = event.ctrlKey || event.metaKey;
    const [row, column] = table.at;
    const [last, wide] = [table.rows.length - 1, table.shown.length - 1];
    const targets: Readonly<Record<string, CellPlace>> = {
      ArrowDown: [isFar ? last : row + 1, column],
      ArrowUp: [isFar ? Math.min(row, 0) : row - 1, column],
      ArrowLeft: [row, isFar ? 0 : column - 1],
      ArrowRight: [row, isFar ? wide : column + 1],
      PageDown: [Math.max(0, row) + page, column],
      PageUp: [Math.max(0, row - page), column],
      Home: [isFar ? 0 : row, 0],
      End: [isFar ? last : row, wide],
    };
    return targets[event.key];
  };
  /** Keys of a head: Enter sorts; Alt with an arrow moves the column, Shift with an arrow changes its width. */
  const headKey = ({ key, altKey, shiftKey, target }: KeyboardEvent) => {
    const column = table.shown[table.at[1]] as HeadedColumn;
    if (shiftKey && (key === "ArrowLeft" || key === "ArrowRight")) {
      table.resize(column, column.width + (key === "ArrowLeft" ? -WIDER : WIDER));
      return true;
    }
    if (altKey && (key === "ArrowLeft" || key === "ArrowRight")) {
      const place = Math.max(0, Math.min(table.shown.length - 1, table.at[1] + (key === "ArrowLeft" ? -1 : 1)));
      table.move(column, place);
      go(-1, place);
      return true;
    }
    if ((key !== "Enter" && key !== " ") || (target as Element).closest("button")) return false;
    table.sort(column, shiftKey);
    go(-1, table.at[1]);
    return true;
  };
  const commands: Readonly<Record<string, () => void>> = {
    c: () => table.copy(),
    a: () => {
      [table.anchor, table.at] = [
        [0, 0],
        [table.rows.length - 1, table.shown.length - 1],
      ];
      select();
    },
  };
  const gridKey = (event: KeyboardEvent) => {
    if (table.at[0] < 0 && headKey(event)) return true;
    const { key, altKey, shiftKey } = event;
    const command = event.ctrlKey || event.metaKey ? commands[key.toLowerCase()] : undefined;
    const target = altKey ? undefined : ends(event);
    if (command) command();
    else if (key === "F2" || key === "/") table.shown[table.at[1]]?.input.focus();
    else if (key === "Enter" || key === " ") table.pick();
    else if (target) go(...target, shiftKey);
    else return false;
    return true;
  };
  grid.addEventListener("keydown", (event) => {
    if (!(event.target as Element).closest("input")) {
      if (gridKey(event)) event.preventDefault();
    } else if (event.key === "Escape") go(...table.at);
  });
  const placeOf = (target: EventTarget | null): CellPlace | undefined => {
    const cell = (target as Element).closest("td");
    const row = cell?.parentElement;
    if (!cell || !row || row.className === "space") return undefined;
    return [Number(row.getAttribute("aria-rowindex")) - 2, cell.cellIndex];
  };
  grid.addEventListener("pointerdown", (event) => {
    const place = placeOf(event.target);
    if (!place || event.button !== 0) return;
    table.at = place;
    if (!event.shiftKey) table.anchor = place;
    select();
  });
  grid.addEventListener("pointerover", (event) => {
    const place = event.buttons === 1 && event.pointerType === "mouse" ? placeOf(event.target) : undefined;
    if (!place) return;
    table.at = place;
    select();
  });
  grid.addEventListener("pointerup", ({ target, button }) => {
    if (placeOf(target) && button === 0) table.pick();
  });
  headRow.addEventListener("focusin", ({ target }) => {
    const place = table.shown.findIndex(({ head }) => head.contains(target as Node));
    if (place >= 0) table.at = table.anchor = [-1, place];
  });

  const holdIfNarrow = () =>
    grid.classList.toggle("holds", held !== undefined && held.width <= MOST_HELD * scroll.clientWidth);
  const setWidths = () => {
    for (const { head, width } of table.shown) head.style.width = `${width}px`;
    const wide = table.shown.reduce((sum, { width }) => sum + width, 0);
    grid.style.width = `${wide + (table.left > 0 ? BESIDE : 0)}px`;
    holdIfNarrow();
  };
  const layOut = () => {
    headRow.replaceChildren(...table.shown.map(({ head }) => head), ...(table.left > 0 ? [beside] : []));
    grid.setAttribute("aria-colcount", String(table.shown.length));
    const named = NAMES.map((name) => table.shown.find((column) => column.name === name));
    held = table.shown.find(({ type }) => type === "index") ?? named.find((column) => column);
    for (const column of table.shown) column.head.classList.toggle("held", column === held);
    setWidths();
    const span = Math.max(1, table.shown.length + (table.left > 0 ? 1 : 0));
    for (const row of [above, below, footRow]) cellOf(row).colSpan = span;
    table.at = table.anchor = [table.at[0], Math.max(0, Math.min(table.shown.length - 1, table.at[1]))];
    paint(true);
  };
  const restart = (isSame: boolean) => {
    grid.setAttribute("aria-rowcount", String(table.rows.length + 1));
    if (!isSame) lookAt(0);
    table.at = table.anchor = [Math.min(isSame ? table.rows.length - 1 : 0, table.at[0]), table.at[1]];
    paint(true);
  };
  const say = (words: string, clear?: () => void) => {
    const button = make("button", { type: "button", onclick: clear }, "Clear filters");
    note.replaceChildren(...(clear ? ["No rows match. ", button, " "] : []), words);
    foot.hidden = words === "" && !clear;
  };
  if (table.left > 0) {
    beside.style.width = `${BESIDE}px`;
    beside.textContent = `${many(table.left)} more ${table.left === 1 ? "column" : "columns"}`;
  }
  return { layOut, setWidths, restart, selection, reveal, paint, say };
}
