// An interactive table: sorting, filters, choice of columns, copying and saving.
import { arrangeRows } from "../../tables/display/live/arrange-rows.js";
import type { TableFacts } from "../../tables/display/live/embedded-column.js";
import type { Selection } from "../../tables/display/live/frame-link.js";
import { escapeFormulas } from "../../tables/export/csv-text.js";
import { toClipboard } from "../page/clipboard.js";
import { find, make, many } from "../page/elements.js";
import { readFacts } from "../page/read-payload.js";
import { saveFile } from "../page/save-file.js";
import { openSelectionLine } from "../selection/selection-door.js";
import { arqueroCode } from "./arquero-code.js";
import { type GridRows, nearRows, type TakeRow } from "./grid-rows.js";
import type { AskedRows, KernelChannel, openKernelChannel } from "./kernel-channel.js";
import type { kernelRows } from "./kernel-rows.js";
import { columnsOf, csvText, type TableColumn } from "./table-columns.js";
import { createGrid, type TableGrid } from "./table-grid.js";
import {
  boundedWidth,
  crossFilter,
  type HeadedColumn,
  type LiveTable,
  type PickedFilter,
  showLeft,
  withHead,
} from "./table-heads.js";

/** The functions for a table that may load more rows from a kernel. */
interface KernelAccess {
  readonly openKernelChannel: typeof openKernelChannel;
  readonly kernelRows: typeof kernelRows;
  readonly BLOCK: number;
}

const NOT_COPIED = "Copying was blocked";

/** Outputs created without a kernel cannot load rows. */
const NOBODY = { isOpen: false, isWaiting: false, state: "unasked" } as const;

