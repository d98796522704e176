import type { ColumnTable } from "arquero";
import { diagnosticsOf } from "../../core/diagnostic.js";
import { tableText } from "./html/render-table.js";
import { arqueroView } from "./html/table-view.js";

type PrintOptions = Exclude<Parameters<ColumnTable["print"]>[0], number | undefined>;

/** Lets `print()` write the text that a notebook shows for a table, instead of `console.table()`. */
export function printAsShown(prototype: Record<PropertyKey, unknown>): void {
  function print(this: ColumnTable, options: PrintOptions | number = {}): ColumnTable {
    const { limit, offset = 0, columns } = typeof options === "number" ? { limit: options } : options;
    const table = columns === undefined ? this : this.select(columns);
    const rowCount = Math.max(0, table.numRows() - offset);
    const view = arqueroView(table);
    const shown = view.columns.map((column) => ({ ...column, at: (row: number) => column.at(row + offset) }));
    // biome-ignore lint/suspicious/noConsole: printing is the purpose of the method
    console.log(tableText({ ...view, rowCount, columns: shown }, diagnosticsOf(this), limit));
    return this;
  }
  Object.defineProperty(prototype, "print", { value: print, configurable: true, writable: true, enumerable: false });
}
