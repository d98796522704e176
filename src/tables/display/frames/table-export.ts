// What leaves a table: cells for the clipboard, and rows as a file.
import { escapeFormulas } from "../../export/csv-text.js";
import { make, many } from "./elements.js";
import type { TakeRow } from "./grid-rows.js";
import { csvText, type TableColumn } from "./table-columns.js";
import type { TableGrid } from "./table-grid.js";
import type { LiveTable } from "./table-heads.js";

/** Says a text below the table; for a moment, if nothing follows it. */
type Say = (text: string, isBrief?: boolean) => void;

/** Copies the selection, at once where all of it is here, since a browser lets a page copy only while it is asked to. */
export async function copySelection(table: LiveTable, grid: TableGrid, say: Say): Promise<void> {
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
export async function saveRows({ rows, shown }: LiveTable, say: Say): Promise<void> {
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
