import { numberText } from "./number-text.js";
import type { ShownColumn, ShownTable } from "./read-table.js";
import { tableNote } from "./table-note.js";

const maxCell = 28;
/** Letters of a line that notebooks do not wrap: wrapped rows look as if they ended at a column of blanks. */
const maxLine = 100;
/** Stands for the columns that are not there. */
const more = "…";

/**
 * A table as lines of text: names, rows, note. Columns that would make the lines too long are left out.
 *
 * @param lineLength letters of the longest line
 */
export function renderTextTable(table: ShownTable, lineLength = maxLine): string {
  const columns = fitting(table.columns.map(textColumn), lineLength);
  const isCut = table.left + table.columns.length > columns.length;
  const line = (row: number) =>
    [...columns.map((column) => column.lines[row] as string), ...(isCut ? [more] : [])].join("  ").trimEnd();
  const lines = Array.from({ length: table.shownRows + 1 }, (_, row) => line(row));
  const note = tableNote(table, columns.length);
  return [...(table.caption ? [table.caption] : []), ...lines, note, ...(table.age ? [table.age] : [])].join("\n");
}

interface TextColumn {
  readonly width: number;
  readonly lines: readonly string[];
}

function textColumn({ name, numeric, decimals, cells }: ShownColumn): TextColumn {
  const shown = cells.map(({ text, number }) => (number === undefined ? text : numberText(number, decimals)));
  const texts = [name, ...shown].map(oneLine);
  const width = Math.max(...texts.map((text) => text.length));
  return { width, lines: texts.map((text) => (numeric ? text.padStart(width) : text.padEnd(width))) };
}

function oneLine(text: string): string {
  // A terminal obeys control characters.
  const flat = text.replace(/[\s\p{Cc}]+/gu, " ");
  return flat.length > maxCell ? `${flat.slice(0, maxCell - 1)}…` : flat;
}

function fitting(columns: readonly TextColumn[], lineLength: number): readonly TextColumn[] {
  let length = 0;
  const end = columns.findIndex((column) => {
    length += column.width + 2;
    return length + more.length > lineLength;
  });
  return end === -1 ? columns : columns.slice(0, Math.max(1, end));
}
