import type { ColumnTable } from "arquero";
import { type OptionRules, oneOf } from "../../core/options.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { ABSENT, type CellState, cellState, stateOfCode, UNCHANGED, UNKNOWN } from "../cell/cell-state.js";
import { decidingChanges } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { isAbsent, rowsAt } from "../cell/present-rows.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";
import { specify } from "./define/specification.js";
import { presenceOf } from "./engine/log-survey.js";
import { type Question, type QuestionData, queryInBatches } from "./engine/query-in-batches.js";
import type { DecodedCells } from "./rows/cell-decoder.js";
import {
  type AnswerData,
  changeAt,
  featureColumns,
  type ListedColumn,
  listedStatement,
  listedTable,
  madeColumns,
  nameColumn,
  sameColumn,
  valueColumn,
} from "./rows/listed-columns.js";
import { changeShape, type ListedRows, readRows, rowsSelect } from "./rows/read-rows.js";
import { stateWhere } from "./sql/cell-values.js";
import { changeCtes, ofLastChange } from "./sql/cte/change-ctes.js";
import { columnCtes, existsAt, isAbsentAt, presenceCtes, presentCells } from "./sql/cte/feature-ctes.js";
import { visibleId } from "./sql/cte/interval-ctes.js";
import { type SqlExpression, usLiteral } from "./sql/dialect/literals.js";
import { allColumns, type Scope, statement } from "./sql/statement-scope.js";

/** Options of `history.states()`. */
export interface StatesOptions {
  /** Whether to leave out features that did not exist yet, or list them with the state `absent`. Default: `"drop"`. */
  readonly absent?: "drop" | "keep";
}

/** Rules for the options. */
const statesRules: OptionRules<StatesOptions> = {
  absent: oneOf("drop", "keep"),
};

/** A row of `history.states()`. */
export interface StateRow {
  /** Id of the feature. */
  readonly id: number;
  /** Identifier of the feature that users see. */
  readonly visible_id: string;
  /** Column of the property. */
  readonly column: string;
  /** Its value at the time. */
  readonly value: CellValue;
  /** How the value is known. */
  readonly state: CellState;
  /** Id of the change that set it; null if no change did. */
  readonly change_id: CellValue;
  /** When that change was made. */
  readonly changed_at: CellValue;
  /** The same time in microseconds since 1970. */
  readonly changed_at_us: CellValue;
  /** User who made it; null for the system. */
  readonly user_id: CellValue;
  /** Whether the system made it; null if no change did. */
  readonly system: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns how each value at a time is known: `id`, `visible_id`, `column`, `value`, `state` (`logged`, `cleared`,
     * `unchanged`, `unknown`, `absent`), `change_id`, `changed_at`, `changed_at_us`, `user_id`, `system`.
     *
     * @example
     * ```ts
     * history.states("2025-06-30").select("visible_id", "column", "value", "state", "changed_at")
     * ```
     * @throws ArgumentError
     */
    states(time: TimePoint, options?: StatesOptions): RowTable<StateRow>;
  }
}

/** Explanation of each state whose name is not clear. */
const meanings: Readonly<Record<CellState, string>> = {
  logged: "logged",
  cleared: "cleared",
  unchanged: "unchanged (the log has no change of it)",
  unknown: "unknown (all changes are later)",
  absent: "absent",
};

export const statesSpecification = specify({
  summary: `State of each value at a time: ${Object.values(meanings).join(", ")}; with the change, user and time.`,
  takes: ["at"],
  options: statesRules,
  time: (time: TimePoint, _options?: StatesOptions) => time,
  memory: (data, time: TimePoint, options: StatesOptions = {}) => ({ table: states(data, time, options) }),
  engine: statesQuestion,
});

/** One row per cell, with its value at a time and its state. */
export function states(data: HistoryData, point: TimePoint, options: StatesOptions = {}): ColumnTable {
  const us = resolveTimePoint(point, data.timeZone);
  const { index, log } = data;
  const rows = rowsAt(data, us, options.absent);
  // Decided once, because ten columns use it.
  const decisions = data.names.map((_, column) =>
    rows.map(decidingChanges(data, column, index.countsAt(column, us), us)),
  );
  return statesTable(data, rows, decisions, {
    ...changeAt(data, (position) => index.order[position] as number),
    v: {
      value: (position) => log.values[index.valueCodes[position] as number],
      state: (position) => cellState(index, position),
    },
  });
}

/** The changes that decide cells. */
interface DecidingChanges extends Pick<ListedRows<typeof changeShape>, "id" | "us" | "user_id" | "is_system"> {
  readonly v: Pick<DecodedCells, "value" | "state">;
}

/**
 * A row for each cell of some features, feature by feature.
 *
 * @param decisions by column, and by index among the rows
 */
function statesTable(
  data: AnswerData & Pick<HistoryData, "columns">,
  rows: Int32Array,
  decisions: readonly Int32Array[],
  deciding: DecidingChanges,
): ColumnTable {
  const { length: count } = data.names;
  const f = (row: number) => rows[Math.floor(row / count)] as number;
  const col = (row: number) => row % count;
  const decision = (row: number) => decisions[row % count]?.[Math.floor(row / count)] as number;
  const ofChange = <T>(row: number, get: (change: number) => T) => {
    const change = decision(row);
    return change < 0 ? null : get(change);
  };
  return listedTable(data, stateColumns, {
    length: rows.length * count,
    f,
    col,
    value: (row) =>
      decision(row) === UNCHANGED
        ? (data.columns[col(row)]?.values.at(f(row)) ?? null)
        : ofChange(row, (change) => deciding.v.value(change)),
    state: (row) => ofChange(row, (change) => deciding.v.state(change)) ?? stateOfCode(decision(row)),
    id: (row) => ofChange(row, (change) => deciding.id.at(change)),
    us: (row) => ofChange(row, deciding.us) ?? Number.NaN,
    user_id: (row) => ofChange(row, deciding.user_id),
    is_system: (row) => ofChange(row, deciding.is_system),
  });
}

