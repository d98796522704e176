import type { ColumnTable } from "arquero";
import { US_PER_DAY } from "../../core/instant.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { compareValues, type StepOptions, stepRules, type ValueRanks } from "../columns/step-order.js";
import { PairCodes } from "../grid/group-codes.js";
import { lengthHeld } from "../time/time-unit.js";
import { specify } from "./define/specification.js";
import { type Question, type QuestionData, queryAll } from "./engine/query-in-batches.js";
import { askedOrder } from "./plan/value-kinds.js";
import {
  type AnswerData,
  backwardColumn,
  type ListedColumn,
  listedStatement,
  listedTable,
  sameColumn,
  valueColumn,
} from "./rows/listed-columns.js";
import { type ListedRows, readRows, rowsInOrder, rowsSelect } from "./rows/read-rows.js";
import type { ValueKind } from "./sql/cell-values.js";
import { moveCtes } from "./sql/cte/interval-ctes.js";
import { type Scope, statement } from "./sql/statement-scope.js";
import { orderOf, stepStarts } from "./steps.js";

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns how often one value followed another: `from`, `to`, `count`, `median_days` (how long the first value
     * held). A cleared value is null. The first value after an unknown one is not a transition. With `order`, adds
     * `backward`.
     *
     * @param column name of a property column
     * @example
     * ```ts
     * history.transitions("STATUS", { order: ["OPEN", "IN_PROGRESS", "BLOCKED", "RESOLVED", "CLOSED"] })
     * ```
     * @throws ArgumentError also for an order that repeats a value, or that has an unknown value but omits an occurring
     * one
     */
    transitions(column: string, options?: StepOptions): RowTable<TransitionRow>;
  }
}

export const transitionsSpecification = specify({
  summary: "How often one value of a column followed another, and how long the first lasted.",
  takes: ["column"],
  options: stepRules,
  memory: (data, column: string, options: StepOptions = {}) => ({ table: transitions(data, column, options) }),
  engine: transitionsQuestion,
});

/** How often one value followed another, and how long the first value held. */
export function transitions(data: HistoryData, name: string, options: StepOptions = {}): RowTable<TransitionRow> {
  const column = chooseColumn(data.names, name);
  const ranks = orderOf(data, column, options);
  const intervals = intervalsOf(data, column);
  const { valueCodes } = data.index;
  const { values } = data.log;
  const codes = new PairCodes(values.length, values.length);
  const counts: number[] = [];
  const heldUs: number[][] = [];
  for (const interval of stepStarts(intervals)) {
    const [before, after] = [intervals.decisions[interval - 1] as number, intervals.decisions[interval] as number];
    const pair = codes.code(valueCodes[before] as number, valueCodes[after] as number);
    const durationUs = (intervals.toUs[interval - 1] as number) - (intervals.fromUs[interval - 1] as number);
    counts[pair] = (counts[pair] ?? 0) + 1;
    // Values from before the log have no known length.
    if (!Number.isFinite(durationUs)) continue;
    const lengths = heldUs[pair];
    if (lengths) lengths.push(durationUs);
    else heldUs[pair] = [durationUs];
  }
  const sideOf = (index: 0 | 1) => (pair: number) => values[codes.pairs[pair]?.[index] as number];
  return transitionsTable(data, ranks, {
    length: codes.pairs.length,
    a: sideOf(0),
    b: sideOf(1),
    n: (pair) => counts[pair] as number,
    median_us: (pair) => (heldUs[pair] ? median(heldUs[pair]) : Number.NaN),
  });
}

/** How often one value followed another, and how long the first value held; NaN if no length is known. */
const pairShape = { a: "value", b: "value", n: "number", median_us: "number" } as const;

/** A row of `history.transitions()`. Values are those of the property: strings, numbers or any other JSON. */
export interface TransitionRow {
  /** The first value. */
  readonly from: CellValue;
  /** The value that followed. */
  readonly to: CellValue;
  /** Number of times. */
  readonly count: number;
  /** Median time that the first value held, in days of 24 hours; null if it always held since before the log began. */
  readonly median_days: number | null;
  /** With `order`, whether the step leads back; null for a value missing from the order. */
  readonly backward?: boolean | null;
}

/** @param kind kind of the values in the column */
function pairColumns(ranks: ValueRanks | undefined, kind?: ValueKind): ListedColumn<ListedRows<typeof pairShape>>[] {
  return [
    valueColumn("from", "a", kind),
    valueColumn("to", "b", kind),
    sameColumn("count", "n"),
    {
      name: "median_days",
      at: (rows) => (row) => lengthHeld(rows.median_us(row), US_PER_DAY),
      sql: () => `median_us / ${US_PER_DAY}`,
    },
    ...(ranks ? [backwardColumn(ranks)] : []),
  ];
}

/** A row for each pair of values, the most frequent first, with `backward` if an order is given. */
function transitionsTable(
  data: AnswerData,
  ranks: ValueRanks | undefined,
  rows: ListedRows<typeof pairShape>,
): RowTable<TransitionRow> {
  const { a, b, n } = rows;
  const order = Array.from({ length: rows.length }, (_, pair) => pair).sort(
    (p, q) => n(q) - n(p) || compareValues(a(p), a(q)) || compareValues(b(p), b(q)),
  );
  return listedTable(data, pairColumns(ranks), rowsInOrder(rows, order)) as RowTable<TransitionRow>;
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >>> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** The question for how often one value followed another. */
export function transitionsQuestion(data: QuestionData, name: string, options: StepOptions): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const order = (signal: AbortSignal | undefined) => askedOrder(data, column, options, signal);
  const rows = (scope: Scope) =>
    statement(pairMembers(scope, column), `SELECT ${rowsSelect(scope.dialect, pairShape)} FROM medians`);
  return {
    table: async (signal) =>
      transitionsTable(data, await order(signal), await readRows(data, pairShape, queryAll(data, rows, signal))),
    statement: async (scope, kinds, signal) => {
      const columns = pairColumns(await order(signal), (await kinds([column]))[column]);
      return listedStatement(scope, pairMembers(scope, column), columns, "FROM medians ORDER BY n DESC, a, b");
    },
  };
}

/** `medians`: engines have no exact median in common, so the middle of the sorted values is selected. */
function pairMembers(scope: Scope, column: number): string[] {
  const { double, quotient } = scope.dialect;
  return [
    ...moveCtes(scope, column),
    `ordered AS (SELECT a, b, held, row_number() OVER (PARTITION BY a, b ORDER BY held) AS place,
    count(*) OVER (PARTITION BY a, b) AS n FROM moves)`,
    `medians AS (SELECT a, b, n, avg(${double("held")}) AS median_us
  FROM ordered WHERE place IN (${quotient("(n + 1)", "2")}, ${quotient("(n + 2)", "2")}) GROUP BY a, b, n)`,
  ];
}
