import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import { ABSENT, type CellState, cellState, cellValue } from "../cell/cell-state.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { goneFromUs } from "../cell/present-rows.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";
import { SaidValues } from "./answer-rows.js";
import { askInParts, type Question, type QuestionData, requireColumns, rowOfFeature } from "./ask.js";
import { specify } from "./specification.js";
import { shownValue, stateOf, UNCHANGED_MARK, UNKNOWN_MARK } from "./sql/cell-values.js";
import { ofLastChange } from "./sql/change-order.js";
import { changeCtes } from "./sql/cte/change-ctes.js";
import { type Carried, columnCtes, presenceCtes, presentCells } from "./sql/cte/feature-ctes.js";
import { visibleId } from "./sql/cte/interval-ctes.js";
import { usLiteral } from "./sql/dialect/literals.js";
import { type Scope, statement } from "./sql/scope.js";

/** A row of `history.diff()`. */
export interface DifferenceRow {
  /** Id of the feature. */
  readonly id: number;
  /** Its identifier for people. */
  readonly visible_id: string;
  /** Column of the property. */
  readonly column: string;
  /** The value at the earlier time. */
  readonly before: CellValue;
  /** The value at the later time. */
  readonly after: CellValue;
  /** How the earlier value is known. */
  readonly before_state: CellState;
  /** How the later value is known. */
  readonly after_state: CellState;
  /** How many changes lie between. */
  readonly changes: number;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * What happened between two times: every cell that was changed after `earlier` and up to `later`, and those of
     * features that appeared or were found to be gone. `id`, `visible_id`, `column`, `before`, `after`, `before_state`, `after_state`, `changes`.
     *
     * @throws ArgumentError also if `later` is the earlier one
     */
    diff(earlier: TimePoint, later: TimePoint): RowTable<DifferenceRow>;
  }
}

export const diffSpecification = specify({
  summary:
    "What changed between two times: each value that was changed, before and after, and features that appeared or are gone.",
  takes: ["from", "to"],
  options: {},
  time: (_: TimePoint, later: TimePoint) => later,
  memory: (data, earlier: TimePoint, later: TimePoint) => ({ table: diff(data, earlier, later) }),
  engine: diffQuestion,
});

/** One row a cell that was changed between two times, or that one of them does not have. */
export function diff(data: HistoryData, earlier: TimePoint, later: TimePoint): ColumnTable {
  const { fromUs, toUs } = timesBetween(data, earlier, later);
  const cells = changedCells(data, fromUs, toUs);
  const { index } = data;
  const at = (cell: number) => cells[cell] as ChangedCell;
  return diffTable(data, {
    length: cells.length,
    row: (cell) => at(cell).row,
    column: (cell) => at(cell).column,
    before: (cell) => cellValue(data, at(cell).row, at(cell).column, at(cell).before),
    after: (cell) => cellValue(data, at(cell).row, at(cell).column, at(cell).after),
    beforeState: (cell) => cellState(index, at(cell).before),
    afterState: (cell) => cellState(index, at(cell).after),
    changes: (cell) => at(cell).changes,
  });
}

/**
 * The times between which a diff is asked for, microseconds since 1970.
 *
 * @throws ArgumentError if the later one is the earlier
 */
function timesBetween(
  { timeZone }: Pick<HistoryData, "timeZone">,
  earlier: TimePoint,
  later: TimePoint,
): { readonly fromUs: number; readonly toUs: number } {
  const fromUs = resolveTimePoint(earlier, timeZone);
  const toUs = resolveTimePoint(later, timeZone);
  if (fromUs <= toUs) return { fromUs, toUs };
  throw new ArgumentError(`${showValue(later)} is before ${showValue(earlier)}.`, {
    hint: "Give the earlier first.",
  });
}

/** Cells that differ between two times, by number. */
interface Differences {
  readonly length: number;
  row(cell: number): number;
  column(cell: number): number;
  before(cell: number): unknown;
  after(cell: number): unknown;
  beforeState(cell: number): CellState;
  afterState(cell: number): CellState;
  changes(cell: number): number;
}

