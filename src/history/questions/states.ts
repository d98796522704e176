import type { ColumnTable } from "arquero";
import { dateOf } from "../../core/instant.js";
import { type OptionRules, oneOf } from "../../core/options.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import type { BaseField } from "../../tables/read/feature-columns.js";
import { ABSENT, type CellState, cellState, cellValue, stateOfCode, UNCHANGED, UNKNOWN } from "../cell/cell-state.js";
import { decidingChanges } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { isAbsent, type Presence, rowsAt } from "../cell/present-rows.js";
import type { UserId } from "../log/change-log.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";
import { GrowingUuids, JsonValues, shownUser } from "./answer-rows.js";
import { askInParts, type Question, type QuestionData, requireColumns } from "./ask.js";
import { presenceOf } from "./log-survey.js";
import { specify } from "./specification.js";
import { shownValue, stateWhere } from "./sql/cell-values.js";
import { ofLastChange } from "./sql/change-order.js";
import { changeCtes } from "./sql/cte/change-ctes.js";
import { columnCtes, existsAt, isAbsentAt, presenceCtes, presentCells } from "./sql/cte/feature-ctes.js";
import { visibleId } from "./sql/cte/interval-ctes.js";
import { type SqlExpression, usLiteral } from "./sql/dialect/literals.js";
import { type Scope, statement } from "./sql/scope.js";

/** Options of `history.states()`. */
export interface StatesOptions {
  /** Whether features that did not exist yet are left out (default) or listed with the state `absent`. */
  readonly absent?: "drop" | "keep";
}

/** What it takes. */
export const statesRules: OptionRules<StatesOptions> = {
  absent: oneOf("drop", "keep"),
};

/** A row of `history.states()`. */
export interface StateRow {
  /** Id of the feature. */
  readonly id: number;
  /** Its identifier for people. */
  readonly visible_id: string;
  /** Column of the property. */
  readonly column: string;
  /** Its value at the time. */
  readonly value: CellValue;
  /** How the value is known. */
  readonly state: CellState;
  /** The change that set it; null where none did. */
  readonly change_id: CellValue;
  /** When that change was made. */
  readonly changed_at: CellValue;
  /** The same in microseconds since 1970. */
  readonly changed_at_us: CellValue;
  /** Who made it; null for the system. */
  readonly user_id: CellValue;
  /** Whether the system made it; null where no change did. */
  readonly system: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * How each value at a time is known: `id`, `visible_id`, `column`, `value`, `state` (`logged`, `cleared`,
     * `unchanged`, `unknown`, `absent`), `change_id`, `changed_at`, `changed_at_us`, `user_id`, `system`.
     *
     * @throws ArgumentError
     */
    states(time: TimePoint, options?: StatesOptions): RowTable<StateRow>;
  }
}

/** Each state, with what it means where its name does not say so. */
const meanings: Readonly<Record<CellState, string>> = {
  logged: "logged",
  cleared: "cleared",
  unchanged: "unchanged (the log has no change of it)",
  unknown: "unknown (all changes are later)",
  absent: "absent",
};

export const statesSpecification = specify({
  summary: `How each value at a time is known: ${Object.values(meanings).join(", ")}; with the change, who and when.`,
  takes: ["at"],
  options: statesRules,
  time: (time: TimePoint, _options?: StatesOptions) => time,
  memory: (data, time: TimePoint, options: StatesOptions = {}) => ({ table: states(data, time, options) }),
  engine: statesQuestion,
});

/** One row a cell: its value at a time and how that is known. */
export function states(data: HistoryData, point: TimePoint, options: StatesOptions = {}): ColumnTable {
  const us = resolveTimePoint(point, data.timeZone);
  const { index, log } = data;
  const rows = rowsAt(data, us, options.absent);
  return statesTable(data, rows, (column): StateCells => {
    // Decided once: ten columns ask for them.
    const decisions = rows.map(decidingChanges(data, column, index.countsAt(column, us), us));
    const decision = (entry: number) => decisions[entry] as number;
    const ofChange = <T>(get: (change: number) => T) => {
      return (entry: number) => (decision(entry) < 0 ? null : get(index.order[decision(entry)] as number));
    };
    return {
      value: (entry) => cellValue(data, rows[entry] as number, column, decision(entry)),
      state: (entry) => cellState(index, decision(entry)),
      changeId: ofChange((change) => log.ids.at(change)),
      us: ofChange((change) => log.timesUs[change] as number),
      user: ofChange((change) => log.users[log.userCodes[change] as number] ?? null),
      isSystem: ofChange((change) => log.system[change] === 1),
    };
  });
}

/** What is known of the cells of a column, by their entry among the rows; of the deciding change null where there is none. */
export interface StateCells {
  value(entry: number): unknown;
  state(entry: number): CellState;
  changeId(entry: number): string | null;
  us(entry: number): number | null;
  user(entry: number): UserId | null;
  isSystem(entry: number): boolean | null;
}

