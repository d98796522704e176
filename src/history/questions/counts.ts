import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import type { CellState } from "../cell/cell-state.js";
import { datesAfterRead, type FoundTable } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { readCredits, requireStages } from "../columns/credits.js";
import { readWeights } from "../columns/weights.js";
import { WeightedDeltas } from "../grid/date-sums.js";
import { type Dates, resolveGrid } from "../time/date-grid.js";
import { specify } from "./define/specification.js";
import { type Question, type QuestionData, queryInBatches } from "./engine/query-in-batches.js";
import { countKinds } from "./memory/amounts-at-dates.js";
import {
  AnswerGroups,
  askWeightless,
  CELLS_PER_COLUMN,
  datedPlan,
  type QuantityOptions,
  quantityRules,
  requireStoredStages,
} from "./plan/dated-plan.js";
import { type CountedKinds, countsTable, type Kind } from "./rows/amount-tables.js";
import { decodeCell } from "./rows/cell-decoder.js";
import { type ListedRows, readRows } from "./rows/read-rows.js";
import { countRows, countShape, countsStatement, weighedCountShape } from "./sql/amount-statements.js";

/** A row of `history.counts()`. */
export interface CountRow {
  /** The date as requested. */
  readonly date: CellValue;
  /** How the value is known. */
  readonly state: CellState;
  /** The value of the features. */
  readonly value: CellValue;
  /** Number of features. */
  readonly count: number;
  /** With `weight`, their total weight. */
  readonly quantity?: number;
  /** With `weight`, the number of features that have a weight. */
  readonly weighted?: number;
  /** With `weight`, its unit. */
  readonly unit?: CellValue;
  /** With `credits`, the share of the quantity, or of the count, that the value earns; null if unknown. */
  readonly earned?: CellValue;
  /** The columns of `by`, by name. */
  readonly [column: string]: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the number of features that have each value on each date, among the features that existed then: `date`,
     * `state`, `value`, `count`. `by` adds a column of its name after `date`: a base field, or a property as of the
     * same date.
     *
     * With `weight`, adds `quantity` (their total weight as of the same date), `weighted` (the number of features with
     * a weight) and `unit`. With `credits`, adds `earned`, the share of the quantity, or of the count, that the value
     * earns (null if unknown).
     *
     * @param column name of a property column
     * @example
     * ```ts
     * const counts = history.counts("STATUS", { from: "2026-01-31", until: "2026-06-30", every: "month" });
     * counts.groupby("date").pivot("value", "count")
     * ```
     * @throws ArgumentError also for stages that no feature ever had, and for invalid weights
     */
    counts(column: string, grid: Dates, options?: QuantityOptions): RowTable<CountRow>;
  }
}

export const countsSpecification = specify({
  summary: "Number of features with each value of a column at many dates.",
  takes: ["column", "dates"],
  options: quantityRules,
  memory: counts,
  engine: countsQuestion,
});

/**
 * The number of features for each content at each date, one row per content that occurs; with diagnostics for dates
 * after the log was read.
 */
export function counts(data: HistoryData, name: string, grid: Dates, options: QuantityOptions = {}): FoundTable {
  const { by } = options;
  const column = chooseColumn(data.names, name);
  const dates = resolveGrid(grid, data.timeZone);
  const weights = readWeights(data, options);
  const credits = readCredits(options.credits);
  const propertyColumn = data.columns[column] as PropertyColumn;
  const uncredited = credits ? requireStages(propertyColumn, credits, data.everLogged(column)) : [];
  const counted = countKinds(data, column, by, dates.sortedUs, weights);
  return {
    table: countsTable(dates, { by, weights, credits }, counted),
    diagnostics: [...datesAfterRead(data, dates), ...counted.diagnostics, ...uncredited],
  };
}

/** The question for the number of features with each value at each date. */
export function countsQuestion(
  data: QuestionData,
  name: string,
  grid: Dates,
  options: QuantityOptions,
): Question<ColumnTable> {
  const plan = datedPlan(data, "counts", name, grid, options);
  const { dated, weights, query } = plan;
  let diagnostics: readonly Diagnostic[] = [];
  return {
    table: async (signal) => {
      const uncredited = await requireStoredStages(data, plan, signal);
      const batches = dated.isEmpty
        ? []
        : queryInBatches(data, CELLS_PER_COLUMN, (scope) => countRows(scope, plan), signal);
      const rows = await readRows(data, weights ? weighedCountShape : countShape, batches);
      const groups = new AnswerGroups(data, query.by);
      const counted = countedKinds(rows, groups, dated.sortedPlace, plan.grid.sortedUs.length);
      const weightless = await askWeightless(data, weights, dated, signal);
      diagnostics = [...weightless, ...uncredited];
      return countsTable(plan.grid, { ...plan, by: options.by }, counted);
    },
    statement: async (scope, kinds, signal) => {
      await requireStoredStages(data, plan, signal);
      await askWeightless(data, weights, dated, signal);
      return countsStatement(scope, await kinds(plan.columns), plan);
    },
    diagnostics: () => [...datesAfterRead(data, plan.grid), ...diagnostics],
  };
}

/** @param sortedPlace returns the index of a date from its index in the statement */
function countedKinds(
  rows: ListedRows<typeof countShape> | ListedRows<typeof weighedCountShape>,
  groups: AnswerGroups,
  sortedPlace: (index: number) => number,
  dateCount: number,
): CountedKinds {
  const deltas = new WeightedDeltas("counts()");
  const kinds = new Map<string, Kind>();
  const weighed = "weighted" in rows ? rows : undefined;
  for (let row = 0; row < rows.length; row += 1) {
    const group = groups.code(rows.g(row), rows.example(row));
    const text = String(rows.v(row));
    const key = `${group} ${text}`;
    const kind = kinds.get(key) ?? { code: kinds.size, group: groups.values[group], ...decodeCell(text) };
    kinds.set(key, kind);
    const [weighted, quantity] = weighed ? [weighed.weighted(row), weighed.quantity(row)] : [0, 0];
    deltas.take(kind.code, sortedPlace(rows.place(row)), rows.n(row), weighted, quantity);
  }
  return {
    kinds: [...kinds.values()],
    countAt: deltas.counts(dateCount),
    quantities: weighed && deltas.sums(dateCount),
  };
}
