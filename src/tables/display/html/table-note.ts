import type { ShownTable } from "./read-table.js";

/**
 * `1,200 rows × 8 columns`, and what of them is shown.
 *
 * @param shown how many of the columns that were read are shown
 */
export function tableNote({ columns, left, rowCount, shownRows }: ShownTable, shown = columns.length): string {
  const named = (some: ShownTable["columns"]) => some.filter(({ isIndex }) => !isIndex).length;
  const all = named(columns) + left;
  const here = named(columns.slice(0, shown));
  const size = `${count(rowCount, "row")} × ${count(all, "column")}`;
  const cut = [
    shownRows < rowCount ? `first ${count(shownRows, "row")}` : "",
    here < all ? `first ${count(here, "column")}` : "",
  ].filter((part) => part !== "");
  return cut.length === 0 ? size : `${size}, ${cut.join(" and ")} shown`;
}

function count(total: number, noun: string): string {
  return `${total.toLocaleString("en-US")} ${noun}${total === 1 ? "" : "s"}`;
}
