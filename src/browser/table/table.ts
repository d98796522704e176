// An interactive table: sorting, filters, choice of columns, copying and saving. `table-state.ts` has its state; each
// change of the state goes through `update()`, which shows and saves it.

import { arrangeRows } from "../../tables/display/live/arrange-rows.js";
import type { TablePayload } from "../../tables/display/live/embedded-column.js";
import type { Selection } from "../../tables/display/live/frame-link.js";
import { openSavedState } from "../page/channel.js";
import { find, make, makeButton, many, on, readPayload } from "../page/elements.js";
import { openSelectionLine, type SelectionLine } from "../selection/selection.js";
import { type GridRows, nearRows } from "./grid-rows.js";
import type { KernelChannel, openKernelChannel } from "./kernel-channel.js";
import type { askRows } from "./kernel-rows.js";
import type { HeadedColumn, LiveTable } from "./live-table.js";
import { columnsOf } from "./table-columns.js";
import { copySelection, saveRows } from "./table-export.js";
import { createGrid } from "./table-grid.js";
import { clickFilter, crossFilter, filterText, markHeads, showLeft, withHead } from "./table-heads.js";
import { listColumns, openedBy, showCode } from "./table-panels.js";
import {
  type AskedRows,
  firstState,
  isFiltered,
  NO_FILTERS,
  questionOf,
  restoredState,
  type TableState,
} from "./table-state.js";

/** Outputs created without a kernel cannot load rows. */
const NOBODY = { isWaiting: false, state: "unasked" } as const;

type Picks = ReturnType<NonNullable<SelectionLine["rows"]>>;

/** The functions for a table that may load more rows from a kernel. */
interface KernelAccess {
  readonly openKernelChannel: typeof openKernelChannel;
  readonly askRows: typeof askRows;
}

interface ViewOptions {
  /** Number of rows in the output. */
  readonly here: number;
  readonly kernel: KernelAccess | undefined;
  readonly channel: KernelChannel | undefined;
  /** For linked tables. */
  readonly picks: Picks | undefined;
  /** Called when the first visible row has changed. */
  onScroll(): void;
}

/** The view of a table's state. */
function tableView(table: LiveTable, { here, kernel, channel, picks, onScroll }: ViewOptions) {
  const { payload, columns, tell } = table;
  const isOpen = () => channel?.state === "open";
  const isNarrowed = () => isFiltered(table.state) || table.isOnlyPicked;
  const grid = createGrid(table, (top) => {
    table.state = { ...table.state, top };
    onScroll();
  });
  const foot = (): TableFoot => ({
    ...{ payload, here, passing: table.rows.length, trouble: table.trouble },
    isSorted: table.state.sorts.length > 0,
    line: channel ?? NOBODY,
  });
  const clear = () => {
    table.isOnlyPicked = false;
    if (isFiltered(table.state)) table.update(NO_FILTERS);
    else refresh();
    tellCount();
    find("find").focus();
  };
  const showCount = () => {
    find("count").textContent = countText(foot());
    grid.say(missingText(foot()), table.rows.length === 0 && isNarrowed() ? clear : undefined);
  };
  const tellCount = () => tell(`${many(table.rows.length)} of ${many(totalOf(foot()))} rows`);
  const load = rowLoader(table, {
    ...{ kernel, channel, here, paint: grid.paint, onRows: tellCount },
    show: (rows) => {
      // The same rows, more of which are now available: keep the scroll position.
      const isMore = rows.isPlain && table.rows.isPlain;
      table.rows = rows;
      showCount();
      grid.restart(isMore);
    },
    onFailure: (message) => {
      table.trouble = message;
    },
  });
  const question = () => questionOf(table.state, picks && table.isOnlyPicked ? picks.filtersOf(table.picked) : []);
  const showFilters = () => {
    const toggle = () => {
      table.isOnlyPicked = !table.isOnlyPicked;
      refresh();
      tellCount();
    };
    const { picked, isOnlyPicked } = table;
    const buttons = picks?.buttons(picked.size, isOnlyPicked, () => table.pick(new Set()), toggle) ?? [];
    find("filters").replaceChildren(...buttons, ...filterChips(table));
  };
  const refresh = () => {
    table.trouble = "";
    load(question(), isOpen() && !table.isOnlyPicked);
    showFilters();
    markHeads(table);
    // If the kernel has all rows, the heads do not change.
    const left = isNarrowed() && !isOpen() ? crossFilter(here, columns, question()) : [];
    for (const column of columns) showLeft(column, left[column.index], here === payload.rows);
    showCode(table, question());
  };
  const layOut = () => {
    markHeads(table);
    grid.layOut();
    listColumns(table);
    showCode(table, question());
  };
  return { grid, refresh, layOut, showCount, showFilters, tellCount };
}

