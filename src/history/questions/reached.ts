import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { dateOf } from "../../core/instant.js";
import { canonicalJson } from "../../core/json.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import type { BaseField } from "../../tables/read/feature-columns.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import { cellValue, UNCHANGED } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { refuseNeverHad } from "../columns/step-order.js";
import { GrowingUuids } from "./answer-rows.js";
import { askInParts, type Question, type QuestionData, requireColumns, rowOfFeature } from "./ask.js";
import { specify } from "./specification.js";
import { UNCHANGED_MARK } from "./sql/cell-values.js";
import { presenceCtes } from "./sql/cte/feature-ctes.js";
import { intervalCtes, SAID, storedIntervals } from "./sql/cte/interval-ctes.js";
import { type Scope, statement } from "./sql/scope.js";
import { loggedValues } from "./value-kinds.js";

/** A row of `history.reached()`. */
export interface ReachedRow {
  /** Id of the feature. */
  readonly id: number;
  /** Its identifier for people. */
  readonly visible_id: string;
  /** When it had the value for the first time; null if unknown. */
  readonly reached_at: CellValue;
  /** The change that set it; null where none did. */
  readonly change_id: CellValue;
  /** `reached_at` in microseconds since 1970. */
  readonly reached_at_us: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * When each feature had a value for the first time: `id`, `visible_id`, `reached_at`, `change_id`, `reached_at_us`.
     * Features that never had it are left out. The time is null where the value was never changed: nobody knows since
     * when it has been there.
     *
     * @param column name of a property column
     * @param value as the column has it; null asks when it was cleared, or had no value, for the first time
     * @throws ArgumentError for a value that no feature ever had and no option is
     */
    reached(column: string, value: unknown): RowTable<ReachedRow>;
  }
}

export const reachedSpecification = specify({
  summary: "When each feature had a value of a column for the first time; null where it was never changed.",
  takes: ["column", "value"],
  options: {},
  memory: (data, column: string, value: unknown) => ({ table: reached(data, column, value) }),
  engine: reachedQuestion,
});

/** One row a feature that ever had the value, by its first stretch of time with it. */
function reached(data: HistoryData, name: string, value: unknown): ColumnTable {
  const column = chooseColumn(data.names, name);
  const { features, index, log } = data;
  const wanted = wantedJson(value);
  const isWanted = log.values.map((logged) => canonicalJson(logged) === wanted);
  const spans = intervalsOf(data, column);
  const firsts = new GrowingArray(Int32Array);
  let last = -1;
  for (let span = 0; span < spans.length; span += 1) {
    const [row, decision] = [spans.rows[span] as number, spans.decisions[span] as number];
    if (row === last) continue;
    const hasIt =
      decision >= 0
        ? isWanted[index.valueCodes[decision] as number]
        : decision === UNCHANGED && canonicalJson(cellValue(data, row, column, decision)) === wanted;
    if (!hasIt) continue;
    firsts.push(span);
    last = row;
  }
  if (firsts.length === 0) {
    refuseNeverHad(data.columns[column] as PropertyColumn, value, data.everLogged(column));
  }
  const first = firsts.filled();
  const decisionOf = (place: number) => spans.decisions[first[place] as number] as number;
  return reachedTable(features, {
    length: first.length,
    row: (place) => spans.rows[first[place] as number] as number,
    us: (place) => {
      const us = spans.fromUs[first[place] as number] as number;
      return decisionOf(place) < 0 || us === Number.NEGATIVE_INFINITY ? null : us;
    },
    changeId: (place) => (decisionOf(place) < 0 ? null : log.ids.at(index.order[decisionOf(place)] as number)),
  });
}

function wantedJson(value: unknown): string {
  if (value !== undefined) return canonicalJson(value);
  throw new ArgumentError("reached() needs a value, but got undefined.", {
    hint: "null asks for features without a value.",
    facts: { call: "reached()" },
  });
}

/** The features that had the value, by number. */
interface FirstTimes {
  readonly length: number;
  row(place: number): number;
  /** Null where it was never changed. */
  us(place: number): number | null;
  changeId(place: number): string | null;
}

