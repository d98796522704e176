import { type BaseField, baseFields } from "../columns/feature-columns.js";
import { cellValue } from "./cell-state.js";
import { chooseColumn } from "./choose-columns.js";
import type { DateLocator } from "./date-locator.js";
import { type DateStretches, dateStretches } from "./date-stretches.js";
import type { HistoryData } from "./history-data.js";
import { ValueDictionary } from "./value-dictionary.js";

/** Stretches of dates, each within one group. */
export interface GroupedStretches extends DateStretches {
  /** Index into `values`. */
  readonly groups: Int32Array;
  /** The value that makes each group. */
  readonly values: readonly unknown[];
}

/**
 * Stretches of a column by group: of a base field, of a property as of each date, or one group of all.
 *
 * @throws ArgumentError for a `by` that is neither
 */
export function groupedStretches(
  data: HistoryData,
  column: number,
  by: string | undefined,
  dates: DateLocator,
): GroupedStretches {
  const stretches = dateStretches(data, column, dates);
  if (by === undefined) return { ...stretches, groups: new Int32Array(stretches.length), values: [null] };
  if (isBaseField(by)) return groupByField(data, stretches, by);
  return groupByProperty(data, stretches, chooseColumn(data.names, by), dates);
}

function isBaseField(name: string): name is BaseField {
  return baseFields.some((field) => field === name);
}

function groupByField({ features }: HistoryData, stretches: DateStretches, field: BaseField): GroupedStretches {
  const dictionary = new ValueDictionary();
  const groupOfRow = Int32Array.from(features.base(field), (value) => dictionary.code(value));
  const groups = stretches.rows.map((row) => groupOfRow[row] ?? 0);
  return { ...stretches, groups, values: dictionary.values };
}

/** Cuts stretches where the group changes. Both lists cover the same dates of the same features, in the same order. */
function groupByProperty(
  data: HistoryData,
  stretches: DateStretches,
  column: number,
  dates: DateLocator,
): GroupedStretches {
  const others = dateStretches(data, column, dates);
  const dictionary = new ValueDictionary();
  const capacity = stretches.length + others.length;
  const [rows, from, to, cells] = [
    new Int32Array(capacity),
    new Int32Array(capacity),
    new Int32Array(capacity),
    new Int32Array(capacity),
  ];
  const groups = new Int32Array(capacity);
  let length = 0;
  let [own, other] = [0, 0];
  while (own < stretches.length) {
    const row = stretches.rows[own] ?? 0;
    const [ownEnd, otherEnd] = [stretches.to[own] ?? 0, others.to[other] ?? 0];
    const end = Math.min(ownEnd, otherEnd);
    rows[length] = row;
    from[length] = Math.max(stretches.from[own] ?? 0, others.from[other] ?? 0);
    to[length] = end;
    cells[length] = stretches.cells[own] ?? 0;
    groups[length] = dictionary.code(cellValue(data, row, column, others.cells[other] ?? 0));
    length += 1;
    if (ownEnd === end) own += 1;
    if (otherEnd === end) other += 1;
  }
  return { length, rows, from, to, cells, groups, values: dictionary.values };
}
