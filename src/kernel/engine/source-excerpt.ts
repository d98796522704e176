import type { CellPosition } from "./cell-positions.js";

/** The lines of a cell around a position, numbered, with the line marked and a caret under the column. */
export function sourceExcerpt(code: string, { line, column }: CellPosition, around = 2): string[] {
  const lines = code.split("\n");
  const first = Math.max(1, line - around);
  const last = Math.min(lines.length, line + around);
  const width = String(last).length;
  const excerpt: string[] = [];
  for (let number = first; number <= last; number++) {
    const text = lines[number - 1] ?? "";
    excerpt.push(`${number === line ? ">" : " "} ${String(number).padStart(width)} | ${text}`);
    if (number === line) excerpt.push(`  ${" ".repeat(width)} | ${indentLike(text, column)}^`);
  }
  return excerpt;
}

/** Tabs are kept, so that the caret stands under its column however wide a tab is. */
function indentLike(text: string, column: number): string {
  return text.slice(0, column - 1).replace(/[^\t]/g, " ");
}
