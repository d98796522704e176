import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { ABSENT, type CellState } from "../cell/cell-state.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { goneFromUs } from "../cell/present-rows.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";
import { specify } from "./define/specification.js";
import { type Question, type QuestionData, queryInBatches } from "./engine/query-in-batches.js";
import {
  decodedBy,
  decodedColumn,
  featureColumns,
  type ListedColumn,
  listedStatement,
  listedTable,
  nameColumn,
  sameColumn,
  stateColumn,
} from "./rows/listed-columns.js";
import { type ListedRows, readRows, rowsSelect } from "./rows/read-rows.js";
import { UNCHANGED_MARK, UNKNOWN_MARK } from "./sql/cell-values.js";
import { changeCtes, ofLastChange } from "./sql/cte/change-ctes.js";
import { type Carried, columnCtes, presenceCtes, presentCells } from "./sql/cte/feature-ctes.js";
import { visibleId } from "./sql/cte/interval-ctes.js";
import { usLiteral } from "./sql/dialect/literals.js";
import { allColumns, type Scope, statement } from "./sql/statement-scope.js";

/** A row of `history.diff()`. */
export interface DifferenceRow {
  /** Id of the feature. */
  readonly id: number;
  /** Identifier of the feature that users see. */
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
  /** Number of changes between the two times. */
  readonly changes: number;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the changes between two times: each cell that was changed after `earlier` and up to `later`, and all
     * cells of features that appeared or disappeared in between: `id`, `visible_id`, `column`, `before`, `after`,
     * `before_state`, `after_state`, `changes`.
     *
     * @example
     * ```ts
     * history.diff("2026-06-15", "2026-06-30").select("visible_id", "column", "before", "after")
     * ```
     * @throws ArgumentError also if `later` is before `earlier`
     */
    diff(earlier: TimePoint, later: TimePoint): RowTable<DifferenceRow>;
  }
}

export const diffSpecification = specify({
  summary: "Differences between two times: changed values (before and after), and added and removed features.",
  takes: ["from", "until"],
  options: {},
  time: (_: TimePoint, later: TimePoint) => later,
  memory: (data, earlier: TimePoint, later: TimePoint) => ({ table: diff(data, earlier, later) }),
  engine: diffQuestion,
});

/** One row for each cell that changed between two times or that does not exist at one of them. */
export function diff(data: HistoryData, earlier: TimePoint, later: TimePoint): ColumnTable {
  const { fromUs, toUs } = timesBetween(data, earlier, later);
  const cells = changedCells(data, fromUs, toUs);
  const at = (row: number) => cells[row] as ChangedCell;
  const decodedEnd = (end: "before" | "after") =>
    decodedBy(data, { row: (row) => at(row).row, column: (row) => at(row).column, decision: (row) => at(row)[end] });
  return listedTable(data, diffColumns(), {
    length: cells.length,
    f: (row) => at(row).row,
    col: (row) => at(row).column,
    cell_before: decodedEnd("before"),
    cell_after: decodedEnd("after"),
    n: (row) => at(row).changes,
  });
}

/**
 * The two times of a diff, in microseconds since 1970.
 *
 * @throws ArgumentError if the second is before the first
 */
function timesBetween(
  { timeZone }: Pick<HistoryData, "timeZone">,
  earlier: TimePoint,
  later: TimePoint,
): { readonly fromUs: number; readonly toUs: number } {
  const fromUs = resolveTimePoint(earlier, timeZone);
  const toUs = resolveTimePoint(later, timeZone);
  if (fromUs <= toUs) return { fromUs, toUs };
  throw new ArgumentError(`diff(): the second date ${showValue(later)} is before the first, ${showValue(earlier)}.`, {
    hint: "Pass the earlier date first.",
  });
}

/**
 * The cells that changed between two times or that do not exist at one of them: their contents and the number of
 * changes.
 */
const diffShape = { f: "feature", col: "number", cell_before: "cell", cell_after: "cell", n: "number" } as const;

/**
 * @param now JSON text of the current value of a stored cell
 * @param isGone condition that a stored feature is gone at the later time, if that is possible
 */
