import { formatCount } from "../../core/format/format-number.js";
import { historyBehind } from "../../history/history-links.js";
import { isHistory } from "../../history/is-history.js";
import {
  type DatedCount,
  datedCount,
  listedLabels,
  named,
  optionsFirst,
  type ValueOrder,
  valueOrder,
} from "../../history/order/legend-order.js";
import { labels, valueLabel } from "../../history/order/value-label.js";
import { type History, Layer } from "../../layer/layer.js";
import { nameProcess } from "../../tables/order/process-words.js";
import { tableRows } from "./table-rows.js";

/** The order of a column's values: that of the log if available, else that of the definition. */
export function columnOrder(data: unknown, column: string): (values: ReadonlySet<string>) => ValueOrder {
  const history = historyOf(data, column);
  return (values) => (history ? valueOrder(history, column) : withOptions(data, column, [], values));
}

/** The order of groups by a column, which may be outside of the log, or of a single group: then in order of occurrence. */
export function groupOrder(data: unknown, column: string | undefined, present: readonly string[]): ValueOrder {
  const isProperty = column !== undefined && (!isHistory(data) || data.columns.includes(column));
  const order = isProperty ? columnOrder(data, column)(new Set(present)) : undefined;
  const values = [...new Set([...(order?.values.filter((value) => present.includes(value)) ?? []), ...present])];
  // For a table without a history, use the words.
  const isProcess = order?.isProcess || nameProcess(named(values));
  return { values, places: order?.places ?? values, isProcess, isListed: order?.isListed ?? false };
}

/** The history of the data: itself, or the one of a table with this column. */
export function historyOf(data: unknown, column: string): History | undefined {
  if (isHistory(data)) return data;
  const behind = historyBehind(data);
  return isHistory(behind) && behind.columns.includes(column) ? behind : undefined;
}

/**
 * The rows of `counts()`, or of a table with `date` and one row per feature.
 *
 * @param amountColumn amount of a row: `count` features, or a quantity; 1 if `count` is missing
 */
export function datedCounts(
  table: Parameters<typeof tableRows>[0],
  valueColumn = "value",
  hint = "",
  amountColumn = "count",
): readonly DatedCount[] {
  const rows = tableRows(table, hint);
  const [dateAt, valueAt] = [rows.column("date"), rows.column(valueColumn)];
  const stateAt = rows.has("state") ? rows.column("state") : () => undefined;
  const isOne = amountColumn === "count" && !rows.has(amountColumn);
  const countAt = isOne ? () => 1 : rows.column(amountColumn);
  return Array.from({ length: rows.count }, (_, row) =>
    datedCount(dateAt(row), { value: valueAt(row), state: stateAt(row) }, countAt(row)),
  );
}

/** Values in an order, preceded by the choices of the column's definition, if available. */
export function withOptions(
  data: unknown,
  column: string,
  values: readonly string[],
  present?: ReadonlySet<string>,
): ValueOrder {
  return optionsFirst(definitionsOf(data, column), values, present);
}

/** Labels of the choices of a column of a history or layer, in their order; empty for other tables. */
export function optionOrder(data: unknown, column: string, values: ReadonlySet<string>): readonly string[] {
  return listedLabels(definitionsOf(data, column), values);
}

function definitionsOf(data: unknown, column: string) {
  if (isHistory(data)) return data.definitions(column);
  return data instanceof Layer ? (data.schema.find((entry) => entry.column === column)?.definitions ?? []) : [];
}

/** Maximum number of series in a chart of curves or bands: more are indistinguishable and enlarge the page. */
export const MOST_SERIES = 20;
/** Maximum number of readable lines of a list or a matrix. */
export const MOST_LINES = 40;

/** The values in a figure, and a note about the others. */
interface MostFrequent {
  readonly kept: ReadonlySet<string>;
  /** Number of values that are not shown. */
  readonly others: number;
  /** `; the 20 most frequent of 3,000 values`, or empty if all are shown. */
  readonly note: string;
}

/**
 * Chooses the values of a figure if there are too many: those listed by the caller, and the most frequent ones. Unknown and
 * none do not count as values and are kept.
 *
 * @param counts frequency of each value, by its label
 * @param noun name of the values in the figure
 */
export function mostFrequent(
  counts: ReadonlyMap<string, number>,
  most: number,
  { listed = [], noun = "values" }: { readonly listed?: readonly unknown[] | undefined; readonly noun?: string } = {},
): MostFrequent {
  const special = [labels.unknown, labels.none];
  const asked = new Set(listed.map((value) => valueLabel(value)));
  const rest = [...counts.keys()].filter((label) => !asked.has(label) && !special.some((one) => one === label));
  const room = Math.max(most - asked.size, 0);
  if (rest.length <= room) return { kept: new Set([...asked, ...counts.keys()]), others: 0, note: "" };
  const frequent = rest.sort((a, b) => Number(counts.get(b)) - Number(counts.get(a))).slice(0, room);
  const all = rest.length + asked.size;
  const labelCount = asked.size + frequent.length;
  return {
    kept: new Set([...asked, ...frequent, ...special.filter((label) => counts.has(label))]),
    others: all - labelCount,
    note: `; ${asked.size > 0 ? "" : "the "}${labelCount} ${asked.size > 0 ? "" : "most frequent "}of ${formatCount(all)} ${noun}`,
  };
}
