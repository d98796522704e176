import type { ColumnTable } from "arquero";
import { binarySearch } from "../../core/binary-search.js";
import type { OptionRules } from "../../core/options.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import type { HistoryData } from "../cell/history-data.js";
import { type CalendarOption, calendarRule, givenCalendar, type TimeUnit, toldUnits } from "../time/time-unit.js";
import { specify } from "./define/specification.js";
import { changesPerFeature, type Question, type QuestionData, queryInBatches } from "./engine/query-in-batches.js";
import {
  changeAt,
  changeIdColumn,
  featureColumns,
  inserted,
  instantColumn,
  type ListedColumn,
  listedStatement,
  listedTable,
  nameColumn,
  valueColumn,
} from "./rows/listed-columns.js";
import { insertedShape, type ListedRows, readInserted, rowsSelect } from "./rows/read-rows.js";
import { changeCtes } from "./sql/cte/change-ctes.js";
import { columnCtes, featureCte } from "./sql/cte/feature-ctes.js";
import { sqlLengths } from "./sql/cte/working-ctes.js";
import { allColumns, type Scope, statement } from "./sql/statement-scope.js";

/** A row of `history.lateEdits()`. */
export interface LateEditRow {
  /** Id of the change. */
  readonly change_id: string;
  /** Id of the feature. */
  readonly id: number;
  /** Column of the property. */
  readonly column: string;
  /** The new value. */
  readonly value: CellValue;
  /** When the change was made. */
  readonly created_at: Date;
  /** When the newer change was made. */
  readonly overtaken_created_at: Date;
  /** How much older than the newer change it is, in days of 24 hours, with `calendar` in working days. */
  readonly late_by_days: number;
  /** With `calendar`, the same in working hours. */
  readonly late_by_hours?: number;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the edits that were superseded on arrival: when they were inserted, a newer change of the same feature
     * and property had already been recorded. Columns: `change_id`, `id`, `column`, `value`, `created_at`,
     * `overtaken_created_at` (of the newer change), `late_by_days` (the difference).
     *
     * A change recorded weeks after it was made is not listed if no newer change had been recorded before it;
     * `lateEntries()` lists such changes. With `calendar`, `late_by_days` are working days, and working `late_by_hours`
     * follow.
     *
     * @example
     * ```ts
     * history.lateEdits().select("id", "column", "value", "created_at", "late_by_days")
     * ```
     */
    lateEdits(options?: CalendarOption): RowTable<LateEditRow>;
  }
}

const lateEditRules: OptionRules<CalendarOption> = { calendar: calendarRule };

export const lateEditsSpecification = specify({
  summary: "Late edits: changes that were already superseded when they were inserted.",
  takes: [],
  options: lateEditRules,
  memory: (data, options: CalendarOption = {}) => ({ table: lateEdits(data, options) }),
  engine: lateEditsQuestion,
});

/**
 * Changes that were older than a recorded change of their feature and property when they were inserted, in order of
 * insertion.
 */
export function lateEdits(data: HistoryData, options: CalendarOption = {}): ColumnTable {
  const late = lateChanges(data);
  const at = (row: number) => late[row] as LateChange;
  return listedTable(data, lateColumns(toldUnits(givenCalendar(options))), {
    length: late.length,
    ...changeAt(data, (row) => at(row).change),
    overtaken_us: (row) => data.log.timesUs[at(row).overtaken] as number,
  });
}

/** A late edit, and the time of the newest change that was known when it was inserted. */
const lateShape = { ...insertedShape, overtaken_us: "number" } as const;

function lateColumns(units: readonly TimeUnit[]): readonly ListedColumn<ListedRows<typeof lateShape>>[] {
  return [
    changeIdColumn,
    ...featureColumns.filter(({ name }) => name === "id"),
    nameColumn,
    valueColumn("value", "v", "text"),
    instantColumn("created_at", "us"),
    instantColumn("overtaken_created_at", "overtaken_us"),
    ...units.map(
      ({ name, whole, length }): ListedColumn<ListedRows<typeof lateShape>> => ({
        name: `late_by_${name}`,
        at: (rows) => (row) => length(rows.us(row), rows.overtaken_us(row)) / whole,
        sql: ({ double }) => `${double(`late_${name}`)} / ${whole}`,
      }),
    ),
  ];
}

