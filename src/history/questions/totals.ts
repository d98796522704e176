import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { datesAfterRead, type FoundTable } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { readCredits, requireStages, type StageCredits } from "../columns/credits.js";
import { leftOutDiagnostic, type Summands, summandsOf } from "../columns/summands.js";
import { definedUnit, readWeights, type Weights } from "../columns/weights.js";
import { DateSums, DateTally } from "../grid/date-sums.js";
import { type DateGrid, type Dates, resolveGrid } from "../time/date-grid.js";
import { specify } from "./define/specification.js";
import {
  type Question,
  type QuestionData,
  queryAll,
  queryInBatches,
  requireColumns,
} from "./engine/query-in-batches.js";
import { noNumbers, sumGroups } from "./memory/amounts-at-dates.js";
import {
  AnswerGroups,
  askWeightless,
  CELLS_PER_COLUMN,
  datedPlan,
  type QuantityOptions,
  quantityRules,
  requireStoredStages,
} from "./plan/dated-plan.js";
import { type GroupSums, totalsTable } from "./rows/amount-tables.js";
import { type ListedRows, readRows } from "./rows/read-rows.js";
import { totalRows, totalShape, totalsStatement } from "./sql/amount-statements.js";
import { numberCheck } from "./sql/log-statements.js";

/** A row of `history.totals()`. */
export interface TotalRow {
  /** The date as requested. */
  readonly date: CellValue;
  /** Sum of the numbers. */
  readonly sum: number;
  /** Number of summed numbers. */
  readonly count: number;
  /** Number of features with an unknown value. */
  readonly unknown: number;
  /** With `weight`, the unit of the sum. */
  readonly unit?: CellValue;
  /** The columns of `by`, by name. */
  readonly [column: string]: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the sums of a column's numbers at each date: `date`, `sum`, `count` (summed numbers), `unknown` (features
     * with an unknown value). `by` works as in `counts`. Values that do not fit the type of the column's definition,
     * such as 2.5 for an INTEGER, are excluded from sums, as in exports and SQL; `diagnostics` counts them.
     *
     * With `weight`, each number is multiplied by the feature's weight as of the same date (for example modules times
     * their rated power), and `unit` is added. With `credits`, each value counts as the share that it earns.
     *
     * @param column name of a property column of numbers, or with `credits` of stages
     * @example
     * ```ts
     * history.totals("Cost estimate", ["2025-06-30", "2025-12-31"], { by: "PRIORITY" })
     * ```
     * @throws ArgumentError also for a column without numbers
     */
    totals(column: string, grid: Dates, options?: QuantityOptions): RowTable<TotalRow>;
  }
}

export const totalsSpecification = specify({
  summary: "Sums of a numeric column at many dates.",
  takes: ["column", "dates"],
  options: quantityRules,
  memory: totals,
  engine: totalsQuestion,
});

/**
 * Sums of the numbers of the features that exist at each date; a row for each date, and with `by` for each group that
 * exists then. Numbers are the same as in exports: fractions in an INTEGER column do not count.
 */
export function totals(data: HistoryData, name: string, grid: Dates, options: QuantityOptions = {}): FoundTable {
  const { by } = options;
  const column = chooseColumn(data.names, name);
  const dates = resolveGrid(grid, data.timeZone);
  const weights = readWeights(data, options);
  const credits = readCredits(options.credits);
  const propertyColumn = data.columns[column] as PropertyColumn;
  const uncredited = credits ? requireStages(propertyColumn, credits, data.everLogged(column)) : [];
  const sums = sumGroups(data, column, by, dates.sortedUs, { weights, credits });
  return {
    table: totalsTable(dates, { by, unit: unitOf(propertyColumn, weights, credits) }, sums),
    diagnostics: [
      ...datesAfterRead(data, dates),
      ...leftOut(propertyColumn, dates, sums),
      ...sums.diagnostics,
      ...uncredited,
    ],
  };
}

/** Unit of the numbers times weights; undefined without weights. */
function unitOf(
  column: NamedColumn | undefined,
  weights: Weights | undefined,
  credits: StageCredits | undefined,
): string | undefined {
  const columnUnit = credits ? undefined : definedUnit(column);
  return weights && (columnUnit === undefined ? weights.unit : `${columnUnit}·${weights.unit}`);
}

/** Diagnostics about the values that sums leave out. */
function leftOut(column: NamedColumn | undefined, { rank }: DateGrid, sums: GroupSums): readonly Diagnostic[] {
  const counts = [...rank].map((day) => sums.groups.reduce<number>((all, _, code) => all + sums.leftOut(code, day), 0));
  const all = counts.reduce((sum, count) => sum + count, 0);
  return leftOutDiagnostic(column, summandsOf(column), all, counts.filter((count) => count > 0).length);
}