/** A row for each cell that differs. */
function diffTable({ features, names }: Pick<HistoryData, "features" | "names">, cells: Differences): ColumnTable {
  const each = <T>(get: (cell: number) => T) => computedColumn(cells.length, get);
  return toTable([
    ["id", each((cell) => features.base("id").at(cells.row(cell)))],
    ["visible_id", each((cell) => features.base("visible_id").at(cells.row(cell)))],
    ["column", each((cell) => names[cells.column(cell)])],
    ["before", each((cell) => cells.before(cell))],
    ["after", each((cell) => cells.after(cell))],
    ["before_state", each((cell) => cells.beforeState(cell))],
    ["after_state", each((cell) => cells.afterState(cell))],
    ["changes", each((cell) => cells.changes(cell))],
  ]);
}

interface ChangedCell {
  readonly row: number;
  readonly column: number;
  readonly before: number;
  readonly after: number;
  readonly changes: number;
}

function changedCells(data: HistoryData, fromUs: number, toUs: number): readonly ChangedCell[] {
  const { index, log, names, presentFromUs } = data;
  const counts = names.map((_, column) => [index.countsAt(column, fromUs), index.countsAt(column, toUs)] as const);
  const found: ChangedCell[] = [];
  for (let row = 0; row < presentFromUs.length; row += 1) {
    const presentUs = presentFromUs[row] as number;
    const goneUs = goneFromUs(data, row);
    const [appears, isGone] = [presentUs > fromUs, goneUs <= toUs];
    if (presentUs > toUs || goneUs <= fromUs || (appears && isGone)) continue;
    for (let column = 0; column < names.length; column += 1) {
      const cell = index.cell(row, column);
      const [countsBefore, countsAfter] = counts[column] as (typeof counts)[number];
      const [before, after] = [countsBefore[row] as number, countsAfter[row] as number];
      if (before === after && !appears && !isGone) continue;
      const start = index.start(cell);
      const at = (count: number) => (count > 0 ? start + count - 1 : undecided(data, cell));
      const isInitial = before === 0 && after > 0 && (index.order[start] as number) < log.initial;
      found.push({
        row,
        column,
        before: appears ? ABSENT : at(before),
        after: isGone ? ABSENT : at(after),
        changes: after - before - Number(isInitial),
      });
    }
  }
  return found;
}

/** What happened between two times. */
export function diffQuestion(data: QuestionData, earlier: TimePoint, later: TimePoint): Question<ColumnTable> {
  const query = timesBetween(data, earlier, later);
  return {
    table: (signal) => table(data, query, signal),
    statement: (scope) => diffStatement(scope, query),
    cellsPerFeature: 2 * data.columns.length,
  };
}

async function table(data: QuestionData, query: DiffQuery, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const rows = new GrowingArray(Int32Array);
  const cols = new GrowingArray(Int32Array);
  const changes = new GrowingArray(Int32Array);
  const [before, after] = [new SaidValues(), new SaidValues()];
  if (data.columns.length > 0) {
    const cells = 2 * data.columns.length;
    for await (const { rowCount, columns } of askInParts(data, cells, (scope) => diffRows(scope, query), signal)) {
      const [features, columnPlaces, befores, afters, counts] = requireColumns(columns, 5);
      for (let index = 0; index < rowCount; index += 1) {
        rows.push(rowOfFeature(data, features[index]));
        cols.push(Number(columnPlaces[index]));
        changes.push(Number(counts[index]));
        before.push(befores[index]);
        after.push(afters[index]);
      }
    }
  }
  const [rowAt, columnAt, changesAt] = [rows.filled(), cols.filled(), changes.filled()];
  const current = (cell: number) => data.columns[columnAt[cell] as number]?.values.at(rowAt[cell] as number);
  const [saidBefore, saidAfter] = [before.done(current), after.done(current)];
  return diffTable(data, {
    length: rows.length,
    row: (cell) => rowAt[cell] as number,
    column: (cell) => columnAt[cell] as number,
    before: saidBefore.value,
    after: saidAfter.value,
    beforeState: saidBefore.state,
    afterState: saidAfter.state,
    changes: (cell) => changesAt[cell] as number,
  });
}

