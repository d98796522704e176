import type { ColumnTable } from "arquero";
import { dateOf } from "../../core/instant.js";
import type { OptionRules } from "../../core/options.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import type { BaseField } from "../../tables/read/feature-columns.js";
import { type Intervals, intervalsOf } from "../cell/cell-intervals.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { type StepOptions, stepOrder, stepRules } from "../columns/step-order.js";
import type { ValuePlaces } from "../columns/value-places.js";
import type { UserId } from "../log/change-log.js";
import {
  type CalendarOption,
  calendarRule,
  givenCalendar,
  lengthHeld,
  type TimeUnit,
  toldUnits,
} from "../time/time-unit.js";
import { GrowingUuids, JsonValues, shownUser } from "./answer-rows.js";
import { askInParts, type Question, type QuestionData, requireColumns, rowOfFeature } from "./ask.js";
import { specify } from "./specification.js";
import { backward, shownValue, type ValueKind } from "./sql/cell-values.js";
import type { Carried } from "./sql/cte/feature-ctes.js";
import { moveCtes, visibleId } from "./sql/cte/interval-ctes.js";
import { type SqlLengths, sqlLengths } from "./sql/cte/working-ctes.js";
import { type Scope, statement } from "./sql/scope.js";
import { askedOrder } from "./value-kinds.js";

/** Options of `history.steps()`. */
export interface StepsOptions extends StepOptions, CalendarOption {}

/** What it takes. */
const stepsRules: OptionRules<StepsOptions> = { ...stepRules, calendar: calendarRule };

/** A row of `history.steps()`. */
export interface StepRow {
  /** Id of the feature. */
  readonly id: number;
  /** Its identifier for people. */
  readonly visible_id: string;
  /** The value that the feature left. */
  readonly from: CellValue;
  /** The value that followed. */
  readonly to: CellValue;
  /** How long `from` had held, in days of 24 hours, with a `calendar` in working days; null if the start is unknown. */
  readonly days: CellValue;
  /** With a `calendar`: the same in working hours. */
  readonly hours?: CellValue;
  /** The edit. */
  readonly change_id: string;
  /** When it was made. */
  readonly changed_at: Date;
  /** The same in microseconds since 1970. */
  readonly changed_at_us: number;
  /** Who made it; null for the system. */
  readonly user_id: CellValue;
  /** Whether the system made it. */
  readonly system: boolean;
  /** With `order`: whether the step leads back; null where a value has no place in it. */
  readonly backward?: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Each single step that `transitions` counts, feature by feature, in order of time: `id`, `visible_id`, `from`, `to`,
     * `days` (how long `from` had held), and the edit: `change_id`, `changed_at`, `changed_at_us`, `user_id`, `system`.
     * With `order` also `backward`. With a `calendar`, `days` are working days, and working `hours` stand behind them.
     *
     * @param column name of a property column
     * @throws ArgumentError like `transitions`
     */
    steps(column: string, options?: StepsOptions): RowTable<StepRow>;
  }
}

export const stepsSpecification = specify({
  summary: "Each single step from one value of a column to another, with the change, who and when.",
  takes: ["column"],
  options: stepsRules,
  memory: (data, column: string, options: StepsOptions = {}) => ({ table: steps(data, column, options) }),
  engine: stepsQuestion,
});

/** One row a step from one value to another, feature by feature, in order of time. */
export function steps(data: HistoryData, name: string, options: StepsOptions = {}): ColumnTable {
  const column = chooseColumn(data.names, name);
  const places = orderOf(data, column, options);
  const spans = intervalsOf(data, column);
  const starts = stepStarts(spans);
  const { index, log } = data;
  const spanOf = (step: number) => starts[step] as number;
  const value = (span: number) => log.values[index.valueCodes[spans.decisions[span] as number] as number];
  const changeOf = (step: number) => index.order[spans.decisions[spanOf(step)] as number] as number;
  const fromUs = (span: number) => spans.fromUs[span] as number;
  const units = toldUnits(givenCalendar(options));
  return stepsTable(
    data,
    units,
    {
      length: starts.length,
      row: (step) => spans.rows[spanOf(step)] as number,
      from: (step) => value(spanOf(step) - 1),
      to: (step) => value(spanOf(step)),
      heldIn: (step, unit) => (units[unit] as TimeUnit).length(fromUs(spanOf(step) - 1), fromUs(spanOf(step))),
      changeId: (step) => log.ids.at(changeOf(step)),
      us: (step) => fromUs(spanOf(step)),
      user: (step) => log.users[log.userCodes[changeOf(step)] as number] ?? null,
      isSystem: (step) => log.system[changeOf(step)] === 1,
    },
    places,
  );
}

