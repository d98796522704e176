import type { ColumnTable } from "arquero";
import type { OptionRules } from "../../core/options.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { type Intervals, intervalsOf } from "../cell/cell-intervals.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { type StepOptions, stepOrder, stepRules, type ValueRanks } from "../columns/step-order.js";
import { type CalendarOption, calendarRule, givenCalendar, type TimeUnit, toldUnits } from "../time/time-unit.js";
import { specify } from "./define/specification.js";
import { type Question, type QuestionData, queryInBatches } from "./engine/query-in-batches.js";
import { askedOrder } from "./plan/value-kinds.js";
import {
  backwardColumn,
  changeAt,
  changeIdColumn,
  featureColumns,
  type ListedColumn,
  lengthColumns,
  listedStatement,
  listedTable,
  madeColumns,
  valueColumn,
} from "./rows/listed-columns.js";
import { changeShape, type ListedRows, readRows, rowsSelect } from "./rows/read-rows.js";
import type { ValueKind } from "./sql/cell-values.js";
import type { Carried } from "./sql/cte/feature-ctes.js";
import { moveCtes, visibleId } from "./sql/cte/interval-ctes.js";
import { sqlLengths } from "./sql/cte/working-ctes.js";
import { type Scope, statement } from "./sql/statement-scope.js";

/** Options of `history.steps()`. */
export interface StepsOptions extends StepOptions, CalendarOption {}

/** Rules for the options. */
const stepsRules: OptionRules<StepsOptions> = { ...stepRules, calendar: calendarRule };

/** A row of `history.steps()`. */
export interface StepRow {
  /** Id of the feature. */
  readonly id: number;
  /** Identifier of the feature that users see. */
  readonly visible_id: string;
  /** The value that the feature left. */
  readonly from: CellValue;
  /** The value that followed. */
  readonly to: CellValue;
  /** How long `from` held, in days of 24 hours, with `calendar` in working days; null if the start is unknown. */
  readonly days: CellValue;
  /** With `calendar`, the same in working hours. */
  readonly hours?: CellValue;
  /** Id of the edit. */
  readonly change_id: string;
  /** When it was made. */
  readonly changed_at: Date;
  /** The same time in microseconds since 1970. */
  readonly changed_at_us: number;
  /** User who made it; null for the system. */
  readonly user_id: CellValue;
  /** Whether the system made it. */
  readonly system: boolean;
  /** With `order`, whether the step leads back; null for a value missing from the order. */
  readonly backward?: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the single steps that `transitions` counts, by feature, in order of time: `id`, `visible_id`, `from`,
     * `to`, `days` (how long `from` held), and the edit: `change_id`, `changed_at`, `changed_at_us`, `user_id`,
     * `system`. With `order`, adds `backward`. With `calendar`, `days` are working days, and working `hours` follow.
     *
     * @param column name of a property column
     * @example
     * ```ts
     * const order = ["OPEN", "IN_PROGRESS", "BLOCKED", "RESOLVED", "CLOSED"];
     * history.steps("STATUS", { order }).select("visible_id", "from", "to", "days", "backward")
     * ```
     * @throws ArgumentError as `transitions`
     */
    steps(column: string, options?: StepsOptions): RowTable<StepRow>;
  }
}

export const stepsSpecification = specify({
  summary: "Each step from one value of a column to another, with the change, user and time.",
  takes: ["column"],
  options: stepsRules,
  memory: (data, column: string, options: StepsOptions = {}) => ({ table: steps(data, column, options) }),
  engine: stepsQuestion,
});

/** One row per step from one value to another, by feature, in order of time. */
export function steps(data: HistoryData, name: string, options: StepsOptions = {}): ColumnTable {
  const column = chooseColumn(data.names, name);
  const ranks = orderOf(data, column, options);
  const intervals = intervalsOf(data, column);
  const starts = stepStarts(intervals);
  const { index, log } = data;
  const intervalOf = (step: number) => starts[step] as number;
  const value = (interval: number) => log.values[index.valueCodes[intervals.decisions[interval] as number] as number];
  const changeOf = (step: number) => index.order[intervals.decisions[intervalOf(step)] as number] as number;
  const fromUs = (interval: number) => intervals.fromUs[interval] as number;
  const units = toldUnits(givenCalendar(options));
  return listedTable(data, stepsColumns({ units, ranks }), {
    length: starts.length,
    ...changeAt(data, changeOf),
    f: (step) => intervals.rows[intervalOf(step)] as number,
    us: (step) => fromUs(intervalOf(step)),
    a: (step) => value(intervalOf(step) - 1),
    b: (step) => value(intervalOf(step)),
    held: (step, unit) => (units[unit] as TimeUnit).length(fromUs(intervalOf(step) - 1), fromUs(intervalOf(step))),
  });
}

