import { ArgumentError } from "../../core/errors.js";
import { requireAwaited } from "../../core/forgotten-await.js";
import { nameHint } from "../../core/nearest-name.js";
import { checkOptions, givenOptions, integerFrom, type OptionRules, texts } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { arqueroView, type ColumnView, danfoView, type TableView, tableSymbol } from "./html/table-view.js";
import { displaySymbol, type MimeBundle } from "./mime-bundle.js";
import { tableBundle } from "./table-bundle.js";

/** Options of `show()`. */
export interface ShowOptions {
  /** How many rows the output holds, the first ones of the table: 1,000 by default, 500,000 at most. */
  readonly rows?: number;
  /** How many rows stand in print, and where no script may run: 50 by default, 10,000 at most. */
  readonly printed?: number;
  /** Names of the columns that it holds, in their order. By default the first 60. */
  readonly columns?: readonly string[];
}

/** Something that a notebook shows. */
export interface Shown {
  /** A live table, and its first rows as text. */
  [displaySymbol](): MimeBundle;
}

/** More would be higher than browsers let a page be. */
const MOST_ROWS = 500_000;

/** Some hundred pages. */
const MOST_PRINTED = 10_000;

const rules: OptionRules<ShowOptions> = {
  rows: integerFrom(1, MOST_ROWS),
  printed: integerFrom(1, MOST_PRINTED),
  columns: texts,
};

/**
 * A table to be shown with more rows, or other columns, than it shows by itself. Its output can be sorted, filtered and
 * scrolled without a kernel; the summaries above its columns are of all rows of the table, whatever it holds.
 *
 * @param table an Arquero table, a Danfo frame or series, a layer or a history
 * @throws ArgumentError if it is none of them, or has no column of a name
 */
export function show(table: object, options: ShowOptions = {}): Shown {
  checkOptions("show()", options, rules);
  const view = tableView(table);
  const { columns: names, ...counts } = options;
  const columns = names?.map((name) => columnNamed(view.columns, name));
  const chosen = givenOptions({ ...counts, columns });
  return { [displaySymbol]: () => tableBundle(view, chosen) };
}

/** The view of whatever shows as a table. */
export function tableView(value: object): TableView {
  requireAwaited(value);
  const own: unknown = Object(value)[tableSymbol];
  const view = typeof own === "function" ? (own.call(value) as TableView) : (arqueroView(value) ?? danfoView(value));
  if (view) return view;
  throw new ArgumentError(`show() shows tables, got ${showValue(value)}.`, {
    hint: "Give it an Arquero table, a Danfo frame, a layer or a history; aq.from(rows) makes a table of objects.",
  });
}

function columnNamed(columns: readonly ColumnView[], name: string): ColumnView {
  const column = columns.find((each) => each.name === name);
  if (column) return column;
  const names = columns.map((each) => each.name);
  throw new ArgumentError(`show(): there is no column ${showValue(name)}.`, { hint: nameHint(name, names) });
}
