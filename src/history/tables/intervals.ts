import type { ColumnTable } from "arquero";
import type { Column } from "../../columns/column/column.js";
import { toTable } from "../../columns/column/table.js";
import { dateOf } from "../../core/instant.js";
import { cellState, cellValue } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { spansOf } from "../cell/spans.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { computedColumn } from "../columns/computed-column.js";

/** One row a feature and stretch of time in which it held one value. */
export function intervals(data: HistoryData, name: string): ColumnTable {
  const column = chooseColumn(data.names, name);
  const { features, index, log } = data;
  const spans = spansOf(data, column);
  const each = <T>(get: (row: number, decision: number) => T) =>
    computedColumn(spans.length, (span) => get(spans.rows[span] ?? 0, spans.decisions[span] ?? 0));
  return toTable([
    ["id", each((row) => features.base("id").at(row))],
    ["visible_id", each((row) => features.base("visible_id").at(row))],
    ["value", each((row, decision) => cellValue(data, row, column, decision))],
    ["state", each((_, decision) => cellState(index, decision))],
    ["valid_from", times(spans.length, spans.fromUs, dateOf)],
    ["valid_to", times(spans.length, spans.toUs, dateOf)],
    ["change_id", each((_, decision) => (decision < 0 ? null : log.ids.at(index.order[decision] ?? 0)))],
    ["valid_from_us", times(spans.length, spans.fromUs, (us) => us)],
    ["valid_to_us", times(spans.length, spans.toUs, (us) => us)],
  ]);
}

/** Times where there are any: null for an end that is still to come, or a creation that nobody knows. */
function times<T>(length: number, us: Float64Array, show: (us: number) => T): Column<T | null> {
  return computedColumn(length, (span) => {
    const time = us[span] ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(time) ? show(time) : null;
  });
}
