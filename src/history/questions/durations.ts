import type { ColumnTable } from "arquero";
import { anything, type OptionRules } from "../../core/options.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import type { CellState } from "../cell/cell-state.js";
import { censoringTime } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { type CalendarOption, calendarRule, givenCalendar, type TimeUnit, toldUnits } from "../time/time-unit.js";
import type { TimeLimit, TimePoint } from "../time/valid-time.js";
import { specify } from "./define/specification.js";
import { type Question, type QuestionData, queryInBatches } from "./engine/query-in-batches.js";
import {
  decodedBy,
  decodedColumn,
  featureColumns,
  type ListedColumn,
  lengthColumns,
  listedStatement,
  listedTable,
  sameColumn,
  stateColumn,
} from "./rows/listed-columns.js";
import { type ListedRows, readRows, rowsSelect } from "./rows/read-rows.js";
import { BEGINNING_US, type ValueKind } from "./sql/cell-values.js";
import { presenceCtes } from "./sql/cte/feature-ctes.js";
import { CURRENT_VALUE, intervalCtes, storedIntervals } from "./sql/cte/interval-ctes.js";
import { sqlLengths } from "./sql/cte/working-ctes.js";
import { usLiteral } from "./sql/dialect/literals.js";
import { type Scope, statement } from "./sql/statement-scope.js";

/** Options of `history.durations()`. */
export interface DurationOptions extends CalendarOption {
  /**
   * Time at which open intervals are cut. Default: `until` of the history. A change at this very instant is included,
   * as in `asOf`. A calendar date counts to its end.
   */
  readonly until?: TimePoint;
}

/** Rules for the options. */
const durationRules: OptionRules<DurationOptions> = {
  until: anything,
  calendar: calendarRule,
};

interface HeldValue {
  readonly row: number;
  readonly decision: number;
  /** In each returned unit. */
  readonly lengths: number[];
  intervals: number;
}

/** A row of `history.durations()`. */
export interface DurationRow {
  /** Id of the feature. */
  readonly id: number;
  /** Identifier of the feature that users see. */
  readonly visible_id: string;
  /** The value. */
  readonly value: CellValue;
  /** How the value is known. */
  readonly state: CellState;
  /** Duration in days of 24 hours, with `calendar` in working days; null if the start is unknown. */
  readonly days: CellValue;
  /** With `calendar`, the same in working hours. */
  readonly hours?: CellValue;
  /** Number of times the feature took the value. */
  readonly intervals: number;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns how long each feature had each value: `id`, `visible_id`, `value`, `state`, `days` (of 24 hours),
     * `intervals`. With `calendar`, `days` are working days, and working `hours` follow. Durations are null if the start
     * of the value is unknown.
     *
     * @param column name of a property column
     * @example
     * ```ts
     * history.durations("STATUS", { until: "2025-12-31" }).select("visible_id", "value", "days", "intervals")
     * ```
     * @throws ArgumentError
     */
    durations(column: string, options?: DurationOptions): RowTable<DurationRow>;
  }
}

export const durationsSpecification = specify({
  summary: "Days that each feature held each value of a column, and number of times.",
  takes: ["column"],
  options: durationRules,
  time: (_: string, options?: DurationOptions) => options?.until,
  memory: (data, column: string, options: DurationOptions = {}) => ({ table: durations(data, column, options) }),
  engine: durationsQuestion,
});

/** How long each feature had each value, over all intervals. */
export function durations(data: HistoryData, name: string, options: DurationOptions = {}): ColumnTable {
  const column = chooseColumn(data.names, name);
  const units = toldUnits(givenCalendar(options));
  const heldValues = heldUntil(data, column, censoringTime(data, options), units);
  const at = (index: number) => heldValues[index] as HeldValue;
  return listedTable(data, durationColumns(units), {
    length: heldValues.length,
    f: (index) => at(index).row,
    v: decodedBy(data, { row: (index) => at(index).row, column, decision: (index) => at(index).decision }),
    intervals: (index) => at(index).intervals,
    held: (index, unit) => at(index).lengths[unit] as number,
  });
}