function diffColumns(now = "", isGone?: string): readonly ListedColumn<ListedRows<typeof diffShape>>[] {
  const stored = (cellSql: string) => `CASE WHEN ${cellSql} = '${UNCHANGED_MARK}' THEN ${now} ELSE ${cellSql} END`;
  return [
    ...featureColumns,
    nameColumn,
    decodedColumn("before", "cell_before", "text", stored("cell_before")),
    decodedColumn("after", "cell_after", "text", stored("cell_after")),
    stateColumn("before_state", "cell_before", "cell_before IS NULL"),
    stateColumn("after_state", "cell_after", isGone),
    sameColumn("changes", "n"),
  ];
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
  const cells: ChangedCell[] = [];
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
      cells.push({
        row,
        column,
        before: appears ? ABSENT : at(before),
        after: isGone ? ABSENT : at(after),
        changes: after - before - Number(isInitial),
      });
    }
  }
  return cells;
}

/** The question for the changes between two times. */
export function diffQuestion(data: QuestionData, earlier: TimePoint, later: TimePoint): Question<ColumnTable> {
  const query = timesBetween(data, earlier, later);
  const cellsPerFeature = 2 * data.columns.length;
  const from = "FROM differences ORDER BY f, col";
  const rows = (scope: Scope) =>
    statement(differenceMembers(scope, query), `SELECT ${rowsSelect(scope.dialect, diffShape)} ${from}`);
  return {
    table: async (signal) =>
      listedTable(
        data,
        diffColumns(),
        await readRows(data, diffShape, queryInBatches(data, cellsPerFeature, rows, signal)),
      ),
    statement: (scope) => {
      const now = presentCells(scope);
      const members = [...now.members, ...differenceMembers(scope, query, [visibleId, ...now.carried], now.joins)];
      const columns = diffColumns(now.of("col"), scope.hasGone ? "cell_after IS NULL" : undefined);
      return listedStatement(scope, members, columns, from);
    },
    cellsPerFeature,
  };
}

/**
 * If features may be gone: the condition that a feature exists at one of the times and was changed, appeared or
 * disappeared.
 */
function isThereOnce(fromUs: string, toUs: string): string {
  return `until_us > ${fromUs} AND (from_us <= ${fromUs} OR until_us > ${toUs})
    AND (n > 0 OR from_us > ${fromUs} OR until_us <= ${toUs})`;
}

/** Parameters of a diff. */
interface DiffQuery {
  readonly fromUs: number;
  readonly toUs: number;
}

function differenceMembers(scope: Scope, query: DiffQuery, carried: readonly Carried[] = [], joins = ""): string[] {
  const { dialect } = scope;
  const [fromUs, toUs] = [usLiteral(query.fromUs), usLiteral(query.toUs)];
  const last = (us: string) => ofLastChange(dialect, "v", `us <= ${us}`);
  const markedValue = (value: string) =>
    `coalesce(${value}, CASE WHEN changed IS NULL THEN '${UNCHANGED_MARK}' ELSE '${UNKNOWN_MARK}' END)`;
  const along = carried.map(({ name }) => `, ${name}`).join("");
  return [
    ...presenceCtes(scope, carried, joins),
    ...changeCtes(scope, allColumns(scope)),
    `cells AS (SELECT f AS changed, col AS changed_col, ${last(fromUs)} AS v_from, ${last(toUs)} AS v_to,
    count(CASE WHEN us > ${fromUs} AND us <= ${toUs} THEN 1 END) AS n FROM changes GROUP BY f, col)`,
    ...columnCtes(scope, "col"),
    `differences AS (SELECT f${along}, col, name, CASE WHEN from_us <= ${fromUs} THEN ${markedValue("v_from")} END AS cell_before,
    ${scope.hasGone ? `CASE WHEN until_us > ${toUs} THEN ${markedValue("v_to")} END` : markedValue("v_to")} AS cell_after, coalesce(n, 0) AS n
  FROM present CROSS JOIN cols LEFT JOIN cells ON changed = f AND changed_col = col
  WHERE from_us <= ${toUs} AND ${scope.hasGone ? isThereOnce(fromUs, toUs) : `(n > 0 OR from_us > ${fromUs})`})`,
  ];
}
