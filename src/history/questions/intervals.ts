import type { ColumnTable } from "arquero";
import { dateOf } from "../../core/instant.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { type Column, computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import type { BaseField } from "../../tables/read/feature-columns.js";
import { declareType } from "../../tables/types/declared-type.js";
import { type Intervals, intervalsOf } from "../cell/cell-intervals.js";
import { type CellState, cellState, cellValue } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { LocalClock } from "../time/local-clock.js";
import { GrowingUuids, SaidValues } from "./answer-rows.js";
import { askInParts, type Question, type QuestionData, requireColumns, rowOfFeature } from "./ask.js";
import { specify } from "./specification.js";
import { BEGINNING_US, shownValue, stateOf, unmarked, type ValueKind } from "./sql/cell-values.js";
import { presenceCtes, presentCells } from "./sql/cte/feature-ctes.js";
import {
  intervalCtes,
  intervalTimes,
  namedIntervalCtes,
  SAID,
  storedIntervals,
  visibleId,
} from "./sql/cte/interval-ctes.js";
import { usLiteral } from "./sql/dialect/literals.js";
import { localDate } from "./sql/local-date.js";
import { type Scope, statement } from "./sql/scope.js";

/** A row of `history.intervals()`. */
export interface IntervalRow {
  /** Id of the feature. */
  readonly id: number;
  /** Its identifier for people. */
  readonly visible_id: string;
  /** What it held. */
  readonly value: CellValue;
  /** How the value is known. */
  readonly state: CellState;
  /** Since when; null if unknown. */
  readonly valid_from: CellValue;
  /** Until when, excluded; null while it holds. */
  readonly valid_to: CellValue;
  /** The change that set it; null where none did. */
  readonly change_id: CellValue;
  /** `valid_from` in microseconds since 1970. */
  readonly valid_from_us: CellValue;
  /** `valid_to` in microseconds since 1970. */
  readonly valid_to_us: CellValue;
  /** The calendar date of `valid_from` in the time zone of the history: `2025-06-30`. */
  readonly local_date: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * When each feature held which value: `id`, `visible_id`, `value`, `state`, `valid_from`, `valid_to` (excluded;
     * null while it holds), `change_id`, `valid_from_us`, `valid_to_us`, `local_date` (the calendar date of `valid_from` in the
     * history's time zone). Consecutive equal values are one interval.
     *
     * @param column name of a property column
     * @throws ArgumentError
     */
    intervals(column: string): RowTable<IntervalRow>;
  }
}

export const intervalsSpecification = specify({
  summary:
    "When each feature held which value of a column: value, state, valid_from, valid_to (excluded; null while it holds).",
  takes: ["column"],
  options: {},
  memory: (data, column: string) => ({ table: intervals(data, column) }),
  engine: intervalsQuestion,
});

/** One row a feature and stretch of time in which it held one value. */
export function intervals(data: HistoryData, name: string): ColumnTable {
  const column = chooseColumn(data.names, name);
  const { index, log } = data;
  const spans = intervalsOf(data, column);
  const decision = (span: number) => spans.decisions[span] as number;
  return intervalsTable(data, spans, {
    value: (span) => cellValue(data, spans.rows[span] as number, column, decision(span)),
    state: (span) => cellState(index, decision(span)),
    changeId: (span) => (decision(span) < 0 ? null : log.ids.at(index.order[decision(span)] as number)),
  });
}

/** What cells say in stretches of time, by their number. */
interface IntervalContents {
  value(span: number): unknown;
  state(span: number): CellState;
  /** Id of its first change; null where there is none. */
  changeId(span: number): string | null;
}

/** A row for each stretch of time. */
function intervalsTable(
  { features, timeZone }: Pick<HistoryData, "features" | "timeZone">,
  { length, rows, fromUs, toUs }: Omit<Intervals, "decisions">,
  said: IntervalContents,
): ColumnTable {
  const ofFeature = (field: BaseField) =>
    computedColumn(length, (span) => features.base(field).at(rows[span] as number));
  const clock = new LocalClock(timeZone);
  const localDates = times(length, fromUs, (us) => clock.date(us));
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
    ["local_date", declareType(localDates, { of: "table", type: "date" })],
  ]);
}

