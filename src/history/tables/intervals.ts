import type { ColumnTable } from "arquero";
import { dateOf } from "../../core/instant.js";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import type { BaseField } from "../../tables/read/feature-columns.js";
import { type CellState, cellState, cellValue } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { type Spans, spansOf } from "../cell/spans.js";
import { computedColumn } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";

/** One row a feature and stretch of time in which it held one value. */
export function intervals(data: HistoryData, name: string): ColumnTable {
  const column = chooseColumn(data.names, name);
  const { index, log } = data;
  const spans = spansOf(data, column);
  const decision = (span: number) => spans.decisions[span] as number;
  return intervalsTable(data, spans, {
    value: (span) => cellValue(data, spans.rows[span] as number, column, decision(span)),
    state: (span) => cellState(index, decision(span)),
    changeId: (span) => (decision(span) < 0 ? null : log.ids.at(index.order[decision(span)] as number)),
  });
}

/** What cells say in stretches of time, by their number. */
export interface SaidInSpans {
  value(span: number): unknown;
  state(span: number): CellState;
  /** Id of its first change; null where there is none. */
  changeId(span: number): string | null;
}

/** A row for each stretch of time. */
export function intervalsTable(
  { features }: Pick<HistoryData, "features">,
  { length, rows, fromUs, toUs }: Omit<Spans, "decisions">,
  said: SaidInSpans,
): ColumnTable {
  const ofFeature = (field: BaseField) =>
    computedColumn(length, (span) => features.base(field).at(rows[span] as number));
  return toTable([
    ["id", ofFeature("id")],
    ["visible_id", ofFeature("visible_id")],
    ["value", computedColumn(length, said.value)],
    ["state", computedColumn(length, said.state)],
    ["valid_from", times(length, fromUs, dateOf)],
    ["valid_to", times(length, toUs, dateOf)],
    ["change_id", computedColumn(length, said.changeId)],
    ["valid_from_us", times(length, fromUs, (us) => us)],
    ["valid_to_us", times(length, toUs, (us) => us)],
  ]);
}

/** Times where there are any: null for an end that is still to come, or a creation that nobody knows. */
function times<T>(length: number, us: Float64Array, show: (us: number) => T): Column<T | null> {
  return computedColumn(length, (span) => {
    const time = us[span] ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(time) ? show(time) : null;
  });
}