/** Starts the table in the frame. */
export async function startTable(kernel?: KernelAccess): Promise<void> {
  let hearSelection: (selection: Selection) => void = () => {};
  const link = openSelectionLine((selection) => hearSelection(selection));
  const { style, ...facts } = await readFacts<TableFacts & { readonly style: string }>();
  document.head.append(make("style", {}, style));
  const columns = columnsOf(facts.heads, facts.cells);
  const [cells] = facts.cells;
  const count = (cells && ("texts" in cells ? cells.codes : cells.numbers))?.length as number;
  const said = find("said");
  const headed: HeadedColumn[] = [];
  const table: LiveTable = {
    columns: headed,
    shown: [],
    left: facts.left,
    rows: nearRows(columns, [], false),
    at: [0, 0],
    anchor: [0, 0],
    click,
    type,
    sort,
    move,
    resize,
    copy: () => copySelection(table, grid, say),
    pick,
    isPicked: ({ part, row }) => part === columns && picked.has(row),
  };
  headed.push(...columns.map((column) => withHead(column, table)));
  table.shown = headed;
  const grid = createGrid(table);
  const channel: KernelChannel | undefined = kernel?.openKernelChannel({
    name: facts.table,
    columns: columns.length,
    onChange: () => {
      // Without filters and sorting, the current rows stay.
      if (!isOpen() && table.rows.isNear) showCount();
      else refresh();
    },
    onWait: () => showCount(),
  });
  const line = () => channel ?? NOBODY;
  const isOpen = () => line().isOpen;
  let sorts: readonly { readonly column: HeadedColumn; readonly way: 1 | -1 }[] = [];
  /** Filters by column: typed words, and a clicked bar, value or null. */
  const typed = new Map<HeadedColumn, string>();
  const clicked = new Map<HeadedColumn, PickedFilter>();
  /** Why the last question failed. */
  let trouble = "";
  /** Rows selected in the linked frames, and whether only these are visible. */
  let [picked, isOnlyPicked]: [ReadonlySet<number>, boolean] = [new Set(), false];
  const picks = link.rows?.(columns, count);

  const total = () => (isOpen() ? facts.rows : count);
  /** The location of the missing rows, for the user. */
  const others = () => {
    if (count === facts.rows) return "";
    const here = ` (first ${many(count)} loaded`;
    if (trouble) return `${here}; ${trouble})`;
    const { state } = line();
    if (state === "open") return `${here}, others in the kernel)`;
    if (state === "silent") return `${here}, no kernel for others)`;
    return state === "gone" ? `${here}, others no longer in the kernel)` : `${here})`;
  };
  const footText = () => {
    const parts: string[] = [];
    if (line().isWaiting) parts.push("waiting for the kernel …");
    if (table.rows.length < total())
      parts.push(`${many(table.rows.length)} of the ${many(total())} rows${isOpen() ? "" : " here"}`);
    const named = columns.filter(({ type }) => type !== "index").length;
    const wide = named < facts.columns ? `, ${many(named)} of them here` : "";
    parts.push(`${many(facts.rows)} rows${others()}`, `${many(facts.columns)} columns${wide}`);
    if (facts.summarised < facts.rows) parts.push(`summaries of ${many(facts.summarised)} sampled rows`);
    else if (count < facts.rows) parts.push("summaries of all rows");
    if (facts.cut > 0) parts.push(`${many(facts.cut)} long strings cut`);
    return parts.join(" · ");
  };
  /** The text after the last row. */
  const missing = () => {
    if (isOpen() || count === facts.rows) return "";
    const rest = `${many(facts.rows - count)} more rows are not loaded`;
    const isAll = sorts.length === 0 && table.rows.length === count;
    return isAll ? rest : `${rest}, sorted or searched`;
  };

  const search = find<HTMLInputElement>("find");
  const isFiltered = () => typed.size + clicked.size > 0 || search.value.trim() !== "" || isOnlyPicked;
  const clearFilters = () => {
    isOnlyPicked = false;
    for (const filters of [typed, clicked]) filters.clear();
    for (const field of [search, ...headed.map(({ input }) => input)]) field.value = "";
    filterAnew();
    search.focus();
  };
  const question = (): AskedRows => ({
    order: sorts.map(({ column, way }) => [column.index, way]),
    filter: [
      ...[...clicked].map(([{ index }, { filter }]) => ({ column: index, ...filter })),
      ...[...typed].map(([{ index }, words]) => ({ column: index, words })),
      ...(isOnlyPicked && picks ? picks.filtersOf(picked) : []),
    ],
    find: { words: search.value.split(/\s+/).filter(Boolean), columns: table.shown.map(({ index }) => index) },
  });

  /** Number of requests: responses to outdated ones are ignored. */
  let asks = 0;
  const showCount = () => {
    find("count").textContent = footText();
    const areNone = table.rows.length === 0 && isFiltered();
    grid.say(missing(), areNone ? clearFilters : undefined);
  };
  const show = (rows: GridRows) => {
    asks += 1;
    // The same rows, more of which are now available: keep the scroll position.
    const isMore = rows.isPlain && table.rows.isPlain;
    table.rows = rows;
    showCount();
    grid.restart(isMore);
  };
  const showNear = () => {
    const order = arrangeRows(count, columns, question());
    show(nearRows(columns, order, sorts.length === 0 && order.length === count));
  };
  /** Updates the heads for the rows in the output. If the kernel has all rows, the heads do not change. */
  const showWhatIsLeft = () => {
    const left = isFiltered() && !isOpen() ? crossFilter(count, columns, question()) : [];
    for (const column of headed) showLeft(column, left[column.index], count === facts.rows);
  };
  const onFailure = ({ message }: Error) => {
    // Without repeating a message.
    if (!isOpen()) return;
    trouble = message;
    showNear();
  };
  /** For sorted or filtered rows, the first response also has their number. Until then, the old rows stay. */
  const askFar = async ({ kernelRows, BLOCK }: KernelAccess, channel: KernelChannel) => {
    const asked = question();
    const isPlain = asked.order.length + asked.filter.length + asked.find.words.length === 0;
    const rowsOf = (of: number, near: number) => {
      const rows = kernelRows({
        ...{ heads: facts.heads, columns, question: asked, near, of, isPlain, channel },
        onRows: () => table.rows === rows && grid.paint(),
        onFailure: (error) => table.rows === rows && onFailure(error),
      });
      return rows;
    };
    if (isPlain) {
      show(rowsOf(facts.rows, count));
      return;
    }
    asks += 1;
    const now = asks;
    try {
      const { of, cells: first } = await channel.ask({ ...asked, rows: [0, BLOCK] });
      if (now !== asks) return;
      const rows = rowsOf(of, 0);
      rows.keep(0, first);
      show(rows);
      sayCount();
    } catch (error) {
      if (now === asks) onFailure(error as Error);
    }
  };
  const refresh = () => {
    trouble = "";
    if (kernel && channel?.isOpen && !isOnlyPicked) askFar(kernel, channel);
    else showNear();
    const chips = [...clicked].map(([column, { label }]) =>
      make(
        "button",
        { type: "button", title: "Remove this filter", onclick: () => click(column) },
        `${column.name} ${label} ✕`,
      ),
    );
    find("filters").replaceChildren(...pickedButtons(), ...chips);
    markHeads();
    showWhatIsLeft();
    showCode();
  };
  function showCode(): void {
    if (facts.code === undefined) return;
    const isAll = facts.left === 0 && facts.columns === columns.length;
    const code = arqueroCode(facts.code, columns, table.shown, question(), isAll);
    const copied = () => say(toClipboard(code) ? "Copied the code" : NOT_COPIED, true);
    const button = make("button", { type: "button", onclick: copied }, "Copy code");
    find("coded").replaceChildren(make("pre", { tabIndex: 0 }, code), button);
  }
  const sayCount = () => {
    said.textContent = `${many(table.rows.length)} of ${many(total())} rows`;
  };
  const filterAnew = () => {
    refresh();
    sayCount();
  };
  function click(column: HeadedColumn, picked?: PickedFilter): void {
    if (picked === undefined || clicked.get(column)?.key === picked.key) clicked.delete(column);
    else clicked.set(column, picked);
    filterAnew();
  }
  function type(column: HeadedColumn, text: string): void {
    if (text.trim() === "") typed.delete(column);
    else typed.set(column, text);
    filterAnew();
  }
  function pick(): void {
    if (!link.isLinked) return;
    const [top, bottom] = grid.selection();
    const rows = Array.from({ length: bottom - top + 1 }, (_, at) => table.rows.at(top + at));
    const chosen = new Set(rows.flatMap((each) => (each?.part === columns ? [each.row] : [])));
    // The same row is selected already.
    const isOff = chosen.size === 1 && picked.size === 1 && [...chosen].every((row) => picked.has(row));
    tellPicked(isOff ? new Set() : chosen);
  }
  const tellPicked = (rows: ReadonlySet<number>) => {
    showPicked(rows);
    if (!picks) return;
    const ids = picks.idsOf(picked);
    link.tell({ ids, values: picks.valuesOf(picked) });
    link.tellKernel(ids);
  };
  const showPicked = (rows: ReadonlySet<number>) => {
    picked = rows;
    const wereOnly = isOnlyPicked;
    isOnlyPicked &&= rows.size > 0;
    if (wereOnly) refresh();
    else find("filters").replaceChildren(...pickedButtons(), ...find("filters").querySelectorAll("button:not(.link)"));
    grid.paint(true);
    said.textContent = `${many(rows.size)} selected`;
  };
  const pickedButtons = () => {
    const only = () => {
      isOnlyPicked = !isOnlyPicked;
      filterAnew();
    };
    return picks?.buttons(picked.size, isOnlyPicked, () => tellPicked(new Set()), only) ?? [];
  };
  hearSelection = (selection) => {
    const heard = picks?.heard(selection);
    if (typeof heard === "string") return say(heard, true);
    if (!picks || !heard) return;
    if (selection.where) tellPicked(heard);
    else {
      showPicked(heard);
      link.tell({ values: picks.valuesOf(picked) });
    }
    const first = Array.from({ length: table.rows.length }, (_, place) => place).find((place) => {
      const row = table.rows.at(place);
      return row && table.isPicked(row);
    });
    if (first !== undefined) grid.reveal(first);
    grid.paint();
  };
  const markHeads = () => {
    for (const column of table.shown) {
      const place = sorts.findIndex((sort) => sort.column === column);
      const isUp = sorts[place]?.way === 1;
      column.head.setAttribute("aria-sort", place < 0 ? "none" : isUp ? "ascending" : "descending");
      column.mark.textContent = place < 0 ? "" : `${isUp ? "▲" : "▼"}${sorts.length > 1 ? place + 1 : ""}`;
      const key = String(clicked.get(column)?.key);
      for (const button of column.head.querySelectorAll<HTMLElement>("[data-key]"))
        button.setAttribute("aria-pressed", String(button.dataset["key"] === key));
    }
  };
  function sort(column: HeadedColumn, isMore: boolean): void {
    const now = sorts.find((each) => each.column === column);
    const way = now ? (now.way > 0 ? -1 : 0) : 1;
    const others = isMore ? sorts.filter((each) => each !== now) : [];
    sorts = way === 0 ? others : [...others, { column, way }];
    refresh();
    said.textContent = way === 0 ? "Not sorted" : `Sorted by ${column.name}, ${way > 0 ? "ascending" : "descending"}`;
  }

  const showColumns = (shown: readonly HeadedColumn[]) => {
    table.shown = shown;
    markHeads();
    grid.layOut();
    listColumns();
    showCode();
  };
  function move(column: HeadedColumn, place: number): void {
    const others = table.shown.filter((each) => each !== column);
    others.splice(Math.max(0, Math.min(others.length, place)), 0, column);
    showColumns(others);
    said.textContent = `${column.name} is column ${table.shown.indexOf(column) + 1} of ${table.shown.length}`;
  }
  function resize(column: HeadedColumn, width: number): void {
    column.width = boundedWidth(width);
    grid.setWidths();
    said.textContent = `${column.name} is ${column.width} pixels wide`;
  }
  const chooser = find("chooser");
  /** Fills the list for choosing columns. */
  const listColumns = () => {
    const hidden = table.columns.filter((column) => !table.shown.includes(column));
    const lines = [...table.shown, ...hidden].map((column) => {
      const place = table.shown.indexOf(column);
      const box = make("input", { type: "checkbox", checked: place >= 0, "data-key": `${column.index}` });
      box.addEventListener("change", () => {
        const others = table.shown.filter((each) => each !== column);
        showColumns(box.checked ? [...others, column] : others);
      });
      const step = (label: string, sign: string, by: number) =>
        make(
          "button",
          {
            type: "button",
            title: label,
            "aria-label": `${column.name}: ${label}`,
            disabled: place < 0,
            "data-key": `${column.index} ${by}`,
            onclick: () => move(column, place + by),
          },
          sign,
        );
      const label = make("label", {}, box, column.name || "(index)");
      return make("div", {}, label, step("to the left", "↑", -1), step("to the right", "↓", 1));
    });
    const key = (document.activeElement as HTMLElement | null)?.dataset["key"];
    chooser.replaceChildren(...lines);
    for (const each of chooser.querySelectorAll<HTMLElement>("[data-key]"))
      if (each.dataset["key"] === key) each.focus();
  };
  openedBy(find("choose"), chooser);
  if (facts.code !== undefined) openedBy(find("code"), find("coded"));

  function say(text: string, isBrief = false): void {
    said.textContent = text;
    find("count").textContent = text;
    if (isBrief) setTimeout(showCount, 1200);
  }
  find("copy").addEventListener("click", table.copy);
  find("save").addEventListener("click", () => saveRows(table, facts.file ?? "table", say));
  let typing = 0;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(filterAnew, 120);
  });
  listColumns();
  grid.layOut();
  refresh();
  document.documentElement.className = "live";
  channel?.hello();
}