/** A row for each cell of some features, feature by feature. */
function statesTable(
  { features, names }: Pick<HistoryData, "features" | "names">,
  rows: Int32Array,
  cellsOf: (column: number) => StateCells,
): ColumnTable {
  const cells = names.map((_, column) => cellsOf(column));
  const length = rows.length * names.length;
  const entryOf = (index: number) => Math.floor(index / names.length);
  const ofFeature = (field: BaseField) =>
    computedColumn(length, (index) => features.base(field).at(rows[entryOf(index)] as number));
  const ofCell = <T>(get: (cell: StateCells, entry: number) => T) =>
    computedColumn(length, (index) => {
      const cell = cells[index % names.length];
      return cell ? get(cell, entryOf(index)) : null;
    });
  return toTable([
    ["id", ofFeature("id")],
    ["visible_id", ofFeature("visible_id")],
    ["column", computedColumn(length, (index) => names[index % names.length])],
    ["value", ofCell((cell, entry) => cell.value(entry))],
    ["state", ofCell((cell, entry) => cell.state(entry))],
    ["change_id", ofCell((cell, entry) => cell.changeId(entry))],
    ["changed_at", ofCell((cell, entry) => dateOrNull(cell.us(entry)))],
    ["changed_at_us", ofCell((cell, entry) => usOrNull(cell.us(entry)))],
    ["user_id", ofCell((cell, entry) => cell.user(entry))],
    ["system", ofCell((cell, entry) => cell.isSystem(entry))],
  ]);
}

/** Null also for a value that was there before the log began. */
function usOrNull(us: number | null): number | null {
  return us === Number.NEGATIVE_INFINITY ? null : us;
}

function dateOrNull(given: number | null): Date | null {
  const us = usOrNull(given);
  return us === null ? null : dateOf(us);
}

/** How each value at a time is known. */
export function statesQuestion(data: QuestionData, point: TimePoint, options: StatesOptions): Question<ColumnTable> {
  const query = { us: resolveTimePoint(point, data.timeZone), keepsAbsent: options.absent === "keep" };
  return {
    table: (signal) => table(data, query, signal),
    statement: (scope) => statesStatement(scope, query),
    // Each change has an id and more.
    cellsPerFeature: 3 * data.columns.length,
    namesPersons: true,
  };
}

async function table(data: QuestionData, query: StatesQuery, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const present = await presenceOf(data, signal);
  const picks = new Picks(data);
  if (data.columns.length > 0) {
    const cells = 3 * data.columns.length;
    for await (const { rowCount, columns } of askInParts(data, cells, (scope) => stateCells(scope, query), signal)) {
      const told = requireColumns(columns, 7);
      for (let index = 0; index < rowCount; index += 1) picks.take(told.map((column) => column[index]));
    }
  }
  const rows = rowsAt(present, query.us, query.keepsAbsent ? "keep" : "drop");
  const find = picks.done();
  return statesTable(data, rows, (column) => cellsOf(data, present, query, rows, column, find));
}

/** The changes that decide cells. */
interface FoundPicks {
  /** Place of the change that decides a cell, or why there is none. */
  decision(row: number, column: number): number;
  /** Of the value that it made; 0 is null. */
  valueCode(pick: number): number;
  value(pick: number): unknown;
  changeId(pick: number): string;
  us(pick: number): number;
  user(pick: number): number | null;
  isSystem(pick: number): boolean;
}

class Picks {
  readonly #data: QuestionData;
  readonly #decisions: readonly Int32Array[];
  readonly #values = new JsonValues();
  readonly #codes = new GrowingArray(Int32Array);
  readonly #ids = new GrowingUuids();
  readonly #timesUs = new GrowingArray(Float64Array);
  /** NaN for nobody. */
  readonly #users = new GrowingArray(Float64Array);
  readonly #system = new GrowingArray(Int32Array);

  constructor(data: QuestionData) {
    this.#data = data;
    this.#decisions = data.columns.map(() => new Int32Array(data.features.count).fill(UNCHANGED));
  }

  take([feature, column, value, id, us, user, system]: readonly unknown[]): void {
    const row = this.#data.rowOf.get(Number(feature));
    const decisions = this.#decisions[Number(column)];
    if (row === undefined || !decisions) return;
    decisions[row] = value === null ? UNKNOWN : this.#codes.length;
    if (value === null) return;
    this.#codes.push(this.#values.code(value));
    this.#ids.push(id);
    this.#timesUs.push(Number(us));
    this.#users.push(user === null ? Number.NaN : Number(user));
    this.#system.push(Number(system));
  }

