import type { ShownColumn, ShownTable } from "./read-table.js";

const maxCell = 28;
const maxLine = 120;

/** A table as lines of text: names, rows, note. Columns that would make the lines too long are left out. */
export function renderTextTable(table: ShownTable): string {
  const columns = fitting(table.columns.map(textColumn));
  const line = (row: number) =>
    columns
      .map((column) => column.lines[row] ?? "")
      .join("  ")
      .trimEnd();
  const lines = Array.from({ length: table.shownRows + 1 }, (_, row) => line(row));
  const left = table.columns.length - columns.length;
  const note = left > 0 ? `${table.note} (${left} columns not shown here)` : table.note;
  return [...(table.caption ? [table.caption] : []), ...lines, note, ...(table.age ? [table.age] : [])].join("\n");
}

interface TextColumn {
  readonly width: number;
  readonly lines: readonly string[];
}

function textColumn({ name, numeric, cells }: ShownColumn): TextColumn {
  const texts = [name, ...cells.map((cell) => cell.text)].map(oneLine);
  const width = Math.max(...texts.map((text) => text.length));
  return { width, lines: texts.map((text) => (numeric ? text.padStart(width) : text.padEnd(width))) };
}

function oneLine(text: string): string {
  // A terminal obeys control characters.
  const flat = text.replace(/[\s\p{Cc}]+/gu, " ");
  return flat.length > maxCell ? `${flat.slice(0, maxCell - 1)}…` : flat;
}

function fitting(columns: readonly TextColumn[]): readonly TextColumn[] {
  let length = 0;
  const end = columns.findIndex((column) => {
    length += column.width + 2;
    return length > maxLine;
  });
  return end === -1 ? columns : columns.slice(0, Math.max(1, end));
}
