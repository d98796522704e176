import type { ColumnTable } from "arquero";
import { US_PER_DAY } from "../../core/instant.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { compareValues, type StepOptions, stepRules } from "../columns/step-order.js";
import type { ValuePlaces } from "../columns/value-places.js";
import { PairCodes } from "../grid/group-codes.js";
import { askAll, type Question, type QuestionData, requireColumns } from "./ask.js";
import { specify } from "./specification.js";
import { backward, shownValue, type ValueKind } from "./sql/cell-values.js";
import { moveCtes } from "./sql/cte/interval-ctes.js";
import { type Scope, statement } from "./sql/scope.js";
import { orderOf, stepStarts } from "./steps.js";
import { askedOrder } from "./value-kinds.js";

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * How often one value followed another: `from`, `to`, `count`, `median_days` (how long the first had held).
     * Cleared is null; a first value after unknown is no transition. With `order` also `backward`.
     *
     * @param column name of a property column
     * @throws ArgumentError also for an order with a value twice, or one that the column never had in place of another
     */
    transitions(column: string, options?: StepOptions): RowTable<TransitionRow>;
  }
}

export const transitionsSpecification = specify({
  summary: "How often one value of a column followed another, and how long the first had held.",
  takes: ["column"],
  options: stepRules,
  memory: (data, column: string, options: StepOptions = {}) => ({ table: transitions(data, column, options) }),
  engine: transitionsQuestion,
});

/** How often one value followed another, and how long the first had held. */
export function transitions(data: HistoryData, name: string, options: StepOptions = {}): RowTable<TransitionRow> {
  const column = chooseColumn(data.names, name);
  const places = orderOf(data, column, options);
  const spans = intervalsOf(data, column);
  const { valueCodes } = data.index;
  const { values } = data.log;
  const codes = new PairCodes(values.length, values.length);
  const counts: number[] = [];
  const heldUs: number[][] = [];
  for (const span of stepStarts(spans)) {
    const [before, after] = [spans.decisions[span - 1] as number, spans.decisions[span] as number];
    const pair = codes.code(valueCodes[before] as number, valueCodes[after] as number);
    const held = (spans.toUs[span - 1] as number) - (spans.fromUs[span - 1] as number);
    counts[pair] = (counts[pair] ?? 0) + 1;
    // What held since before the log has no known length.
    if (!Number.isFinite(held)) continue;
    const known = heldUs[pair];
    if (known) known.push(held);
    else heldUs[pair] = [held];
  }
  return transitionsTable(
    codes.pairs.map(([from, to], pair) => {
      const held = heldUs[pair];
      return {
        from: values[from],
        to: values[to],
        count: counts[pair] as number,
        medianUs: held ? median(held) : null,
      };
    }),
    places,
  );
}

/** How often one value followed another. */
export interface Transition {
  readonly from: CellValue;
  readonly to: CellValue;
  readonly count: number;
  /** How long the first had held; null if no such length is known. */
  readonly medianUs: number | null;
}

/** A row of `history.transitions()`. Values are what the property holds: texts, numbers, whatever JSON has. */
export interface TransitionRow {
  /** The first value. */
  readonly from: CellValue;
  /** The value that followed. */
  readonly to: CellValue;
  /** How often. */
  readonly count: number;
  /** How long the first had held, in days of 24 hours; null if it always held since before the log began. */
  readonly median_days: number | null;
  /** With `order`: whether the step leads back; null where a value has no place in it. */
  readonly backward?: boolean | null;
}

/** A row for each pair of values, the most frequent first, with `backward` if an order is known. */
function transitionsTable(
  transitions: readonly Transition[],
  places: ValuePlaces | undefined,
): RowTable<TransitionRow> {
  const rows = [...transitions].sort(
    (a, b) => b.count - a.count || compareValues(a.from, b.from) || compareValues(a.to, b.to),
  );
  const table = toTable([
    ["from", rows.map(({ from }) => from)],
    ["to", rows.map(({ to }) => to)],
    ["count", rows.map(({ count }) => count)],
    ["median_days", rows.map(({ medianUs }) => (medianUs === null ? null : medianUs / US_PER_DAY))],
    ...(places ? [["backward", rows.map(({ from, to }) => places.isBackward(from, to))] as const] : []),
  ]);
  return table as RowTable<TransitionRow>;
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >>> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** How often one value followed another. */
export function transitionsQuestion(data: QuestionData, name: string, options: StepOptions): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const order = (signal: AbortSignal | undefined) => askedOrder(data, column, options, signal);
  return {
    table: async (signal) => {
      const places = await order(signal);
      const found: Transition[] = [];
      for await (const { rowCount, columns } of askAll(data, (scope) => transitionRows(scope, column), signal)) {
        const [from, to, count, medianUs] = requireColumns(columns, 4);
        for (let index = 0; index < rowCount; index += 1) {
          found.push({
            from: JSON.parse(String(from[index])),
            to: JSON.parse(String(to[index])),
            count: Number(count[index]),
            medianUs: Number(medianUs[index]),
          });
        }
      }
      return transitionsTable(found, places);
    },
    statement: async (scope, kinds, signal) =>
      transitionsStatement(scope, (await kinds([column]))[column], column, await order(signal)),
  };
}

/** How often one value followed another: `a`, `b` (JSON texts), `n`, `median_us`. */
function transitionRows(scope: Scope, column: number): string {
  return statement(
    pairMembers(scope, column),
    `SELECT a, b, ${scope.dialect.double("n")} AS n, median_us FROM medians`,
  );
}

/** How often one value followed another, complete by itself. */
function transitionsStatement(
  scope: Scope,
  kind: ValueKind | undefined,
  column: number,
  places: ValuePlaces | undefined,
): string {
  const { dialect } = scope;
  const shown = (value: string) => shownValue(dialect, kind, value);
  return statement(
    pairMembers(scope, column),
    `SELECT ${shown("a")} AS ${dialect.identifier("from")}, ${shown("b")} AS ${dialect.identifier("to")},
  n AS ${dialect.identifier("count")}, median_us / ${US_PER_DAY} AS median_days${places ? `,\n  ${backward(dialect, places, "a", "b")} AS backward` : ""}
FROM medians ORDER BY n DESC, a, b`,
  );
}

/** `medians`: engines have no median in common that is exact, so the middle of those in order is taken. */
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
