import type { ColumnTable } from "arquero";
import { checkOptions, type OptionRules, oneOf, texts } from "../../core/options.js";
import { leadingFields, trailingFields } from "../../layer/layer-data.js";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import type { BaseField } from "../../tables/read/feature-columns.js";
import type { HistoryData } from "../cell/history-data.js";
import { rowsAt } from "../cell/present-rows.js";
import { valuesAt } from "../cell/values-at.js";
import { BlockColumn, declaredValues, pickedColumn } from "../columns/block-column.js";
import { chooseColumns } from "../columns/choose-columns.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";

/** Options of `history.asOf()`. */
export interface AsOfOptions {
  /** Property columns to give; all if absent. Base columns always come. */
  readonly columns?: readonly string[];
  /** What stands where changes exist but all are later: null (default), or the first later value. */
  readonly unknown?: "null" | "backfill";
  /** Whether features that did not exist yet are left out (default) or kept, with null properties. */
  readonly absent?: "drop" | "keep";
}

/** What it takes. */
export const asOfRules: OptionRules<AsOfOptions> = {
  columns: texts,
  unknown: oneOf("null", "backfill"),
  absent: oneOf("drop", "keep"),
};

/** One row a feature, the layer's columns, property values as of a time. */
export function asOf(data: HistoryData, point: TimePoint, options: AsOfOptions = {}): ColumnTable {
  checkOptions("asOf()", options, asOfRules);
  const us = resolveTimePoint(point, data.timeZone);
  const columns = chooseColumns(data.names, options.columns);
  const backfill = options.unknown === "backfill";
  const rows = rowsAt(data, us, options.absent);
  return asOfTable(data, columns, rows, (column) => {
    return new BlockColumn(rows.length, valuesAt(data, column, rows, us, backfill));
  });
}

/**
 * The layer's columns with other values of properties.
 *
 * @param columns places of the property columns
 * @param rows of the features
 * @param valuesOf the values of a column, in the order of the rows
 */
export function asOfTable(
  { features, names, columns: properties }: Pick<HistoryData, "features" | "names" | "columns">,
  columns: readonly number[],
  rows: Int32Array,
  valuesOf: (column: number) => Column<unknown>,
): ColumnTable {
  const base = (field: BaseField) => {
    const values = features.base(field);
    return [field, rows.length === features.count ? values : pickedColumn(values, rows)] as const;
  };
  const property = (column: number) => {
    return [names[column] as string, declaredValues(properties[column], valuesOf(column))] as const;
  };
  return toTable([...leadingFields.map(base), ...columns.map(property), ...trailingFields.map(base)]);
}