/** Of features of which some are gone: those of either time, with what was changed, appeared or is gone. */
function isThereOnce(fromUs: string, toUs: string): string {
  return `until_us > ${fromUs} AND (from_us <= ${fromUs} OR until_us > ${toUs})
    AND (n > 0 OR from_us > ${fromUs} OR until_us <= ${toUs})`;
}

/** What a diff asks. */
interface DiffQuery {
  readonly fromUs: number;
  readonly toUs: number;
}

/**
 * The cells that were changed between two times, or that one of them does not have: `f`, `col`, `before` and `after` (null where
 * the feature was absent) as JSON text or mark, `n` changes; in order.
 */
function diffRows(scope: Scope, query: DiffQuery): string {
  const { double } = scope.dialect;
  return statement(
    differenceMembers(scope, query),
    `SELECT ${double("f")} AS feature, col, said_before, said_after, ${double("n")} AS changes FROM differences ORDER BY f, col`,
  );
}

/** What happened between two times, complete by itself. */
function diffStatement(scope: Scope, query: DiffQuery): string {
  const { dialect } = scope;
  const now = presentCells(scope);
  const shown = (said: string) =>
    shownValue(dialect, "text", `CASE WHEN ${said} = '${UNCHANGED_MARK}' THEN ${now.of("col")} ELSE ${said} END`);
  return statement(
    [...now.members, ...differenceMembers(scope, query, [visibleId, ...now.carried], now.joins)],
    `SELECT f AS id, visible_id, name AS ${dialect.identifier("column")}, ${shown("said_before")} AS ${dialect.identifier("before")},
  ${shown("said_after")} AS ${dialect.identifier("after")},
  ${stateOf("said_before", "said_before IS NULL")} AS before_state,
  ${stateOf("said_after", scope.hasGone ? "said_after IS NULL" : undefined)} AS after_state, n AS changes
FROM differences ORDER BY f, col`,
  );
}

function differenceMembers(scope: Scope, query: DiffQuery, carried: readonly Carried[] = [], joins = ""): string[] {
  const { dialect } = scope;
  const [fromUs, toUs] = [usLiteral(query.fromUs), usLiteral(query.toUs)];
  const last = (us: string) => ofLastChange(dialect, "v", `us <= ${us}`);
  const said = (value: string) =>
    `coalesce(${value}, CASE WHEN changed IS NULL THEN '${UNCHANGED_MARK}' ELSE '${UNKNOWN_MARK}' END)`;
  const along = carried.map(({ name }) => `, ${name}`).join("");
  return [
    ...presenceCtes(scope, carried, joins),
    ...changeCtes(
      scope,
      scope.columns.map((_, column) => column),
    ),
    `cells AS (SELECT f AS changed, col AS changed_col, ${last(fromUs)} AS v_from, ${last(toUs)} AS v_to,
    count(CASE WHEN us > ${fromUs} AND us <= ${toUs} THEN 1 END) AS n FROM changes GROUP BY f, col)`,
    ...columnCtes(scope, "col"),
    `differences AS (SELECT f${along}, col, name, CASE WHEN from_us <= ${fromUs} THEN ${said("v_from")} END AS said_before,
    ${scope.hasGone ? `CASE WHEN until_us > ${toUs} THEN ${said("v_to")} END` : said("v_to")} AS said_after, coalesce(n, 0) AS n
  FROM present CROSS JOIN cols LEFT JOIN cells ON changed = f AND changed_col = col
  WHERE from_us <= ${toUs} AND ${scope.hasGone ? isThereOnce(fromUs, toUs) : `(n > 0 OR from_us > ${fromUs})`})`,
  ];
}