function reachedTable(features: HistoryData["features"], { length, row, us, changeId }: FirstTimes): ColumnTable {
  const ofFeature = (field: BaseField) => computedColumn(length, (place) => features.base(field).at(row(place)));
  return toTable([
    ["id", ofFeature("id")],
    ["visible_id", ofFeature("visible_id")],
    [
      "reached_at",
      computedColumn(length, (place) => {
        const time = us(place);
        return time === null ? null : dateOf(time);
      }),
    ],
    ["change_id", computedColumn(length, changeId)],
    ["reached_at_us", computedColumn(length, us)],
  ]);
}

/** Changes of a feature in a column, about. */
const CELLS = 4;

/** When each feature had a value for the first time. */
function reachedQuestion(data: QuestionData, name: string, value: unknown): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const wanted = wantedJson(value);
  const own = data.columns[column] as PropertyColumn;
  return {
    table: async (signal) => {
      const [rows, times, ids] = [new GrowingArray(Int32Array), new GrowingArray(Float64Array), new GrowingUuids()];
      for await (const { rowCount, columns } of askInParts(data, CELLS, (s) => firstRows(s, column, wanted), signal)) {
        const [features, values, froms, changeIds] = requireColumns(columns, 4);
        for (let index = 0; index < rowCount; index += 1) {
          const row = rowOfFeature(data, features[index]);
          const isUnchanged = values[index] === UNCHANGED_MARK;
          if (isUnchanged && canonicalJson(own.values.at(row) ?? null) !== wanted) continue;
          rows.push(row);
          times.push(isUnchanged ? Number.NaN : Number(froms[index]));
          ids.pushAt(changeIds, index);
        }
      }
      if (rows.length === 0) refuseNeverHad(own, value, await loggedValues(data, column, signal));
      const [rowOf, us, changes] = [rows.filled(), times.filled(), ids.filled()];
      const timeOf = (place: number) => (Number.isNaN(us[place]) ? null : (us[place] as number));
      return reachedTable(data.features, {
        length: rowOf.length,
        row: (place) => rowOf[place] as number,
        us: timeOf,
        changeId: (place) => (timeOf(place) === null ? null : changes.at(place)),
      });
    },
    statement: async (scope, _, signal) => {
      refuseNeverHad(own, value, await loggedValues(data, column, signal));
      return firstStatement(scope, column, wanted);
    },
    cellsPerFeature: CELLS,
  };
}

/** Of each feature the first stretch with the value, or the only one that was never changed: `f`, `v`, `from_us`, `id`. */
function firstRows(scope: Scope, column: number, wanted: string): string {
  const isFirst = `v IN (${scope.dialect.text(wanted)}, '${UNCHANGED_MARK}')`;
  return statement(
    [...presenceCtes(scope), ...intervalCtes(scope, column), firstCte(isFirst)],
    "SELECT CAST(f AS DOUBLE) AS feature, v, CAST(from_us AS DOUBLE) AS from_time, id FROM earliest WHERE nth = 1 ORDER BY f",
  );
}

function firstCte(isWanted: string): string {
  return `earliest AS (SELECT *, row_number() OVER (PARTITION BY f ORDER BY from_us) AS nth FROM spans WHERE ${isWanted})`;
}

/** The same, complete by itself. */
function firstStatement(scope: Scope, column: number, wanted: string): string {
  const { dialect } = scope;
  const changed = (value: string) => `CASE WHEN v <> '${UNCHANGED_MARK}' THEN ${value} END`;
  return statement(
    [...storedIntervals(scope, column), firstCte(`${SAID} = ${dialect.text(wanted)}`)],
    `SELECT f AS id, visible_id, ${changed(dialect.instant("from_us"))} AS reached_at, ${changed(dialect.cast("id", "text"))} AS change_id,
  ${changed("from_us")} AS reached_at_us
FROM earliest WHERE nth = 1 ORDER BY f`,
  );
}
