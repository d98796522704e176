import { escapeFormulas } from "../../export/csv-text.js";
// A live table: sorted, filtered, its columns chosen, copied and saved.
import { arrangeRows } from "../live/arrange-rows.js";
import type { TableFacts } from "../live/embedded-column.js";
import { find, make, many } from "./elements.js";
import { type GridRows, nearRows, type TakeRow } from "./grid-rows.js";
import type { AskedRows, KernelChannel, openKernelChannel } from "./kernel-channel.js";
import type { kernelRows } from "./kernel-rows.js";
import { readFacts } from "./read-facts.js";
import { columnsOf, csvText, type TableColumn } from "./table-columns.js";
import { createGrid, type TableGrid } from "./table-grid.js";
import { type HeadedColumn, type LiveTable, type PickedFilter, withHead } from "./table-heads.js";

/** What a table needs that may get more rows from a kernel. */
interface KernelAccess {
  readonly openKernelChannel: typeof openKernelChannel;
  readonly kernelRows: typeof kernelRows;
  readonly BLOCK: number;
}

/** An output that was made without a kernel has nobody to ask. */
const NOBODY = { isOpen: false, isWaiting: false, state: "unasked" } as const;

/** Takes over the frame. */
export async function startTable(kernel?: KernelAccess): Promise<void> {
  const facts = await readFacts<TableFacts>();
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
    copy: () => copySelection(table, grid, say),
  };
  headed.push(...columns.map((column) => withHead(column, table)));
  table.shown = headed;
  const grid = createGrid(table);
  const channel: KernelChannel | undefined = kernel?.openKernelChannel({
    name: facts.table,
    columns: columns.length,
    onChange: () => {
      // Where nothing is asked, what is here stays as it is.
      if (!isOpen() && table.rows.isNear) showCount();
      else refresh();
    },
    onWait: () => showCount(),
  });
  const line = () => channel ?? NOBODY;
  const isOpen = () => line().isOpen;
  let sorts: readonly { readonly column: HeadedColumn; readonly way: 1 | -1 }[] = [];
  /** Filters by column: words that were typed, and a bar, value or nothing that was clicked. */
  const typed = new Map<HeadedColumn, string>();
  const clicked = new Map<HeadedColumn, PickedFilter>();
  /** Why the last question was not answered. */
  let trouble = "";

  const total = () => (isOpen() ? facts.rows : count);
  /** Who has the rows that are not here. */
  const others = () => {
    if (count === facts.rows) return "";
    const here = `, of which the first ${many(count)} are here`;
    if (trouble) return `${here} (${trouble})`;
    const { state } = line();
    if (state === "open") return `${here} and the others in the kernel`;
    if (state === "silent") return `${here}; no kernel gives the others`;
    return state === "gone" ? `${here}; the kernel no longer has the others` : here;
  };
  const footText = () => {
    const parts: string[] = [];
    if (line().isWaiting) parts.push("waiting for the kernel …");
    if (table.rows.length < total())
      parts.push(`${many(table.rows.length)} of the ${many(total())} rows${isOpen() ? "" : " here"}`);
    const named = columns.filter(({ type }) => type !== "index").length;
    const wide = named < facts.columns ? `, ${many(named)} of them here` : "";
    parts.push(`${many(facts.rows)} rows${others()}`, `${many(facts.columns)} columns${wide}`);
    if (facts.summarised < facts.rows) parts.push(`summaries of ${many(facts.summarised)} rows, evenly taken`);
    else if (count < facts.rows) parts.push("summaries of all rows");
    if (facts.cut > 0) parts.push(`${many(facts.cut)} long texts are cut`);
    return parts.join(" · ");
  };
  /** What the last row is followed by. */
  const missing = () => {
    if (isOpen() || count === facts.rows) return "";
    const rest = `${many(facts.rows - count)} more rows are not here`;
    const isAll = sorts.length === 0 && table.rows.length === count;
    return isAll ? rest : `${rest}, and neither sorted nor looked through`;
  };

  const search = find<HTMLInputElement>("find");
  const question = (): AskedRows => ({
    order: sorts.map(({ column, way }) => [column.index, way]),
    filter: [
      ...[...clicked].map(([{ index }, { filter }]) => ({ column: index, ...filter })),
      ...[...typed].map(([{ index }, words]) => ({ column: index, words })),
    ],
    find: { words: search.value.split(/\s+/).filter(Boolean), columns: table.shown.map(({ index }) => index) },
  });

  /** How often rows were asked for: an answer to what is no longer asked comes too late. */
  let asks = 0;
  const showCount = () => {
    find("count").textContent = footText();
    grid.say(missing());
  };
  const show = (rows: GridRows) => {
    asks += 1;
    // The same rows, of which more can be had: who reads them stays where they are.
    const isMore = rows.isPlain && table.rows.isPlain;
    table.rows = rows;
    showCount();
    grid.restart(isMore);
  };
  const showNear = () => {
    const order = arrangeRows(count, columns, question());
    show(nearRows(columns, order, sorts.length === 0 && order.length === count));
  };
  const onFailure = ({ message }: Error) => {
    // Without a line that has been said already.
    if (!isOpen()) return;
    trouble = message;
    showNear();
  };
  /** Of sorted or filtered rows the first ones say how many there are. Until they come, what was there stays. */
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
    if (kernel && channel?.isOpen) askFar(kernel, channel);
    else showNear();
    const chips = [...clicked].map(([column, { label }]) =>
      make(
        "button",
        { type: "button", title: "Remove this filter", onclick: () => click(column) },
        `${column.name} ${label} ✕`,
      ),
    );
    find("filters").replaceChildren(...chips);
    markHeads();
  };
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
  };
  function move(column: HeadedColumn, place: number): void {
    const others = table.shown.filter((each) => each !== column);
    others.splice(Math.max(0, Math.min(others.length, place)), 0, column);
    showColumns(others);
    said.textContent = `${column.name} is column ${table.shown.indexOf(column) + 1} of ${table.shown.length}`;
  }
  const chooser = find("chooser");
  /** Fills the list in which columns are chosen. */
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
  const openChooser = (isShown: boolean) => {
    chooser.hidden = !isShown;
    find("choose").setAttribute("aria-expanded", String(isShown));
  };
  find("choose").addEventListener("click", () => openChooser(chooser.hidden === true));
  chooser.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    openChooser(false);
    find("choose").focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!(target as Element).closest("#chooser, #choose")) openChooser(false);
  });

  function say(text: string, isBrief = false): void {
    said.textContent = text;
    find("count").textContent = text;
    if (isBrief) setTimeout(showCount, 1200);
  }
  find("copy").addEventListener("click", table.copy);
  find("save").addEventListener("click", () => saveRows(table, say));
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

