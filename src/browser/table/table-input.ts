// Keys and pointers in the grid of a table.
import { clamp } from "../page/clamp.js";
import { on } from "../page/elements.js";
import { type CellPlace, cellRows, type HeadedColumn, type LiveTable, shownColumns, widthOf } from "./live-table.js";
import { moveColumn, resizeColumn, sortBy } from "./table-heads.js";

/** Pixels by which a key widens a column. */
const WIDER = 16;

interface GridElements {
  readonly grid: HTMLElement;
  readonly headRow: HTMLElement;
}

interface GridActions {
  /** Scrolls a cell into view and focuses it. */
  go(row: number, column: number, isMore?: boolean): void;
  /** Shows the selection. */
  select(): void;
  /** Rows on a page. */
  page(): number;
}

/** The cell to which a key moves. */
function targetOf(table: LiveTable, { key, ctrlKey, metaKey }: KeyboardEvent, page: number): CellPlace | undefined {
  const isFar = ctrlKey || metaKey;
  const [row, column] = table.cells.at;
  const [last, wide] = [table.rows.length - 1, table.state.shown.length - 1];
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
  return targets[key];
}

export function listenToKeys(table: LiveTable, { grid }: GridElements, { go, select, page }: GridActions): void {
  const columnAt = () => shownColumns(table)[table.cells.at[1]] as HeadedColumn;
  /** Keys of a head: Enter sorts; Alt with an arrow moves the column, Shift with an arrow changes its width. */
  const headKey = ({ key, altKey, shiftKey, target }: KeyboardEvent) => {
    const column = columnAt();
    const [, index] = table.cells.at;
    const way = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
    if (way !== 0 && shiftKey) resizeColumn(table, column, widthOf(table, column) + way * WIDER);
    else if (way !== 0 && altKey) {
      const to = clamp(0, table.state.shown.length - 1, index + way);
      moveColumn(table, column, to);
      go(-1, to);
    } else if ((key === "Enter" || key === " ") && !(target as Element).closest("button")) {
      sortBy(table, column, shiftKey);
      go(-1, index);
    } else return false;
    return true;
  };
  const commands: Readonly<Record<string, () => void>> = {
    c: () => table.copy(),
    a: () => {
      table.cells = { anchor: [0, 0], at: [table.rows.length - 1, table.state.shown.length - 1] };
      select();
    },
  };
  const gridKey = (event: KeyboardEvent) => {
    if (table.cells.at[0] < 0 && headKey(event)) return true;
    const { key, altKey, shiftKey } = event;
    const command = event.ctrlKey || event.metaKey ? commands[key.toLowerCase()] : undefined;
    const target = altKey ? undefined : targetOf(table, event, page());
    if (command) command();
    else if (key === "F2" || key === "/") columnAt()?.input.focus();
    else if (key === "Enter" || key === " ") table.pick(cellRows(table));
    else if (target) go(...target, shiftKey);
    else return false;
    return true;
  };
  on(grid, "keydown", (event) => {
    if (!(event.target as Element).closest("input")) {
      if (gridKey(event)) event.preventDefault();
    } else if (event.key === "Escape") go(...table.cells.at);
  });
}

function placeOf(target: EventTarget | null): CellPlace | undefined {
  const cell = (target as Element).closest("td");
  const row = cell?.parentElement;
  if (!cell || !row || row.className === "space") return undefined;
  return [Number(row.getAttribute("aria-rowindex")) - 2, cell.cellIndex];
}

export function listenToPointers(table: LiveTable, { grid, headRow }: GridElements, select: () => void): void {
  const extendTo = (at: CellPlace | undefined, isMore = true) => {
    if (!at) return;
    table.cells = { at, anchor: isMore ? table.cells.anchor : at };
    select();
  };
  on(grid, "pointerdown", ({ target, button, shiftKey }) => {
    if (button === 0) extendTo(placeOf(target), shiftKey);
  });
  on(grid, "pointerover", ({ target, buttons, pointerType }) => {
    if (buttons === 1 && pointerType === "mouse") extendTo(placeOf(target));
  });
  on(grid, "pointerup", ({ target, button }) => {
    if (placeOf(target) && button === 0) table.pick(cellRows(table));
  });
  on(headRow, "focusin", ({ target }) => {
    const column = shownColumns(table).findIndex(({ head }) => head.contains(target as Node));
    if (column >= 0) table.cells = { at: [-1, column], anchor: [-1, column] };
  });
}