type View = ReturnType<typeof tableView>;

/** Buttons that remove filters set by a click. */
function filterChips(table: LiveTable): readonly HTMLElement[] {
  return Object.entries(table.state.clicked).map(([index, filter]) => {
    const column = table.columns[Number(index)] as HeadedColumn;
    const onclick = () => clickFilter(table, column, filter);
    const label = `${column.name} ${filterText(column, filter)} ✕`;
    return makeButton({ title: "Remove this filter", onclick }, label);
  });
}

/** Replaces the state of a table, and shows what has changed. */
function showState(table: LiveTable, { grid, refresh, layOut, tellCount }: View, state: TableState): void {
  const before = table.state;
  const isChanged = (...names: readonly (keyof TableState)[]) => names.some((name) => before[name] !== state[name]);
  table.state = state;
  // Other fields may have words that are not yet in the state.
  for (const { input, index } of table.columns)
    if (before.typed[index] !== state.typed[index]) input.value = state.typed[index]?.words ?? "";
  if (isChanged("find")) find<HTMLInputElement>("find").value = state.find;
  if (isChanged("shown")) layOut();
  if (isChanged("widths")) grid.setWidths();
  const isFilter = isChanged("typed", "clicked", "find");
  if (isFilter || isChanged("sorts")) refresh();
  if (isFilter) tellCount();
}

/** The buttons and the search above a table. */
function listenToBar(table: LiveTable): void {
  openedBy(find("choose"), find("chooser"));
  if (table.payload.code !== undefined) openedBy(find("code"), find("coded"));
  on(find("copy"), "click", table.copy);
  on(find("save"), "click", () => saveRows(table));
  const search = find<HTMLInputElement>("find");
  let typing = 0;
  on(search, "input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => table.update({ find: search.value }), 120);
  });
}

/** A table without a view, whose actions do nothing. */
function createTable(payload: TablePayload): LiveTable {
  const plain = columnsOf(payload.heads, payload.cells);
  const ignore = () => {};
  const columns: HeadedColumn[] = [];
  const table: LiveTable = {
    payload,
    columns,
    state: firstState(plain),
    rows: nearRows(plain, [], false),
    ...{ picked: new Set(), isOnlyPicked: false, cells: { at: [0, 0], anchor: [0, 0] }, trouble: "" },
    ...{ update: ignore, pick: ignore, say: ignore },
    copy: () => void copySelection(table),
    tell: (text) => {
      find("said").textContent = text;
    },
  };
  columns.push(...plain.map((column) => withHead(column, table)));
  return table;
}

/** Starts the table in the frame. */
export async function startTable(kernel?: KernelAccess): Promise<void> {
  let take: (selection: Selection) => void = () => {};
  const link = openSelectionLine((selection) => take(selection));
  const { style, ...payload } = await readPayload<TablePayload & { readonly style: string }>();
  document.head.append(make("style", {}, style));
  const table = createTable(payload);
  const [cells] = payload.cells;
  const here = (cells && ("texts" in cells ? cells.codes : cells.numbers))?.length as number;
  const channel = kernel?.openKernelChannel({
    name: payload.table,
    columns: table.columns.length,
    onChange: () => {
      // Without filters and sorting, the current rows stay.
      if (channel?.state !== "open" && table.rows.isNear) view.showCount();
      else view.refresh();
    },
    onWait: () => view.showCount(),
  });
  const picks = link.rows?.(table.columns, here);
  const view = tableView(table, { here, kernel, channel, picks, onScroll: () => save() });
  if (picks) take = picks.share(table, { ...view, ...view.grid }, link);
  const first = table.state;
  const save = openSavedState(
    () => table.state,
    (saved) => {
      const state = restoredState(saved, first);
      if (!state) return;
      try {
        showState(table, view, { ...first, ...state });
        view.grid.scrollTo(state.top);
      } catch {
        // Its author may have written anything.
        table.state = first;
        showState(table, view, first);
      }
    },
  );
  table.update = (changes) => {
    // Other rows are shown from the first one on.
    const top = changes.shown || changes.widths ? table.state.top : 0;
    showState(table, view, { ...table.state, top, ...changes });
    save();
  };
  table.say = (text, isBrief = false) => {
    table.tell(text);
    find("count").textContent = text;
    if (isBrief) setTimeout(view.showCount, 1200);
  };
  listenToBar(table);
  view.layOut();
  view.refresh();
  document.documentElement.className = "live";
  channel?.hello();
}