/** The places of a column's values in the order that is asked for; undefined where none is. */
export function orderOf(data: HistoryData, column: number, { order }: StepOptions): ValuePlaces | undefined {
  const own = data.columns[column];
  if (order === undefined || !own) return undefined;
  return stepOrder(own, order, data.everLogged(column));
}

/** The spans that a step leads to: those before which a change had set another value. */
export function stepStarts({ length, rows, decisions }: Intervals): Int32Array {
  const starts = new Int32Array(length);
  let count = 0;
  for (let span = 1; span < length; span += 1) {
    if ((decisions[span - 1] as number) < 0 || rows[span - 1] !== rows[span]) continue;
    starts[count] = span;
    count += 1;
  }
  return starts.subarray(0, count);
}

/** Steps from value to value, by number. */
interface ListedSteps {
  readonly length: number;
  row(step: number): number;
  from(step: number): unknown;
  to(step: number): unknown;
  /** How long the first value had held, in a unit that is told, by its place. */
  heldIn(step: number, unit: number): number;
  changeId(step: number): string;
  us(step: number): number;
  user(step: number): UserId | null;
  isSystem(step: number): boolean;
}

/** A row for each step, with `backward` if an order is known. */
function stepsTable(
  { features }: Pick<HistoryData, "features">,
  units: readonly TimeUnit[],
  listed: ListedSteps,
  places: ValuePlaces | undefined,
): ColumnTable {
  const each = <T>(get: (step: number) => T) => computedColumn(listed.length, get);
  const ofFeature = (field: BaseField) => each((step) => features.base(field).at(listed.row(step)));
  return toTable([
    ["id", ofFeature("id")],
    ["visible_id", ofFeature("visible_id")],
    ["from", each((step) => listed.from(step))],
    ["to", each((step) => listed.to(step))],
    ...units.map(
      ({ name, whole }, unit) => [name, each((step) => lengthHeld(listed.heldIn(step, unit), whole))] as const,
    ),
    ["change_id", each((step) => listed.changeId(step))],
    ["changed_at", each((step) => dateOf(listed.us(step)))],
    ["changed_at_us", each((step) => listed.us(step))],
    ["user_id", each((step) => listed.user(step))],
    ["system", each((step) => listed.isSystem(step))],
    ...(places ? [["backward", each((step) => places.isBackward(listed.from(step), listed.to(step)))] as const] : []),
  ]);
}

/** Changes of a feature in a column, about, with who made each. */
const CELLS = 6;

/** Each step from one value to another. */
export function stepsQuestion(data: QuestionData, name: string, options: StepsOptions): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const working = givenCalendar(options);
  const query: StepsQuery = {
    column,
    units: toldUnits(working),
    // What is logged has a beginning.
    lengths: ({ dialect }) => sqlLengths(data, dialect, working, { from: "(us - held)", to: "us" }),
  };
  const order = (signal: AbortSignal | undefined) => askedOrder(data, column, options, signal);
  return {
    table: async (signal) => table(data, query, await order(signal), signal),
    statement: async (scope, kinds, signal) =>
      stepsStatement(scope, (await kinds([column]))[column], query, await order(signal)),
    cellsPerFeature: CELLS,
    namesPersons: true,
  };
}

/** What steps ask. */
interface StepsQuery {
  readonly column: number;
  readonly units: readonly TimeUnit[];
  /** How long the value before had held. */
  lengths(scope: Scope): SqlLengths;
}

