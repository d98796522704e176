import type { ColumnTable } from "arquero";
import { anything, type OptionRules } from "../../core/options.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import { type CellState, cellState, cellValue } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { limitOf } from "../cell/time-limit.js";
import { chooseColumn } from "../columns/choose-columns.js";
import {
  type CalendarOption,
  calendarRule,
  givenCalendar,
  lengthHeld,
  type TimeUnit,
  toldUnits,
} from "../time/time-unit.js";
import type { TimeLimit, TimePoint } from "../time/valid-time.js";
import { SaidValues } from "./answer-rows.js";
import { askInParts, type Question, type QuestionData, requireColumns, rowOfFeature } from "./ask.js";
import { specify } from "./specification.js";
import { BEGINNING_US, shownValue, stateOf, type ValueKind } from "./sql/cell-values.js";
import { presenceCtes } from "./sql/cte/feature-ctes.js";
import { intervalCtes, SAID, storedIntervals } from "./sql/cte/interval-ctes.js";
import { type SqlLengths, sqlLengths } from "./sql/cte/working-ctes.js";
import { usLiteral } from "./sql/dialect/literals.js";
import { type Scope, statement } from "./sql/scope.js";

/** Options of `history.durations()`. */
export interface DurationOptions extends CalendarOption {
  /**
   * Where stretches that still hold are cut; `until` of the history if absent. What changes at this very instant has changed,
   * as in `asOf`; a calendar date counts to its end.
   */
  readonly until?: TimePoint;
}

/** What it takes. */
export const durationRules: OptionRules<DurationOptions> = {
  until: anything,
  calendar: calendarRule,
};

interface Visit {
  readonly row: number;
  readonly decision: number;
  /** In each unit that is told. */
  readonly lengths: number[];
  visits: number;
}

/** A row of `history.durations()`. */
export interface DurationRow {
  /** Id of the feature. */
  readonly id: number;
  /** Its identifier for people. */
  readonly visible_id: string;
  /** What it held. */
  readonly value: CellValue;
  /** How the value is known. */
  readonly state: CellState;
  /** How long, in days of 24 hours, with a `calendar` in working days; null if the start is unknown. */
  readonly days: CellValue;
  /** With a `calendar`: the same in working hours. */
  readonly hours?: CellValue;
  /** How many times it took the value. */
  readonly visits: number;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * How long each feature held each value: `id`, `visible_id`, `value`, `state`, `days` (of 24 hours), `visits`. With a
     * `calendar`, `days` are working days, and working `hours` stand behind them. Lengths are null if it is unknown since when
     * the value holds.
     *
     * @param column name of a property column
     * @throws ArgumentError
     */
    durations(column: string, options?: DurationOptions): RowTable<DurationRow>;
  }
}

export const durationsSpecification = specify({
  summary: "How long each feature held each value of a column, in days, and how often.",
  takes: ["column"],
  options: durationRules,
  time: (_: string, options?: DurationOptions) => options?.until,
  memory: (data, column: string, options: DurationOptions = {}) => ({ table: durations(data, column, options) }),
  engine: durationsQuestion,
});

/** How long each feature held each value, all visits together. */
export function durations(data: HistoryData, name: string, options: DurationOptions = {}): ColumnTable {
  const column = chooseColumn(data.names, name);
  const units = toldUnits(givenCalendar(options));
  const stays = staysUntil(data, column, limitOf(data, options), units);
  const at = (stay: number) => stays[stay] as Visit;
  return durationsTable(data, units, {
    length: stays.length,
    row: (stay) => at(stay).row,
    value: (stay) => cellValue(data, at(stay).row, column, at(stay).decision),
    state: (stay) => cellState(data.index, at(stay).decision),
    lengthIn: (stay, unit) => at(stay).lengths[unit] as number,
    visits: (stay) => at(stay).visits,
  });
}

/** How long features held values, by number. */
interface Visits {
  readonly length: number;
  row(stay: number): number;
  value(stay: number): unknown;
  state(stay: number): CellState;
  /** In a unit that is told, by its place; Infinity if it is unknown since when. */
  lengthIn(stay: number, unit: number): number;
  visits(stay: number): number;
}

/** A row for each feature and value. */
function durationsTable(
  { features }: Pick<HistoryData, "features">,
  units: readonly TimeUnit[],
  stays: Visits,
): ColumnTable {
  const each = <T>(get: (stay: number) => T) => computedColumn(stays.length, get);
  return toTable([
    ["id", each((stay) => features.base("id").at(stays.row(stay)))],
    ["visible_id", each((stay) => features.base("visible_id").at(stays.row(stay)))],
    ["value", each((stay) => stays.value(stay))],
    ["state", each((stay) => stays.state(stay))],
    ...units.map(
      ({ name, whole }, unit) => [name, each((stay) => lengthHeld(stays.lengthIn(stay, unit), whole))] as const,
    ),
    ["visits", each((stay) => stays.visits(stay))],
  ]);
}

function staysUntil(
  data: HistoryData,
  column: number,
  { lastUs, endUs }: TimeLimit,
  units: readonly TimeUnit[],
): readonly Visit[] {
  const spans = intervalsOf(data, column);
  const stays: Visit[] = [];
  let own = new Map<number, Visit>();
  for (let span = 0; span < spans.length; span += 1) {
    const row = spans.rows[span] as number;
    const decision = spans.decisions[span] as number;
    const from = spans.fromUs[span] as number;
    if (from > lastUs) continue;
    if (stays.at(-1)?.row !== row) own = new Map();
    const key = decision < 0 ? decision : (data.index.valueCodes[decision] as number);
    let stay = own.get(key);
    if (!stay) {
      stay = { row, decision, lengths: units.map(() => 0), visits: 0 };
      own.set(key, stay);
      stays.push(stay);
    }
    const to = Math.min(spans.toUs[span] ?? endUs, endUs);
    for (const [place, unit] of units.entries()) (stay.lengths[place] as number) += unit.length(from, to);
    stay.visits += 1;
  }
  return stays;
}

