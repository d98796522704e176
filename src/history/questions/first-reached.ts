import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { canonicalJson } from "../../core/json.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import { cellValue, UNCHANGED } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { refuseNeverHad } from "../columns/step-order.js";
import { specify } from "./define/specification.js";
import { type Question, type QuestionData, queryInBatches } from "./engine/query-in-batches.js";
import { loggedValues } from "./plan/value-kinds.js";
import {
  featureColumns,
  instantColumn,
  type ListedColumn,
  listedStatement,
  listedTable,
  sameColumn,
  usColumn,
} from "./rows/listed-columns.js";
import { type ListedRows, readRows, rowsInOrder, rowsSelect } from "./rows/read-rows.js";
import { UNCHANGED_MARK } from "./sql/cell-values.js";
import { presenceCtes } from "./sql/cte/feature-ctes.js";
import { CURRENT_VALUE, intervalCtes, storedIntervals } from "./sql/cte/interval-ctes.js";
import { type Scope, statement } from "./sql/statement-scope.js";

/** A row of `history.firstReached()`. */
export interface FirstReachedRow {
  /** Id of the feature. */
  readonly id: number;
  /** Identifier of the feature that users see. */
  readonly visible_id: string;
  /** When it first had the value; null if unknown. */
  readonly reached_at: CellValue;
  /** Id of the change that set it; null if no change did. */
  readonly change_id: CellValue;
  /** `reached_at` in microseconds since 1970. */
  readonly reached_at_us: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns when each feature first had a value: `id`, `visible_id`, `reached_at`, `change_id`, `reached_at_us`.
     * Features that never had it are left out. The time is null if the value was never changed, because its start is
     * unknown.
     *
     * @param column name of a property column
     * @param value a value of the column; null for the first time when it was cleared or had no value
     * @example
     * ```ts
     * history.firstReached("STATUS", "CLOSED").select("visible_id", "reached_at")
     * ```
     * @throws ArgumentError for a value that no feature ever had and that is not an option
     */
    firstReached(column: string, value: unknown): RowTable<FirstReachedRow>;
  }
}

export const firstReachedSpecification = specify({
  summary: "First time at which each feature had a value of a column; null if it was never changed.",
  takes: ["column", "value"],
  options: {},
  memory: (data, column: string, value: unknown) => ({ table: reached(data, column, value) }),
  engine: reachedQuestion,
});

/** One row for each feature that ever had the value, by its first interval with it. */
function reached(data: HistoryData, name: string, value: unknown): ColumnTable {
  const column = chooseColumn(data.names, name);
  const { index, log } = data;
  const json = wantedJson(value);
  const isWanted = log.values.map((logged) => canonicalJson(logged) === json);
  const intervals = intervalsOf(data, column);
  const firsts = new GrowingArray(Int32Array);
  let last = -1;
  for (let interval = 0; interval < intervals.length; interval += 1) {
    const [row, decision] = [intervals.rows[interval] as number, intervals.decisions[interval] as number];
    if (row === last) continue;
    const hasIt =
      decision >= 0
        ? isWanted[index.valueCodes[decision] as number]
        : decision === UNCHANGED && canonicalJson(cellValue(data, row, column, decision)) === json;
    if (!hasIt) continue;
    firsts.push(interval);
    last = row;
  }
  if (firsts.length === 0) {
    refuseNeverHad(data.columns[column] as PropertyColumn, value, data.everLogged(column));
  }
  const intervalOf = (row: number) => firsts.at(row);
  const decisionOf = (row: number) => intervals.decisions[intervalOf(row)] as number;
  return listedTable(data, reachedColumns, {
    length: firsts.length,
    f: (row) => intervals.rows[intervalOf(row)] as number,
    from_us: (row) => (decisionOf(row) < 0 ? Number.NaN : (intervals.fromUs[intervalOf(row)] as number)),
    change_id: (row) => (decisionOf(row) < 0 ? null : log.ids.at(index.order[decisionOf(row)] as number)),
  });
}

function wantedJson(value: unknown): string {
  if (value !== undefined) return canonicalJson(value);
  throw new ArgumentError("firstReached(): `value` is missing.", {
    hint: 'Pass a value: firstReached("STATUS", "CLOSED"). For features without a value, pass null.',
    facts: { call: "firstReached()" },
  });
}

/** The first interval of a feature with the value; without a time if the value was never changed. */
const firstShape = { f: "feature", v: "text", from_us: "number", id: "uuid" } as const;

/** When each feature first had the value (NaN if unknown), and the change that set it. */
interface FirstTimes extends Pick<ListedRows<typeof firstShape>, "length" | "f" | "from_us"> {
  readonly change_id: (row: number) => string | null;
}

const reachedColumns: readonly ListedColumn<FirstTimes>[] = [
  ...featureColumns,
  instantColumn("reached_at", "from_us"),
  sameColumn("change_id", "change_id"),
  usColumn("reached_at_us", "from_us"),
];

/** Approximate number of changes of a feature in a column. */
const CELLS = 4;

/** The question for when each feature first had a value. */
function reachedQuestion(data: QuestionData, name: string, value: unknown): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const json = wantedJson(value);
  const propertyColumn = data.columns[column] as PropertyColumn;
  // Current values of features that were never changed are compared in this process.
  const rows = (scope: Scope) => {
    const isFirst = `v IN (${scope.dialect.text(json)}, '${UNCHANGED_MARK}')`;
    const members = [...presenceCtes(scope), ...intervalCtes(scope, column), firstCte(isFirst)];
    return statement(members, `SELECT ${rowsSelect(scope.dialect, firstShape)} FROM earliest WHERE nth = 1 ORDER BY f`);
  };
  return {
    table: async (signal) => {
      const { length, f, v, from_us, id } = await readRows(data, firstShape, queryInBatches(data, CELLS, rows, signal));
      const isUnchanged = (row: number) => v(row) === UNCHANGED_MARK;
      const had = new GrowingArray(Int32Array);
      for (let row = 0; row < length; row += 1) {
        if (!isUnchanged(row) || canonicalJson(propertyColumn.values.at(f(row)) ?? null) === json) had.push(row);
      }
      if (had.length === 0) refuseNeverHad(propertyColumn, value, await loggedValues(data, column, signal));
      const first: FirstTimes = {
        length,
        f,
        from_us: (row) => (isUnchanged(row) ? Number.NaN : from_us(row)),
        change_id: (row) => (isUnchanged(row) ? null : id.at(row)),
      };
      return listedTable(data, reachedColumns, rowsInOrder(first, had.filled()));
    },
    statement: async (scope, _, signal) => {
      refuseNeverHad(propertyColumn, value, await loggedValues(data, column, signal));
      const changed = (sql: string) => `CASE WHEN v <> '${UNCHANGED_MARK}' THEN ${sql} END`;
      const change = changed(scope.dialect.cast("id", "text"));
      const members = [
        ...storedIntervals(scope, column),
        firstCte(`${CURRENT_VALUE} = ${scope.dialect.text(json)}`),
        `reached AS (SELECT f, visible_id, ${changed("from_us")} AS from_us, ${change} AS change_id FROM earliest WHERE nth = 1)`,
      ];
      return listedStatement(scope, members, reachedColumns, "FROM reached ORDER BY f");
    },
    cellsPerFeature: CELLS,
  };
}

function firstCte(isWanted: string): string {
  return `earliest AS (SELECT *, row_number() OVER (PARTITION BY f ORDER BY from_us) AS nth FROM intervals WHERE ${isWanted})`;
}