/** A panel that a button opens, and Escape or a click elsewhere closes. */
function openedBy(button: HTMLElement, panel: HTMLElement): void {
  const open = (isShown: boolean) => {
    panel.hidden = !isShown;
    button.setAttribute("aria-expanded", String(isShown));
  };
  button.addEventListener("click", () => open(panel.hidden === true));
  panel.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    open(false);
    button.focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (![panel, button].some((each) => each.contains(target as Node))) open(false);
  });
}

// Export from a table: cells to the clipboard, and rows to a file.

/** Shows a message below the table, briefly if `isBrief`. */
type Say = (text: string, isBrief?: boolean) => void;

/**
 * Copies the selection; synchronously if all of it is in the output, because browsers only allow copying during a user
 * action.
 */
async function copySelection(table: LiveTable, grid: TableGrid, say: Say): Promise<void> {
  const { rows, shown } = table;
  if (rows.length === 0 || shown.length === 0) return;
  const [top, bottom, left, right] = grid.selection();
  const chosen = shown.slice(left, right + 1);
  const [from, to] = [Math.max(0, top), bottom + 1];
  const [height, width] = [to - top, chosen.length];
  const copy = (text: string) => {
    const isDone = toClipboard(text);
    const what = height * width === 1 ? "Copied the cell" : `Copied ${many(height)} × ${many(width)} cells`;
    say(isDone ? what : NOT_COPIED, true);
  };
  if (bottom < 0) return copy(chosen.map(({ name }) => name).join("\t"));
  const isOne = top === bottom && left === right;
  const lines: string[] = [];
  const take: TakeRow = (part, row) => {
    const text = ({ index }: TableColumn) => {
      const column = part[index] as TableColumn;
      if (column.isMissing(row)) return "";
      return isOne ? column.full(row) : clipboardCell(column, row);
    };
    lines.push(chosen.map(text).join("\t"));
  };
  if (rows.isHere(from, to)) {
    for (let place = from; place < to; place += 1) {
      const found = rows.at(place);
      if (found) take(found.part, found.row);
    }
    return copy(lines.join("\n"));
  }
  try {
    await rows.each(from, to, take, (count) => say(`${many(count)} of ${many(to - from)} rows`));
    copy(lines.join("\n"));
  } catch {
    say("The kernel did not return all rows", true);
  }
}

/** One of several cells: for spreadsheets, without formulas. */
function clipboardCell(column: TableColumn, row: number): string {
  if (column.isNull(row)) return "";
  const text = Number.isNaN(column.sizeOf(row)) ? escapeFormulas(column.full(row)) : column.full(row);
  return /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Saves all rows as CSV. */
async function saveRows({ rows, shown }: LiveTable, file: string, say: Say): Promise<void> {
  const parts = [`${shown.map(({ name }) => csvText(name)).join()}\r\n`];
  const take: TakeRow = (part, row) =>
    parts.push(`${shown.map(({ index }) => (part[index] as TableColumn).csv(row)).join()}\r\n`);
  try {
    await rows.each(0, rows.length, take, (count) => say(`${many(count)} of ${many(rows.length)} rows as CSV`));
  } catch {
    say("The kernel did not return all rows", true);
    return;
  }
  saveFile(`${file}.csv`, new Blob(parts, { type: "text/csv" }));
  say(`${many(rows.length)} rows as CSV`, true);
}