// What leaves a table: cells for the clipboard, and rows as a file.

/** Says a text below the table; for a moment, if nothing follows it. */
type Say = (text: string, isBrief?: boolean) => void;

/** Copies the selection, at once where all of it is here, since a browser lets a page copy only while it is asked to. */
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
    say(isDone ? what : "The browser did not let the table copy", true);
  };
  if (bottom < 0) return copy(chosen.map(({ name }) => name).join("\t"));
  const isOne = top === bottom && left === right;
  const lines: string[] = [];
  const take: TakeRow = (part, row) => {
    const text = ({ index }: TableColumn) => {
      const column = part[index] as TableColumn;
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
    say("The kernel did not give all of these rows", true);
  }
}

/** One of several cells: lines of a spreadsheet, in which no text is a formula. */
function clipboardCell(column: TableColumn, row: number): string {
  if (column.isNull(row)) return "";
  const text = column.kind === "text" ? escapeFormulas(column.full(row)) : column.full(row);
  return /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function toClipboard(text: string): boolean {
  const give = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData("text/plain", text);
  };
  document.addEventListener("copy", give, { capture: true, once: true });
  const isDone = document.execCommand("copy");
  document.removeEventListener("copy", give, { capture: true });
  return isDone;
}

/** Saves all rows as CSV. */
async function saveRows({ rows, shown }: LiveTable, say: Say): Promise<void> {
  const parts = [`${shown.map(({ name }) => csvText(name)).join()}\r\n`];
  const take: TakeRow = (part, row) =>
    parts.push(`${shown.map(({ index }) => (part[index] as TableColumn).csv(row)).join()}\r\n`);
  try {
    await rows.each(0, rows.length, take, (count) => say(`${many(count)} of ${many(rows.length)} rows as CSV`));
  } catch {
    say("The kernel did not give all rows", true);
    return;
  }
  const url = URL.createObjectURL(new Blob(parts, { type: "text/csv" }));
  make("a", { href: url, download: "table.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  say(`${many(rows.length)} rows as CSV`, true);
}
