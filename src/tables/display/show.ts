import { ArgumentError } from "../../core/errors.js";
import { requireAwaited } from "../../core/forgotten-await.js";
import { nameHint } from "../../core/nearest-name.js";
import { checkOptions, givenOptions, integerFrom, type OptionRules, text, texts } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { arqueroView, type ColumnView, danfoView, type TableView, tableSymbol } from "./html/table-view.js";
import { displaySymbol, type MimeBundle } from "./mime-bundle.js";
import { tableBundle } from "./table-bundle.js";

/** Options of `show()`. */
export interface ShowOptions {
  /** Number of first rows in the output, at most 500,000. Default: 1,000. */
  readonly limit?: number;
  /** Number of rows in print, and if scripts cannot run, at most 10,000. Default: 50. */
  readonly printRows?: number;
  /** Names of the columns in the output, in their order. Default: the first 60. */
  readonly columns?: readonly string[];
  /**
   * Name of the sheet with all rows of the table in the workbook of `siteframe report --xlsx`. Default: none. Needs an
   * Arquero table or a layer.
   */
  readonly sheet?: string;
}

/** A value that a notebook displays. */
export interface Shown {
  /** An interactive table, and its first rows as text. */
  [displaySymbol](): MimeBundle | Promise<MimeBundle>;
}

/** More rows would exceed the maximum height of pages in browsers. */
const MOST_ROWS = 500_000;

/** A few hundred pages. */
const MOST_PRINTED = 10_000;

const rules: OptionRules<ShowOptions> = {
  limit: integerFrom(1, MOST_ROWS),
  printRows: integerFrom(1, MOST_PRINTED),
  columns: texts,
  sheet: text,
};

/**
 * Returns a table for display with more rows, or other columns, than by default. The output can be sorted, filtered and
 * scrolled without a kernel. The summaries above its columns are about all rows of the table.
 *
 * @param table an Arquero table, a Danfo frame or series, a layer or a history
 * @example
 * ```ts
 * show(tickets.table.select("visible_id", "Title", "STATUS"), { limit: 3 })
 * ```
 * @throws ArgumentError for other values, and for a missing column
 */
export function show(table: object, options: ShowOptions = {}): Shown {
  checkOptions("show()", options, rules);
  const view = tableView(table);
  const { columns: names, limit, printRows, sheet } = options;
  const columns = names?.map((name) => columnNamed(view.columns, name));
  const chosen = givenOptions({ rows: limit, printed: printRows, columns });
  if (sheet === undefined) return { [displaySymbol]: () => tableBundle(view, chosen) };
  return {
    [displaySymbol]: async () => {
      const { sheetOutput } = await import("../export/sheet-payload.js");
      return { ...tableBundle(view, chosen), ...sheetOutput(sheet, table, names) };
    },
  };
}

/** The view of any value that is displayed as a table. */
export function tableView(value: object): TableView {
  requireAwaited(value);
  const table: unknown = Object(value)[tableSymbol];
  const view =
    typeof table === "function" ? (table.call(value) as TableView) : (arqueroView(value) ?? danfoView(value));
  if (view) return view;
  throw new ArgumentError(`show(): not a table: ${showValue(value)}.`, {
    hint: "Pass an Arquero table, a Danfo frame, a layer or a history. For an array of objects, use show(aq.from(rows)).",
  });
}

function columnNamed(columns: readonly ColumnView[], name: string): ColumnView {
  const column = columns.find((each) => each.name === name);
  if (column) return column;
  const names = columns.map((each) => each.name);
  throw new ArgumentError(`show(): unknown column ${showValue(name)}.`, { hint: nameHint(name, names) });
}