/** A change that was not the newest of its feature and property when it was inserted. */
interface LateChange {
  /** Index in the log. */
  readonly change: number;
  /** Index of the newest change at that time. */
  readonly overtaken: number;
}

/** The late changes of a history's columns, in order of insertion. */
export function lateChanges(data: HistoryData): readonly LateChange[] {
  const { index, columns, features } = data;
  const late: LateChange[] = [];
  columns.forEach(({ keys }, column) => {
    for (let row = 0; row < features.count; row += 1) {
      const cell = index.cell(row, column);
      const order = index.order.subarray(index.start(cell), index.end(cell));
      if (order.length < 2 || isAscending(order)) continue;
      const edits = keys.length === 1 ? lateOf(order) : eachKey(data, order).flatMap(lateOf);
      for (const change of edits) late.push(change);
    }
  });
  return late.sort((a, b) => a.change - b.change);
}

function isAscending(order: Int32Array): boolean {
  for (let index = 1; index < order.length; index += 1) {
    if ((order[index - 1] as number) > (order[index] as number)) return false;
  }
  return true;
}

/** @param order indices of one property's changes, in valid order */
function lateOf(order: Int32Array): LateChange[] {
  const late: LateChange[] = [];
  // From the end, the changes that were inserted before all that follow them: ever lower indices.
  const lows: number[] = [];
  for (let index = order.length - 1; index >= 0; index -= 1) {
    const change = order[index] as number;
    if ((lows.at(-1) ?? Number.POSITIVE_INFINITY) < change) late.push({ change, overtaken: firstBelow(lows, change) });
    else lows.push(change);
  }
  return late;
}

/** The first of descending indices that is below another; the last one is. */
function firstBelow(descending: readonly number[], position: number): number {
  return descending[binarySearch(descending.length, (index) => (descending[index] as number) >= position)] as number;
}

function eachKey({ log }: HistoryData, order: Int32Array): Int32Array[] {
  const keys = new Set(Array.from(order, (change) => log.keyCodes[change]));
  return [...keys].map((key) => order.filter((change) => log.keyCodes[change] === key));
}

/** Changes that were not the newest of their feature and property when they were inserted. */
export function lateEditsQuestion(data: QuestionData, options: CalendarOption): Question<ColumnTable> {
  const cellsPerFeature = changesPerFeature(data);
  const working = givenCalendar(options);
  const columns = lateColumns(toldUnits(working));
  const rows = (scope: Scope) =>
    statement(lateMembers(scope), `SELECT ${rowsSelect(scope.dialect, lateShape)} FROM late ORDER BY id`);
  const stored = (scope: Scope) => {
    const lengths = sqlLengths(data, scope.dialect, working, { from: "us", to: "overtaken_us" });
    const late = lengths.columns.map(({ name, sql }) => `, ${sql} AS late_${name}`).join("");
    const members = [
      ...lateMembers(scope),
      ...columnCtes(scope, "named"),
      ...lengths.members,
      `timed AS (SELECT late.*, name${late} FROM late JOIN cols ON named = col${lengths.joins})`,
    ];
    return listedStatement(scope, members, columns, "FROM timed ORDER BY change_id");
  };
  return {
    // Both times are loaded, and the difference is computed here.
    table: async (signal) =>
      listedTable(
        data,
        columns,
        await readInserted(data, lateShape, queryInBatches(data, cellsPerFeature, rows, signal)),
      ),
    statement: stored,
    sortedParts: { cellsPerFeature, statement: (scope) => ({ sql: stored(scope), afterwards: [inserted] }) },
    cellsPerFeature,
  };
}

/** Number of late edits. */
export function lateCount(scope: Scope): string {
  return statement(lateMembers(scope), `SELECT ${scope.dialect.double("count(*)")} AS n FROM late`);
}

/** `late`: inserted after a change of the same feature and property that was made later. */
function lateMembers(scope: Scope): string[] {
  return [
    featureCte(scope),
    ...changeCtes(scope, allColumns(scope), { extra: ["c.property_key AS k"] }),
    `passed AS (SELECT f, id, us, col, v, max(us) OVER (PARTITION BY f, k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS overtaken_us
  FROM changes WHERE us IS NOT NULL)`,
    `late AS (SELECT passed.f, id, us, col, v, overtaken_us FROM passed JOIN feat ON feat.f = passed.f WHERE overtaken_us > us)`,
  ];
}
