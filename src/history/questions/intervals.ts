import type { ColumnTable } from "arquero";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import type { CellState } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { specify } from "./define/specification.js";
import { type Question, type QuestionData, queryInBatches } from "./engine/query-in-batches.js";
import {
  changeAt,
  decodedBy,
  decodedColumn,
  featureColumns,
  instantColumn,
  knownTime,
  type ListedColumn,
  listedStatement,
  listedTable,
  localDateColumn,
  nameColumn,
  setByColumn,
  stateColumn,
  usColumn,
} from "./rows/listed-columns.js";
import { type ListedRows, readRows, rowsSelect } from "./rows/read-rows.js";
import { unmarked, type ValueKind } from "./sql/cell-values.js";
import { presenceCtes, presentCells } from "./sql/cte/feature-ctes.js";
import { CURRENT_VALUE, intervalCtes, namedIntervalCtes, storedIntervals, visibleId } from "./sql/cte/interval-ctes.js";
import { localDate } from "./sql/local-date.js";
import { type Scope, statement } from "./sql/statement-scope.js";

/** A row of `history.intervals()`. */
export interface IntervalRow {
  /** Id of the feature. */
  readonly id: number;
  /** Identifier of the feature that users see. */
  readonly visible_id: string;
  /** The value. */
  readonly value: CellValue;
  /** How the value is known. */
  readonly state: CellState;
  /** Start; null if unknown. */
  readonly valid_from: CellValue;
  /** End, excluded; null while it holds. */
  readonly valid_to: CellValue;
  /** Id of the change that set it; null if no change did. */
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
     * Returns the intervals in which each feature had a value: `id`, `visible_id`, `value`, `state`, `valid_from`,
     * `valid_to` (excluded; null while it holds), `change_id`, `valid_from_us`, `valid_to_us`, `local_date` (the
     * calendar date of `valid_from` in the history's time zone). Consecutive equal values are one interval.
     *
     * @param column name of a property column
     * @example
     * ```ts
     * history.intervals("STATUS").select("visible_id", "value", "valid_from", "valid_to")
     * ```
     * @throws ArgumentError
     */
    intervals(column: string): RowTable<IntervalRow>;
  }
}

export const intervalsSpecification = specify({
  summary:
    "Intervals of each value of a column by feature: value, state, valid_from, valid_to (exclusive; null while it holds).",
  takes: ["column"],
  options: {},
  memory: (data, column: string) => ({ table: intervals(data, column) }),
  engine: intervalsQuestion,
});

/** One row for each feature and interval of one value. */
export function intervals(data: HistoryData, name: string): ColumnTable {
  const column = chooseColumn(data.names, name);
  const { length, rows, decisions, fromUs, toUs } = intervalsOf(data, column);
  const [row, decision] = [
    (interval: number) => rows[interval] as number,
    (interval: number) => decisions[interval] as number,
  ];
  return listedTable(data, allColumns(), {
    length,
    ...changeAt(data, (interval) => data.index.order[decision(interval)] as number),
    f: row,
    v: decodedBy(data, { row, column, decision }),
    from_us: (interval) => fromUs[interval] as number,
    to_us: (interval) => toUs[interval] as number,
  });
}

/** The content of a cell in an interval, and the change that began it. */
const intervalShape = { f: "feature", v: "cell", from_us: "number", to_us: "number", id: "uuid" } as const;

/**
 * @param kind kind of the values in the column
 * @param valueSql JSON text of a stored value
 */
function intervalColumns(
  kind?: ValueKind,
  valueSql = CURRENT_VALUE,
): readonly ListedColumn<ListedRows<typeof intervalShape>>[] {
  return [
    decodedColumn("value", "v", kind, valueSql),
    stateColumn("state", "v"),
    instantColumn("valid_from", "from_us"),
    instantColumn("valid_to", "to_us"),
    setByColumn,
    usColumn("valid_from_us", "from_us"),
    usColumn("valid_to_us", "to_us"),
  ];
}

const allColumns = (kind?: ValueKind) => [...featureColumns, ...intervalColumns(kind), localDateColumn("from_us")];

/** Approximate number of changes of a feature in a column. */
const CELLS = 4;

/** The question for the intervals of each feature's values. */
export function intervalsQuestion(data: QuestionData, name: string): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const rows = (scope: Scope) =>
    statement(
      [...presenceCtes(scope), ...intervalCtes(scope, column)],
      `SELECT ${rowsSelect(scope.dialect, intervalShape)} FROM intervals ORDER BY f, from_us`,
    );
  return {
    table: async (signal) => {
      const read = await readRows(data, intervalShape, queryInBatches(data, CELLS, rows, signal), column);
      return listedTable(data, allColumns(), read);
    },
    statement: async (scope, kinds) => {
      const date = localDate(scope.dialect, knownTime("from_us"), data);
      const members = [...storedIntervals(scope, column), `dated AS (SELECT *, ${date} AS local_date FROM intervals)`];
      return listedStatement(
        scope,
        members,
        allColumns((await kinds([column]))[column]),
        "FROM dated ORDER BY f, from_us",
      );
    },
    cellsPerFeature: CELLS,
  };
}

/** The self-contained statement for the intervals of the values of all columns. */
export function allIntervalsStatement(scope: Scope): string {
  const now = presentCells(scope);
  const members = [
    ...now.members,
    ...presenceCtes(scope, [visibleId, ...now.carried], now.joins),
    ...namedIntervalCtes(scope, ["visible_id"], now.of("cols.col")),
    `shown AS (SELECT *, ${unmarked("v")} AS shown FROM intervals)`,
  ];
  const columns = [...featureColumns, nameColumn, ...intervalColumns("text", "shown")];
  return listedStatement(scope, members, columns, "FROM shown ORDER BY f, col, from_us");
}
