import type { ColumnTable } from "arquero";
import type { BaseField } from "../columns/feature-columns.js";
import { toTable } from "../columns/table.js";
import { baseColumn } from "../layer/build-layer.js";
import { leadingFields, trailingFields } from "../layer/layer-data.js";
import { cellAt, firstValue, isAbsent } from "./cell-state.js";
import { chooseColumns } from "./choose-columns.js";
import type { HistoryData } from "./history-data.js";
import { resolveTimePoint, type TimePoint } from "./valid-time.js";

/** Options of `history.asOf()`. */
export interface AsOfOptions {
  /** Property columns to give; all if absent. Base columns always come. */
  readonly columns?: readonly string[];
  /** What stands where changes exist but all are later: null (default), or the first later value. */
  readonly unknown?: "null" | "backfill";
  /** Whether features that did not exist yet are left out (default) or kept, with null properties. */
  readonly absent?: "drop" | "keep";
}

/** One row a feature, the layer's columns, property values as of a time. */
export function asOf(data: HistoryData, point: TimePoint, options: AsOfOptions = {}): ColumnTable {
  const us = resolveTimePoint(point, data.timeZone);
  const names = data.columns.map(({ column }) => column);
  const columns = chooseColumns(names, options.columns);
  const rows = presentRows(data, us, options.absent === "keep");
  const base = (field: BaseField) => {
    const values = baseColumn(data.input.features, field);
    return [field, rows.map((row) => values.at(row))] as const;
  };
  const property = (column: number) => [names[column] ?? "", rows.map((row) => value(row, column))] as const;
  const value = (row: number, column: number) => {
    if (isAbsent(data, row, us)) return null;
    const cell = cellAt(data, row, column, us);
    return cell.state === "unknown" && options.unknown === "backfill" ? firstValue(data, row, column) : cell.value;
  };
  return toTable([...leadingFields.map(base), ...columns.map(property), ...trailingFields.map(base)]);
}

/** Rows of the features that exist at a time; all of them if the absent are kept. */
export function presentRows(data: HistoryData, us: number, keepAbsent: boolean): readonly number[] {
  const rows = Array.from({ length: data.input.features.rowCount }, (_, row) => row);
  return keepAbsent ? rows : rows.filter((row) => !isAbsent(data, row, us));
}
