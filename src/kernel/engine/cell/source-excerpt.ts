import type { CellPosition } from "./cell-positions.js";

/** Lines are cut to this; a column beyond it moves into sight. */
const maxLine = 200;

/** The lines of a cell around a position, numbered, with the line marked and a caret under the column. */
export function sourceExcerpt(code: string, { line, column }: CellPosition, around = 2): string[] {
  const lines = code.split(/\r\n|\n|\r/);
  const first = Math.max(1, line - around);
  const last = Math.min(lines.length, line + around);
  const width = String(last).length;
  const excerpt: string[] = [];
  for (let number = first; number <= last; number++) {
    const full = lines[number - 1] as string;
    const start = Math.max(0, column - maxLine + 20);
    const text = full.length > maxLine ? full.slice(start, start + maxLine) : full;
    excerpt.push(`${number === line ? ">" : " "} ${String(number).padStart(width)} | ${text}`);
    if (number === line)
      excerpt.push(`  ${" ".repeat(width)} | ${indentLike(text, full.length > maxLine ? column - start : column)}^`);
  }
  return excerpt;
}

/** Tabs are kept, so that the caret stands under its column however wide a tab is. */
function indentLike(text: string, column: number): string {
  return text.slice(0, column - 1).replace(/[^\t]/g, " ");
}
