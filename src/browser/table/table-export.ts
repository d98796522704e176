// Export from a table: cells to the clipboard, and rows to a file.
import { escapeFormulas } from "../../tables/export/csv-text.js";
import { many } from "../page/elements.js";
import { saveFile, toClipboard } from "../page/save-data.js";
import type { TakeRow } from "./grid-rows.js";
import { type LiveTable, selectionOf, shownColumns } from "./live-table.js";
import { csvText, type TableColumn } from "./table-columns.js";

const INCOMPLETE = "The kernel did not return all rows";
export const NOT_COPIED = "Copying was blocked";

/**
 * Copies the selection; synchronously if all of it is in the output, because browsers only allow copying during a user
 * action.
 */
export async function copySelection(table: LiveTable): Promise<void> {
  const { rows, say } = table;
  const shown = shownColumns(table);
  if (rows.length === 0 || shown.length === 0) return;
  const [top, bottom, left, right] = selectionOf(table);
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
    say(INCOMPLETE, true);
  }
}

/** One of several cells: for spreadsheets, without formulas. */
function clipboardCell(column: TableColumn, row: number): string {
  if (column.isNull(row)) return "";
  const text = Number.isNaN(column.sizeOf(row)) ? escapeFormulas(column.full(row)) : column.full(row);
  return /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Saves all rows as CSV. */
export async function saveRows(table: LiveTable): Promise<void> {
  const { rows, say, payload } = table;
  const shown = shownColumns(table);
  const parts = [`${shown.map(({ name }) => csvText(name)).join()}\r\n`];
  const take: TakeRow = (part, row) =>
    parts.push(`${shown.map(({ index }) => (part[index] as TableColumn).csv(row)).join()}\r\n`);
  try {
    await rows.each(0, rows.length, take, (count) => say(`${many(count)} of ${many(rows.length)} rows as CSV`));
  } catch {
    say(INCOMPLETE, true);
    return;
  }
  saveFile(`${payload.file ?? "table"}.csv`, new Blob(parts, { type: "text/csv" }));
  say(`${many(rows.length)} rows as CSV`, true);
}