/** Times where there are any: null for an end that is still to come, or a creation that nobody knows. */
function times<T>(length: number, us: Float64Array, show: (us: number) => T): Column<T | null> {
  return computedColumn(length, (span) => {
    const time = us[span] ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(time) ? show(time) : null;
  });
}

/** Changes of a feature in a column, about. */
const CELLS = 4;

/** When each feature held which value. */
export function intervalsQuestion(data: QuestionData, name: string): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  return {
    table: (signal) => table(data, column, signal),
    statement: async (scope, kinds) => intervalsStatement(scope, (await kinds([column]))[column], column, data),
    cellsPerFeature: CELLS,
  };
}

async function table(data: QuestionData, column: number, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const said = new SaidValues();
  const rows = new GrowingArray(Int32Array);
  const fromUs = new GrowingArray(Float64Array);
  const toUs = new GrowingArray(Float64Array);
  const ids = new GrowingUuids();
  let [feature, row] = [Number.NaN, 0];
  for await (const { rowCount, columns } of askInParts(data, CELLS, (scope) => intervalRows(scope, column), signal)) {
    const [features, values, froms, tos, changeIds] = requireColumns(columns, 5);
    ids.pushAll(changeIds, rowCount);
    for (let index = 0; index < rowCount; index += 1) {
      const [next, from] = [Number(features[index]), Number(froms[index])];
      // Stretches of a feature stand together.
      if (next !== feature) row = rowOfFeature(data, next);
      feature = next;
      rows.push(row);
      said.push(values[index]);
      fromUs.push(from === BEGINNING_US ? Number.NEGATIVE_INFINITY : from);
      toUs.push(Number(tos[index] ?? Number.POSITIVE_INFINITY));
    }
  }
  const [rowOf, changeIds] = [rows.filled(), ids.filled()];
  const spans = { length: rows.length, rows: rowOf, fromUs: fromUs.filled(), toUs: toUs.filled() };
  const saidAt = said.done((span) => data.columns[column]?.values.at(rowOf[span] as number));
  return intervalsTable(data, spans, {
    ...saidAt,
    changeId: (span) => (saidAt.isChange(span) ? changeIds.at(span) : null),
  });
}

/** The stretches of time of a column: `f`, `v` (JSON text, or a mark), `from_us`, `to_us`, `id`; in order. */
function intervalRows(scope: Scope, column: number): string {
  const { double } = scope.dialect;
  return statement(
    [...presenceCtes(scope), ...intervalCtes(scope, column)],
    `SELECT ${double("f")} AS feature, v, ${double("from_us")} AS from_time, ${double("to_us")} AS to_time, id
FROM spans ORDER BY f, from_us`,
  );
}

/** When each feature held which value, complete by itself. */
function intervalsStatement(scope: Scope, kind: ValueKind | undefined, column: number, data: QuestionData): string {
  const { dialect } = scope;
  const knownFromUs = `nullif(from_us, ${usLiteral(BEGINNING_US)})`;
  return statement(
    storedIntervals(scope, column),
    `SELECT f AS id, visible_id, ${shownValue(dialect, kind, SAID)} AS value, ${stateOf("v")} AS state,
  ${intervalTimes(dialect)}, ${localDate(dialect, knownFromUs, data)} AS local_date
FROM spans ORDER BY f, from_us`,
  );
}

/** When each feature held which value in which column, complete by itself. */
export function allIntervalsStatement(scope: Scope): string {
  const { dialect } = scope;
  const now = presentCells(scope);
  return statement(
    [
      ...now.members,
      ...presenceCtes(scope, [visibleId, ...now.carried], now.joins),
      ...namedIntervalCtes(scope, ["visible_id"], now.of("cols.col")),
      `said AS (SELECT *, ${unmarked("v")} AS said FROM spans)`,
    ],
    `SELECT f AS id, visible_id, name AS ${dialect.identifier("column")}, ${shownValue(dialect, "text", "said")} AS ${dialect.identifier("value")},
  ${stateOf("v")} AS state, ${intervalTimes(dialect)}
FROM said ORDER BY f, col, from_us`,
  );
}