/** Changes of a feature in a column, about. */
const CELLS = 4;
/** No stretch that has a beginning is as long as half of what has none. */
const ENDLESS_US = -BEGINNING_US / 2;

/** How long each feature held each value. */
export function durationsQuestion(data: QuestionData, name: string, options: DurationOptions): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const limit = limitOf(data, options);
  const working = givenCalendar(options);
  const lengths = ({ dialect }: Scope) => {
    const { endUs } = limit;
    const found = sqlLengths(data, dialect, working, { from: "from_us", to: cutAt(endUs), untilUs: endUs });
    if (!working) return found;
    // What has no beginning is endless: a day that no calendar has.
    const endless = usLiteral(-BEGINNING_US);
    return { ...found, columns: found.columns.map((own) => ({ ...own, sql: `coalesce(${own.sql}, ${endless})` })) };
  };
  const query = { column, ...limit, units: toldUnits(working), lengths };
  return {
    table: (signal) => table(data, query, signal),
    statement: async (scope, kinds) => durationsStatement(scope, (await kinds([column]))[column], query),
    cellsPerFeature: CELLS,
  };
}

async function table(data: QuestionData, query: DurationsQuery, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const { units } = query;
  const said = new SaidValues();
  const rows = new GrowingArray(Int32Array);
  const held = units.map(() => new GrowingArray(Float64Array));
  const visits = new GrowingArray(Int32Array);
  for await (const { rowCount, columns } of askInParts(data, CELLS, (scope) => visitRows(scope, query), signal)) {
    const [features, values, counts, ...lengths] = requireColumns(columns, 3);
    for (let index = 0; index < rowCount; index += 1) {
      rows.push(rowOfFeature(data, features[index]));
      said.push(values[index]);
      held.forEach((own, unit) => {
        const length = Number((lengths[unit] as ArrayLike<unknown>)[index]);
        own.push(length > ENDLESS_US ? Number.POSITIVE_INFINITY : length);
      });
      visits.push(Number(counts[index]));
    }
  }
  const [rowAt, visitsAt, lengthsAt] = [rows.filled(), visits.filled(), held.map((own) => own.filled())];
  return durationsTable(data, units, {
    length: rows.length,
    row: (stay) => rowAt[stay] as number,
    lengthIn: (stay, unit) => lengthsAt[unit]?.[stay] as number,
    visits: (stay) => visitsAt[stay] as number,
    ...said.done((stay) => data.columns[query.column]?.values.at(rowAt[stay] as number)),
  });
}

/** What durations ask. */
interface DurationsQuery {
  readonly column: number;
  /** The last microsecond that counts, and where stretches that still hold are cut. */
  readonly lastUs: number;
  readonly endUs: number;
  readonly units: readonly TimeUnit[];
  /** Of one stretch. */
  lengths(scope: Scope): SqlLengths;
}

/** How long each feature held each value: `f`, `v` (JSON text, or a mark), `visits`, and the lengths; in order. */
function visitRows(scope: Scope, { column, lastUs, lengths }: DurationsQuery): string {
  const { double } = scope.dialect;
  const { members, joins, columns } = lengths(scope);
  const held = columns.map(({ name, sql }) => `, ${double(`sum(${sql})`)} AS held_${name}`).join("");
  return statement(
    [...presenceCtes(scope), ...intervalCtes(scope, column), ...members],
    `SELECT ${double("f")} AS feature, v, ${double("count(*)")} AS visits${held}
FROM spans${joins} WHERE from_us <= ${usLiteral(lastUs)} GROUP BY f, v ORDER BY f, min(from_us)`,
  );
}

/** How long each feature held each value, complete by itself. */
function durationsStatement(scope: Scope, kind: ValueKind | undefined, query: DurationsQuery): string {
  const { column, lastUs, lengths } = query;
  const { double, identifier } = scope.dialect;
  const { members, joins, columns } = lengths(scope);
  const held = columns.map(({ name, sql }) => `, sum(${sql}) AS held_${name}`).join("");
  const told = columns.map(
    ({ name, whole }) => `CASE WHEN first_us <> ${usLiteral(BEGINNING_US)}
    THEN ${double(`held_${name}`)} / ${whole} END AS ${identifier(name)}, `,
  );
  return statement(
    [
      ...storedIntervals(scope, column),
      ...members,
      // DuckDB does not bind expressions over what is grouped by.
      `stays AS (SELECT f, visible_id, v, now0, min(from_us) AS first_us${held}, count(*) AS visits
  FROM spans${joins} WHERE from_us <= ${usLiteral(lastUs)} GROUP BY f, visible_id, v, now0)`,
    ],
    `SELECT f AS id, visible_id, ${shownValue(scope.dialect, kind, SAID)} AS value, ${stateOf("v")} AS state,
  ${told.join("")}visits
FROM stays ORDER BY f, first_us`,
  );
}

/** The end of a stretch, or where it is cut. */
function cutAt(endUs: number): string {
  const end = usLiteral(endUs);
  return `CASE WHEN to_us IS NULL OR to_us > ${end} THEN ${end} ELSE to_us END`;
}