// What is written below a table: the number of its rows, and where the missing ones are.

/** What the line below a table depends on. */
interface TableFoot {
  readonly payload: TablePayload;
  /** Number of rows in the output. */
  readonly here: number;
  /** Number of rows that pass the filters. */
  readonly passing: number;
  readonly isSorted: boolean;
  readonly line: Pick<KernelChannel, "state" | "isWaiting">;
  /** Reason why the last question failed. */
  readonly trouble: string;
}

const isOpen = ({ line }: TableFoot) => line.state === "open";

/** Number of rows that can be shown. */
function totalOf(foot: TableFoot): number {
  return isOpen(foot) ? foot.payload.rows : foot.here;
}

const OTHERS: Readonly<Record<KernelChannel["state"], string>> = {
  unasked: "",
  open: ", others in the kernel",
  silent: ", no kernel for others",
  gone: ", others no longer in the kernel",
};

function countText(foot: TableFoot): string {
  const { payload, here, passing, line, trouble } = foot;
  const { rows, columns, heads, summarised, cut } = payload;
  const named = heads.filter(({ type }) => type !== "index").length;
  const others = trouble ? `; ${trouble}` : OTHERS[line.state];
  const isSample = summarised < rows;
  return [
    line.isWaiting && "waiting for the kernel …",
    passing < totalOf(foot) && `${many(passing)} of the ${many(totalOf(foot))} rows${isOpen(foot) ? "" : " here"}`,
    `${many(rows)} rows${here === rows ? "" : ` (first ${many(here)} loaded${others})`}`,
    `${many(columns)} columns${named < columns ? `, ${many(named)} of them here` : ""}`,
    isSample ? `summaries of ${many(summarised)} sampled rows` : here < rows && "summaries of all rows",
    cut > 0 && `${many(cut)} long strings cut`,
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The text after the last row. */
function missingText(foot: TableFoot): string {
  const { payload, here, passing, isSorted } = foot;
  if (isOpen(foot) || here === payload.rows) return "";
  const isAll = !isSorted && passing === here;
  return `${many(payload.rows - here)} more rows are not loaded${isAll ? "" : ", sorted or searched"}`;
}

interface RowsOptions {
  readonly kernel: KernelAccess | undefined;
  readonly channel: KernelChannel | undefined;
  /** Number of rows in the output. */
  readonly here: number;
  /** Shows rows. */
  show(rows: GridRows): void;
  /** Called when rows of a question have arrived from the kernel. */
  onRows(): void;
  /** Renders rows that have arrived. */
  paint(): void;
  onFailure(message: string): void;
}

/** Returns a function that loads and shows the rows for a question, from the kernel if `isFar`. */
function rowLoader(
  table: LiveTable,
  { kernel, channel, here, show, onRows, paint, onFailure }: RowsOptions,
): (question: AskedRows, isFar?: boolean) => void {
  const { columns, payload } = table;
  /** Number of questions: responses to earlier ones are ignored. */
  let count = 0;
  const showNear = (question: AskedRows) => {
    const order = arrangeRows(here, columns, question);
    show(nearRows(columns, order, question.order.length === 0 && order.length === here));
  };
  return (question, isFar) => {
    count += 1;
    const now = count;
    if (!kernel || !channel || !isFar) return showNear(question);
    void kernel.askRows(
      { heads: payload.heads, columns, question, near: here, of: payload.rows, channel },
      {
        isNow: (rows) => (rows ? table.rows === rows : now === count),
        show,
        ...{ onRows, paint },
        onFailure: ({ message }) => {
          // Without repeating a message.
          if (channel.state !== "open") return;
          onFailure(message);
          showNear(question);
        },
      },
    );
  };
}