/** A cell, its value, and the change that decides it: null if no change does. */
type CellRows = { readonly length: number } & Readonly<Record<"f" | "col" | "us", (row: number) => number>> &
  Readonly<Record<"value" | "state" | "id" | "user_id" | "is_system", (row: number) => unknown>>;

const stateColumns: readonly ListedColumn<CellRows>[] = [
  ...featureColumns,
  nameColumn,
  valueColumn("value", "value", "text"),
  sameColumn("state", "state"),
  sameColumn("change_id", "id"),
  ...madeColumns,
];

/** The question for how each value at a time is known. */
export function statesQuestion(data: QuestionData, point: TimePoint, options: StatesOptions): Question<ColumnTable> {
  const us = resolveTimePoint(point, data.timeZone);
  const keepsAbsent = options.absent === "keep";
  // Each change has an id and further columns.
  const cellsPerFeature = 3 * data.columns.length;
  const cells = (scope: Scope) =>
    statement(decidingMembers(scope, us), `SELECT ${rowsSelect(scope.dialect, decidingShape)} FROM deciding`);
  return {
    table: async (signal) => {
      const present = await presenceOf(data, signal);
      const deciding = await readRows(data, decidingShape, queryInBatches(data, cellsPerFeature, cells, signal));
      const byRow = data.columns.map(() => new Int32Array(data.features.count).fill(UNCHANGED));
      for (let change = 0; change < deciding.length; change += 1) {
        const row = data.rowOf.get(deciding.f(change));
        const decisions = byRow[deciding.col(change)];
        if (row !== undefined && decisions) decisions[row] = deciding.v.isChange(change) ? change : UNKNOWN;
      }
      const rows = rowsAt(present, us, keepsAbsent ? "keep" : "drop");
      const decided = byRow.map((decisions) =>
        rows.map((row) => (isAbsent(present, row, us) ? ABSENT : (decisions[row] as number))),
      );
      return statesTable(data, rows, decided, deciding);
    },
    statement: (scope) => statesStatement(scope, { us, keepsAbsent }),
    cellsPerFeature,
    namesPersons: true,
  };
}

/** Changes that decide cells, also of other features; `v` is null if the value is unknown. */
const decidingShape = { f: "number", col: "number", v: "cell", ...changeShape } as const;

/** Parameters of a states query. */
interface StatesQuery {
  readonly us: number | SqlExpression;
  /** Whether to list features that did not exist yet. */
  readonly keepsAbsent: boolean;
}

/** The self-contained statement for how each value at a time is known. */
export function statesStatement(scope: Scope, { us, keepsAbsent }: StatesQuery): string {
  const now = presentCells(scope);
  const value = `CASE WHEN deciding.v IS NOT NULL THEN deciding.v WHEN deciding.f IS NULL THEN ${now.of("cols.col")} END`;
  const state = stateWhere({
    absent: isAbsentAt(scope, us),
    unchanged: "deciding.f IS NULL",
    unknown: "deciding.v IS NULL",
    cleared: "deciding.v = 'null'",
  });
  // In lakes, the time is a subquery, which DuckDB does not always accept in the condition of an outer join.
  const remaining = scope.hasGone
    ? `(SELECT *, until_us > ${usLiteral(us)} AS remains FROM present) AS present`
    : "present";
  const members = [
    ...now.members,
    ...presenceCtes(scope, [visibleId, ...now.carried], now.joins),
    ...decidingMembers(scope, us),
    ...columnCtes(scope, "col"),
    `states AS (SELECT present.f, visible_id, cols.col, cols.name, id, us, user_id, is_system,
    ${state} AS state,
    CASE WHEN ${existsAt(scope, us)} THEN ${value} END AS value
  FROM ${remaining} CROSS JOIN cols LEFT JOIN deciding ON deciding.f = present.f AND deciding.col = cols.col${
    scope.hasGone ? " AND present.remains" : ""
  })`,
  ];
  const where = keepsAbsent ? "" : " WHERE state <> 'absent'";
  return listedStatement(scope, members, stateColumns, `FROM states${where} ORDER BY f, col`);
}

/**
 * `deciding`: for each cell that was ever changed, the change that decides it; its columns are null before the first
 * change.
 */
function decidingMembers(scope: Scope, us: number | SqlExpression): string[] {
  const { dialect } = scope;
  const change = dialect.struct([
    { name: "v", type: "text", sql: "v" },
    { name: "id", type: "text", sql: "id" },
    { name: "us", type: "bigint", sql: "us" },
    { name: "user_id", type: "bigint", sql: "user_id" },
    { name: "is_system", type: "boolean", sql: "is_system" },
  ]);
  return [
    ...changeCtes(scope, allColumns(scope), {
      extra: ["c.user_id AS user_id", `c.${dialect.identifier("system")} AS is_system`],
    }),
    `decided AS (SELECT f, col, ${ofLastChange(dialect, change, `us <= ${usLiteral(us)}`)} AS last_change
  FROM changes GROUP BY f, col)`,
    `deciding AS (SELECT f, col, ${["v", "id", "us", "user_id", "is_system"].map((name) => `last_change.${name} AS ${name}`).join(", ")} FROM decided)`,
  ];
}