async function table(
  data: QuestionData,
  query: StepsQuery,
  places: ValuePlaces | undefined,
  signal: AbortSignal | undefined,
): Promise<ColumnTable> {
  const said = new JsonValues();
  const [rows, from, to, system] = [ints(), ints(), ints(), ints()];
  const { units } = query;
  const [held, timesUs] = [units.map(floats), floats()];
  /** NaN for nobody. */
  const users = floats();
  const ids = new GrowingUuids();
  for await (const { rowCount, columns } of askInParts(data, CELLS, (scope) => stepRows(scope, query), signal)) {
    const [features, before, after, changeIds, times, people, automatic, ...lengths] = requireColumns(columns, 7);
    ids.pushAll(changeIds, rowCount);
    for (let index = 0; index < rowCount; index += 1) {
      rows.push(rowOfFeature(data, features[index]));
      from.push(said.code(before[index]));
      to.push(said.code(after[index]));
      held.forEach((own, unit) => {
        own.push(Number((lengths[unit] as ArrayLike<unknown>)[index] ?? Number.NaN));
      });
      timesUs.push(Number(times[index]));
      const user = people[index];
      users.push(user === null ? Number.NaN : Number(user));
      system.push(Number(automatic[index]));
    }
  }
  const { values } = said;
  const [rowOf, froms, tos, isSystem] = [rows.filled(), from.filled(), to.filled(), system.filled()];
  const [lengths, madeUs, madeBy, changeIds] = [
    held.map((own) => own.filled()),
    timesUs.filled(),
    users.filled(),
    ids.filled(),
  ];
  return stepsTable(
    data,
    units,
    {
      length: rowOf.length,
      row: (step) => rowOf[step] as number,
      from: (step) => values[froms[step] as number],
      to: (step) => values[tos[step] as number],
      heldIn: (step, unit) => lengths[unit]?.[step] as number,
      changeId: (step) => changeIds.at(step),
      us: (step) => madeUs[step] as number,
      user: (step) => shownUser(data, madeBy[step] ?? Number.NaN),
      isSystem: (step) => isSystem[step] === 1,
    },
    places,
  );
}

function ints(): GrowingArray<Int32Array> {
  return new GrowingArray(Int32Array);
}

function floats(): GrowingArray<Float64Array> {
  return new GrowingArray(Float64Array);
}

/** Each step: `f`, `a`, `b` (JSON texts), `id`, `us`, `user_id`, `is_system`, and how long `a` had held; in order. */
function stepRows(scope: Scope, { column, lengths }: StepsQuery): string {
  const { double } = scope.dialect;
  const { members, joins, columns } = lengths(scope);
  const held = columns.map(({ name, sql }) => `, ${double(sql)} AS held_${name}`).join("");
  return statement(
    [...moveCtes(scope, column, [], told(scope)), ...members],
    `SELECT ${double("f")} AS feature, a, b, id, ${double("us")} AS made,
  ${double("user_id")} AS made_by, is_system${held}
FROM moves${joins} ORDER BY f, us`,
  );
}

/** Each step, complete by itself. */
function stepsStatement(
  scope: Scope,
  kind: ValueKind | undefined,
  { column, lengths }: StepsQuery,
  places: ValuePlaces | undefined,
): string {
  const { dialect } = scope;
  const { members, joins, columns } = lengths(scope);
  const shown = (value: string) => shownValue(dialect, kind, value);
  const held = columns.map(
    ({ name, sql, whole }) => `${dialect.double(`(${sql})`)} / ${whole} AS ${dialect.identifier(name)}, `,
  );
  return statement(
    [...moveCtes(scope, column, [visibleId], told(scope)), ...members],
    `SELECT f AS id, visible_id, ${shown("a")} AS ${dialect.identifier("from")}, ${shown("b")} AS ${dialect.identifier("to")},
  ${held.join("")}${dialect.cast("id", "text")} AS change_id, ${dialect.instant("us")} AS changed_at,
  us AS changed_at_us, user_id, is_system AS ${dialect.identifier("system")}${places ? `,\n  ${backward(dialect, places, "a", "b")} AS backward` : ""}
FROM moves${joins} ORDER BY f, us`,
  );
}

/** Who made a step. */
function told({ dialect }: Scope): readonly Carried[] {
  return [
    { name: "user_id", sql: "c.user_id" },
    { name: "is_system", sql: `c.${dialect.identifier("system")}` },
  ];
}