  done(): FoundPicks {
    const [codes, ids, timesUs] = [this.#codes.filled(), this.#ids.filled(), this.#timesUs.filled()];
    const [users, system] = [this.#users.filled(), this.#system.filled()];
    return {
      decision: (row, column) => this.#decisions[column]?.[row] ?? UNCHANGED,
      valueCode: (pick) => codes[pick] as number,
      value: (pick) => this.#values.values[codes[pick] as number],
      changeId: (pick) => ids.at(pick),
      us: (pick) => timesUs[pick] as number,
      user: (pick) => shownUser(this.#data, users[pick] ?? Number.NaN),
      isSystem: (pick) => system[pick] === 1,
    };
  }
}

function cellsOf(
  data: QuestionData,
  present: Presence,
  { us }: StatesQuery,
  rows: Int32Array,
  column: number,
  picks: FoundPicks,
): StateCells {
  const current = data.columns[column]?.values;
  const pickOf = (entry: number) => {
    const row = rows[entry] as number;
    return isAbsent(present, row, us) ? ABSENT : picks.decision(row, column);
  };
  const ofPick =
    <T>(get: (pick: number) => T) =>
    (entry: number) =>
      pickOf(entry) < 0 ? null : get(pickOf(entry));
  const valueAt = ofPick(picks.value);
  return {
    value: (entry) => (pickOf(entry) === UNCHANGED ? (current?.at(rows[entry] as number) ?? null) : valueAt(entry)),
    state: (entry) => stateOfCode(ofPick(picks.valueCode)(entry) ?? pickOf(entry)),
    changeId: ofPick(picks.changeId),
    us: ofPick(picks.us),
    user: ofPick(picks.user),
    isSystem: ofPick(picks.isSystem),
  };
}

/** What states are asked for. */
interface StatesQuery extends AskedStates {
  readonly us: number;
}

/** The same of a statement, which may be told the time when it runs. */
interface AskedStates {
  readonly us: number | SqlExpression;
  /** Whether features that did not exist yet are listed. */
  readonly keepsAbsent: boolean;
}

/** The cells that were ever changed: `f`, `col`, `v`, `id`, `us`, `user_id`, `system`; `v` is null where it is unknown. */
function stateCells(scope: Scope, { us }: StatesQuery): string {
  const { double } = scope.dialect;
  return statement(
    pickMembers(scope, us),
    `SELECT ${double("f")} AS f, col, picked.v AS v, picked.id AS id, ${double("picked.us")} AS us,
  ${double("picked.user_id")} AS user_id, picked.system AS system
FROM picks`,
  );
}

/** How each value at a time is known, complete by itself. */
export function statesStatement(scope: Scope, { us, keepsAbsent }: AskedStates): string {
  const { dialect } = scope;
  const now = presentCells(scope);
  const value = `CASE WHEN picked.v IS NOT NULL THEN picked.v WHEN picks.f IS NULL THEN ${now.of("cols.col")} END`;
  const state = stateWhere({
    absent: isAbsentAt(scope, us),
    unchanged: "picks.f IS NULL",
    unknown: "picked.v IS NULL",
    cleared: "picked.v = 'null'",
  });
  return statement(
    [
      ...now.members,
      ...presenceCtes(scope, [visibleId, ...now.carried], now.joins),
      ...pickMembers(scope, us),
      ...columnCtes(scope, "col"),
      `states AS (SELECT present.f, visible_id, cols.col, cols.name, picked,
    ${state} AS state,
    CASE WHEN ${existsAt(scope, us)} THEN ${value} END AS v
  FROM present CROSS JOIN cols LEFT JOIN picks ON picks.f = present.f AND picks.col = cols.col${
    scope.hasGone ? ` AND until_us > ${usLiteral(us)}` : ""
  })`,
    ],
    `SELECT f AS id, visible_id, name AS ${dialect.identifier("column")}, ${shownValue(dialect, "text", "v")} AS value, state,
  picked.id AS change_id, ${dialect.instant("picked.us")} AS changed_at, picked.us AS changed_at_us,
  picked.user_id AS user_id, picked.system AS ${dialect.identifier("system")}
FROM states${keepsAbsent ? "" : "\nWHERE state <> 'absent'"}
ORDER BY f, col`,
  );
}

/** `picks`: of each cell that was ever changed the change that decides it, as `picked`. */
function pickMembers(scope: Scope, us: number | SqlExpression): string[] {
  const { dialect } = scope;
  const change = dialect.struct([
    { name: "v", type: "text", sql: "v" },
    { name: "id", type: "text", sql: "id" },
    { name: "us", type: "bigint", sql: "us" },
    { name: "user_id", type: "bigint", sql: "user_id" },
    { name: "system", type: "boolean", sql: "is_system" },
  ]);
  return [
    ...changeCtes(
      scope,
      scope.columns.map((_, column) => column),
      { extra: ["c.user_id AS user_id", `c.${dialect.identifier("system")} AS is_system`] },
    ),
    `picks AS (SELECT f, col, ${ofLastChange(dialect, change, `us <= ${usLiteral(us)}`)} AS picked
  FROM changes GROUP BY f, col)`,
  ];
}