/** How long a feature had a value, and how often. */
const durationShape = (units: readonly TimeUnit[]) =>
  ({ f: "feature", v: "cell", intervals: "number", held: units }) as const;

/** @param kind kind of the values in the column */
function durationColumns(
  units: readonly TimeUnit[],
  kind?: ValueKind,
): ListedColumn<ListedRows<ReturnType<typeof durationShape>>>[] {
  return [
    ...featureColumns,
    decodedColumn("value", "v", kind, CURRENT_VALUE),
    stateColumn("state", "v"),
    ...lengthColumns(units),
    sameColumn("intervals", "intervals"),
  ];
}

function heldUntil(
  data: HistoryData,
  column: number,
  { lastUs, endUs }: TimeLimit,
  units: readonly TimeUnit[],
): readonly HeldValue[] {
  const intervals = intervalsOf(data, column);
  const heldValues: HeldValue[] = [];
  let ofFeature = new Map<number, HeldValue>();
  for (let interval = 0; interval < intervals.length; interval += 1) {
    const row = intervals.rows[interval] as number;
    const decision = intervals.decisions[interval] as number;
    const from = intervals.fromUs[interval] as number;
    if (from > lastUs) continue;
    if (heldValues.at(-1)?.row !== row) ofFeature = new Map();
    const key = decision < 0 ? decision : (data.index.valueCodes[decision] as number);
    let heldValue = ofFeature.get(key);
    if (!heldValue) {
      heldValue = { row, decision, lengths: units.map(() => 0), intervals: 0 };
      ofFeature.set(key, heldValue);
      heldValues.push(heldValue);
    }
    const to = Math.min(intervals.toUs[interval] ?? endUs, endUs);
    for (const [index, unit] of units.entries()) (heldValue.lengths[index] as number) += unit.length(from, to);
    heldValue.intervals += 1;
  }
  return heldValues;
}

/** Approximate number of changes of a feature in a column. */
const CELLS = 4;

/** The question for how long each feature had each value. */
export function durationsQuestion(data: QuestionData, name: string, options: DurationOptions): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const { lastUs, endUs } = censoringTime(data, options);
  const working = givenCalendar(options);
  const units = toldUnits(working);
  const shape = durationShape(units);
  /** `held_values`: how long each feature had each value; null if the start is unknown. */
  const heldValues = (scope: Scope, intervals: readonly string[], along: string) => {
    const ends = { from: "from_us", to: cutAt(endUs), untilUs: endUs };
    const { members, joins, columns } = sqlLengths(data, scope.dialect, working, ends);
    const isKnown = `min(from_us) <> ${usLiteral(BEGINNING_US)}`;
    const sums = columns
      .map((length) => `, CASE WHEN ${isKnown} THEN sum(${length.sql}) END AS held_${length.name}`)
      .join("");
    return [
      ...intervals,
      ...members,
      // DuckDB does not resolve expressions over grouped columns.
      `held_values AS (SELECT f, v${along}, min(from_us) AS first_us${sums}, count(*) AS intervals
  FROM intervals${joins} WHERE from_us <= ${usLiteral(lastUs)} GROUP BY f, v${along})`,
    ];
  };
  const from = "FROM held_values ORDER BY f, first_us";
  const rows = (scope: Scope) => {
    const members = heldValues(scope, [...presenceCtes(scope), ...intervalCtes(scope, column)], "");
    return statement(members, `SELECT ${rowsSelect(scope.dialect, shape)} ${from}`);
  };
  return {
    table: async (signal) => {
      const read = await readRows(data, shape, queryInBatches(data, CELLS, rows, signal), column);
      return listedTable(data, durationColumns(units), read);
    },
    statement: async (scope, kinds) => {
      const kind = (await kinds([column]))[column];
      const members = heldValues(scope, storedIntervals(scope, column), ", visible_id, now0");
      return listedStatement(scope, members, durationColumns(units, kind), from);
    },
    cellsPerFeature: CELLS,
  };
}

/** The end of an interval, or the time at which it is cut. */
function cutAt(endUs: number): string {
  const end = usLiteral(endUs);
  return `CASE WHEN to_us IS NULL OR to_us > ${end} THEN ${end} ELSE to_us END`;
}