/** The question for the sums of a column's numbers at each date. */
export function totalsQuestion(
  data: QuestionData,
  name: string,
  grid: Dates,
  options: QuantityOptions,
): Question<ColumnTable> {
  const plan = datedPlan(data, "totals", name, grid, options);
  const { dated, weights, credits, query } = plan;
  const property = data.columns[query.column];
  const summands = summandsOf(property);
  const kind = summands.areIntegers ? "integer" : "number";
  const unit = unitOf(property, weights, credits);
  let diagnostics: readonly Diagnostic[] = [];
  return {
    table: async (signal) => {
      const uncredited = await requireStoredStages(data, plan, signal);
      const batches = dated.isEmpty
        ? []
        : queryInBatches(data, CELLS_PER_COLUMN, (scope) => totalRows(scope, plan, kind), signal);
      const rows = await readRows(data, totalShape, batches);
      const deltas = new TotalDeltas(new AnswerGroups(data, query.by), {
        ...rows,
        place: (row) => dated.sortedPlace(rows.place(row)),
      });
      if (!credits && (!deltas.hasNumbers || !summands.canBe)) {
        await requireLoggedNumbers(data, query.column, summands, signal);
      }
      const weightless = await askWeightless(data, weights, dated, signal);
      const sums = deltas.sums(plan.grid.sortedUs.length, summands.areTyped && !credits, weightless);
      diagnostics = [...leftOut(property, plan.grid, sums), ...weightless, ...uncredited];
      return totalsTable(plan.grid, { by: options.by, unit }, sums);
    },
    statement: async (scope, askKinds, signal) => {
      const { column } = query;
      await requireStoredStages(data, plan, signal);
      const kinds = await askKinds(plan.columns);
      if (!credits && (kinds[column] !== "number" || !summands.canBe)) {
        await requireLoggedNumbers(data, column, summands, signal);
      }
      await askWeightless(data, weights, dated, signal);
      return totalsStatement(scope, kinds, plan, { kind, unit });
    },
    diagnostics: () => [...datesAfterRead(data, plan.grid), ...diagnostics],
  };
}

type TotalRows = ListedRows<typeof totalShape>;

/** Changes in the sums of groups from dates on, as an engine returns them. */
class TotalDeltas {
  readonly #groups: AnswerGroups;
  readonly #rows: TotalRows;
  /** Codes of the groups of the rows. */
  readonly #codes: Int32Array;

  constructor(groups: AnswerGroups, rows: TotalRows) {
    this.#groups = groups;
    this.#rows = rows;
    this.#codes = Int32Array.from({ length: rows.length }, (_, row) => groups.code(rows.g(row), rows.example(row)));
  }

  get hasNumbers(): boolean {
    return this.#codes.some((_, row) => this.#rows.counted(row) !== 0);
  }

  sums(dateCount: number, areTyped: boolean, diagnostics: readonly Diagnostic[]): GroupSums {
    const rows = this.#rows;
    const add = (values: (row: number) => number, to: DateTally | DateSums) => {
      this.#codes.forEach((group, row) => {
        to.add(group, rows.place(row), values(row));
      });
      return to.sum();
    };
    const tally = (values: (row: number) => number) => add(values, new DateTally("totals()", dateCount));
    return {
      groups: this.#groups.values,
      present: tally(rows.present),
      sum: add(rows.total, new DateSums("totals()", this.#groups.values.length, dateCount)),
      count: tally(rows.counted),
      unknown: tally(rows.unknown),
      leftOut: areTyped ? tally(rows.other) : () => 0,
      diagnostics,
    };
  }
}

async function requireLoggedNumbers(
  data: QuestionData,
  column: number,
  summands: Summands,
  signal: AbortSignal | undefined,
): Promise<void> {
  const first: unknown[] = [];
  for await (const { rowCount, columns } of queryAll(data, (scope) => numberCheck(scope, column), signal)) {
    const [parts, numbers, firstValues] = requireColumns(columns, 3);
    for (let index = 0; index < rowCount; index += 1) {
      if (numbers[index] !== 0 && summands.canBe) return;
      first[Number(parts[index])] = firstValues[index];
    }
  }
  const value = first.find((text) => typeof text === "string");
  if (value !== undefined) throw noNumbers(data.names[column], summands, JSON.parse(String(value)));
}