/** Ranks of a column's values in the requested order; undefined without an order. */
export function orderOf(data: HistoryData, column: number, { order }: StepOptions): ValueRanks | undefined {
  const propertyColumn = data.columns[column];
  if (order === undefined || !propertyColumn) return undefined;
  return stepOrder(propertyColumn, order, data.everLogged(column));
}

/** The intervals that follow a logged value. */
export function stepStarts({ length, rows, decisions }: Intervals): Int32Array {
  const starts = new Int32Array(length);
  let count = 0;
  for (let interval = 1; interval < length; interval += 1) {
    if ((decisions[interval - 1] as number) < 0 || rows[interval - 1] !== rows[interval]) continue;
    starts[count] = interval;
    count += 1;
  }
  return starts.subarray(0, count);
}

/** Each step: its values, the change, and how long the first value held. */
const stepsShape = (units: readonly TimeUnit[]) =>
  ({ f: "feature", a: "value", b: "value", ...changeShape, held: units }) as const;

/** The data that the columns of steps depend on. */
interface ToldSteps {
  readonly units: readonly TimeUnit[];
  readonly ranks: ValueRanks | undefined;
  /** Kind of the values in the column. */
  readonly kind?: ValueKind | undefined;
}

function stepsColumns({ units, ranks, kind }: ToldSteps): ListedColumn<ListedRows<ReturnType<typeof stepsShape>>>[] {
  return [
    ...featureColumns,
    valueColumn("from", "a", kind),
    valueColumn("to", "b", kind),
    ...lengthColumns(units),
    changeIdColumn,
    ...madeColumns,
    ...(ranks ? [backwardColumn(ranks)] : []),
  ];
}

/** Approximate number of changes of a feature in a column, with their users. */
const CELLS = 6;

/** Each step from one value to another. */
export function stepsQuestion(data: QuestionData, name: string, options: StepsOptions): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const working = givenCalendar(options);
  const units = toldUnits(working);
  const shape = stepsShape(units);
  const members = (scope: Scope, carried: readonly Carried[]) => {
    // Logged values have a known start.
    const lengths = sqlLengths(data, scope.dialect, working, { from: "(us - held)", to: "us" });
    const lengthSql = lengths.columns.map((length) => `, ${length.sql} AS held_${length.name}`).join("");
    return [
      ...moveCtes(scope, column, carried, userColumns(scope)),
      ...lengths.members,
      `steps AS (SELECT moves.*${lengthSql} FROM moves${lengths.joins})`,
    ];
  };
  const from = "FROM steps ORDER BY f, us";
  const rows = (scope: Scope) => statement(members(scope, []), `SELECT ${rowsSelect(scope.dialect, shape)} ${from}`);
  return {
    table: async (signal) => {
      const ranks = await askedOrder(data, column, options, signal);
      const read = await readRows(data, shape, queryInBatches(data, CELLS, rows, signal));
      return listedTable(data, stepsColumns({ units, ranks }), read);
    },
    statement: async (scope, kinds, signal) => {
      const kind = (await kinds([column]))[column];
      const ranks = await askedOrder(data, column, options, signal);
      return listedStatement(scope, members(scope, [visibleId]), stepsColumns({ units, ranks, kind }), from);
    },
    cellsPerFeature: CELLS,
    namesPersons: true,
  };
}

/** The user of a step. */
function userColumns({ dialect }: Scope): readonly Carried[] {
  return [
    { name: "user_id", sql: "c.user_id" },
    { name: "is_system", sql: `c.${dialect.identifier("system")}` },
  ];
}
