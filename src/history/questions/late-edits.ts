import type { ColumnTable } from "arquero";
import { firstIndex } from "../../core/first-index.js";
import { dateOf } from "../../core/instant.js";
import type { OptionRules } from "../../core/options.js";
import { computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { type CalendarOption, calendarRule, givenCalendar, type TimeUnit, toldUnits } from "../time/time-unit.js";
import { changesPerFeature } from "./answer-rows.js";
import { askInParts, type Question, type QuestionData } from "./ask.js";
import { type ListedChanges, loggedChanges, toldChanges } from "./listed-changes.js";
import { specify } from "./specification.js";
import { shownValue } from "./sql/cell-values.js";
import { changeCtes } from "./sql/cte/change-ctes.js";
import { columnCtes, featureCte } from "./sql/cte/feature-ctes.js";
import { type SqlLengths, sqlLengths } from "./sql/cte/working-ctes.js";
import { type PartStatement, type Scope, statement } from "./sql/scope.js";

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
  /** When the newer one was made. */
  readonly overtaken_created_at: Date;
  /** How much older it is, in days of 24 hours, with a `calendar` in working days. */
  readonly late_by_days: number;
  /** With a `calendar`: the same in working hours. */
  readonly late_by_hours?: number;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Changes that a newer one had overtaken: they were not the newest of their feature and property when they were
     * inserted. `change_id`, `id`, `column`, `value`, `created_at`, `overtaken_created_at` (of the newer one),
     * `late_by_days` (how much older than it they are). It answers "which edit was overtaken". "What came in late" is
     * `lateEntries()`: a change that comes in weeks later is not among these if nothing newer had come in before it. With a
     * `calendar`, `late_by_days` are working days, and working `late_by_hours` stand behind them.
     */
    lateEdits(options?: CalendarOption): RowTable<LateEditRow>;
  }
}

const lateEditRules: OptionRules<CalendarOption> = { calendar: calendarRule };

export const lateEditsSpecification = specify({
  summary: "Changes that a newer one had overtaken when they were inserted.",
  takes: [],
  options: lateEditRules,
  memory: (data, options: CalendarOption = {}) => ({ table: lateEdits(data, options) }),
  engine: lateEditsQuestion,
});

/** Changes that a newer one of their feature and property had overtaken when they were inserted, in order of insertion. */
export function lateEdits(data: HistoryData, options: CalendarOption = {}): ColumnTable {
  const late = lateChanges(data);
  const changes = loggedChanges(
    data,
    late.map(({ change }) => change),
  );
  const overtakenUs = (edit: number) => data.log.timesUs[(late[edit] as LateChange).overtaken] as number;
  return lateEditsTable(data, toldUnits(givenCalendar(options)), changes, overtakenUs);
}

/**
 * A row for each late edit.
 *
 * @param overtakenUs when the newest change was made that was known when it was inserted
 */
function lateEditsTable(
  { features, names }: Pick<HistoryData, "features" | "names">,
  units: readonly TimeUnit[],
  late: ListedChanges,
  overtakenUs: (edit: number) => number,
): ColumnTable {
  const each = <T>(get: (edit: number) => T) => computedColumn(late.length, get);
  return toTable([
    ["change_id", each((edit) => late.changeId(edit))],
    ["id", each((edit) => features.base("id").at(late.row(edit)))],
    ["column", each((edit) => names[late.column(edit)])],
    ["value", each((edit) => late.value(edit))],
    ["created_at", each((edit) => dateOf(late.us(edit)))],
    ["overtaken_created_at", each((edit) => dateOf(overtakenUs(edit)))],
    ...units.map(
      ({ name, whole, length }) =>
        [`late_by_${name}`, each((edit) => length(late.us(edit), overtakenUs(edit)) / whole)] as const,
    ),
  ]);
}

/** A change that was not the newest of its feature and property when it was inserted. */
interface LateChange {
  /** Position in the log. */
  readonly change: number;
  /** Position of the change that was the newest then. */
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
      const own = keys.length === 1 ? lateOf(order) : eachKey(data, order).flatMap(lateOf);
      for (const change of own) late.push(change);
    }
  });
  return late.sort((a, b) => a.change - b.change);
}

function isAscending(order: Int32Array): boolean {
  for (let place = 1; place < order.length; place += 1) {
    if ((order[place - 1] as number) > (order[place] as number)) return false;
  }
  return true;
}

/** @param order positions of one property's changes, in valid order */
function lateOf(order: Int32Array): LateChange[] {
  const late: LateChange[] = [];
  // From the last place on, the changes that were inserted before all that stand after them: ever lower positions.
  const lows: number[] = [];
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const change = order[place] as number;
    if ((lows.at(-1) ?? Number.POSITIVE_INFINITY) < change) late.push({ change, overtaken: firstBelow(lows, change) });
    else lows.push(change);
  }
  return late;
}

/** The first of descending positions that is below another; the last one is. */
function firstBelow(descending: readonly number[], position: number): number {
  return descending[firstIndex(descending.length, (index) => (descending[index] as number) >= position)] as number;
}

function eachKey({ log }: HistoryData, order: Int32Array): Int32Array[] {
  const keys = new Set(Array.from(order, (change) => log.keyCodes[change]));
  return [...keys].map((key) => order.filter((change) => log.keyCodes[change] === key));
}

/** Changes that were not the newest of their feature and property when they were inserted. */
export function lateEditsQuestion(data: QuestionData, options: CalendarOption): Question<ColumnTable> {
  const cellsPerFeature = changesPerFeature(data);
  const working = givenCalendar(options);
  const lengths: LateLengths = ({ dialect }) => sqlLengths(data, dialect, working, { from: "us", to: "overtaken_us" });
  return {
    // Both times come as they are: how late an edit is, is told here.
    table: (signal) => table(data, toldUnits(working), signal),
    statement: (scope) => lateStatement(scope, lengths),
    sortedParts: { cellsPerFeature, statement: (scope) => latePart(scope, lengths) },
    cellsPerFeature,
  };
}

/** How late the rows of `late` are. */
type LateLengths = (scope: Scope) => SqlLengths;

async function table(
  data: QuestionData,
  units: readonly TimeUnit[],
  signal: AbortSignal | undefined,
): Promise<ColumnTable> {
  const answers = askInParts(data, changesPerFeature(data), lateRows, signal);
  const { changes, more } = await toldChanges(data, answers);
  return lateEditsTable(data, units, changes, more);
}

/** Changes that were not the newest of their feature and property when they were inserted: `id`, `f`, `col`, `v`, `us`, `overtaken_us`. */
function lateRows(scope: Scope): string {
  const { double } = scope.dialect;
  return statement(
    lateMembers(scope),
    `SELECT id, ${double("f")} AS feature, col, v, ${double("us")} AS made, ${double("overtaken_us")} AS overtaken
FROM late ORDER BY id`,
  );
}

/** How many there are. */
export function lateCount(scope: Scope): string {
  return statement(lateMembers(scope), `SELECT ${scope.dialect.double("count(*)")} AS n FROM late`);
}

/** The late edits, complete by themselves. */
function lateStatement(scope: Scope, lengths: LateLengths): string {
  const { dialect } = scope;
  const { members, joins, columns } = lengths(scope);
  const late = columns.map(({ name, sql, whole }) => `${dialect.double(sql)} / ${whole} AS late_by_${name}`);
  return statement(
    [...lateMembers(scope), ...columnCtes(scope, "named"), ...members],
    `SELECT id AS change_id, f AS ${dialect.identifier("id")}, name AS ${dialect.identifier("column")},
  ${shownValue(dialect, "text", "v")} AS ${dialect.identifier("value")}, ${dialect.instant("us")} AS created_at,
  ${dialect.instant("overtaken_us")} AS overtaken_created_at, ${late.join(", ")}
FROM late JOIN cols ON named = col${joins} ORDER BY change_id`,
  );
}

/** The same of some features: insertions of one follow those of another. */
function latePart(scope: Scope, lengths: LateLengths): PartStatement {
  return { sql: lateStatement(scope, lengths), afterwards: [(table) => `FROM ${table} ORDER BY change_id`] };
}

/** `late`: inserted after a change of the same feature and property that was made later. */
function lateMembers(scope: Scope): string[] {
  return [
    featureCte(scope),
    ...changeCtes(
      scope,
      scope.columns.map((_, column) => column),
      { extra: ["c.property_key AS k"] },
    ),
    `passed AS (SELECT f, id, us, col, v, max(us) OVER (PARTITION BY f, k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS overtaken_us
  FROM changes WHERE us IS NOT NULL)`,
    `late AS (SELECT passed.f, id, us, col, v, overtaken_us FROM passed JOIN feat ON feat.f = passed.f WHERE overtaken_us > us)`,
  ];
}
