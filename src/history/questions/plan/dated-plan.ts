import type { Diagnostic } from "../../../core/diagnostic.js";
import type { OptionRules } from "../../../core/options.js";
import type { PropertyColumn } from "../../../layer/property-columns.js";
import { baseFields, isBaseField } from "../../../tables/read/feature-columns.js";
import { chooseColumn } from "../../columns/choose-columns.js";
import {
  type CreditOptions,
  creditRules,
  readCredits,
  requireStages,
  type StageCredits,
} from "../../columns/credits.js";
import {
  INVALID,
  MISSING,
  storedWeights,
  Weightless,
  type WeightOptions,
  type Weights,
  weightRules,
} from "../../columns/weights.js";
import { type GroupOptions, groupRules } from "../../grid/group-codes.js";
import { ValueDictionary } from "../../log/change-log.js";
import { type DateGrid, type Dates, resolveGrid } from "../../time/date-grid.js";
import { type QuestionData, queryInBatches, rowOfFeature } from "../engine/query-in-batches.js";
import { plainValue } from "../rows/cell-decoder.js";
import { readRows } from "../rows/read-rows.js";
import { UNKNOWN_MARK, unmarked } from "../sql/cell-values.js";
import {
  type DeltasQuery,
  deltaCtes,
  type Grouping,
  type StoredDate,
  type StoredDeltas,
  weightOf,
} from "../sql/cte/delta-ctes.js";
import type { Dialect } from "../sql/dialect/dialect.js";
import { statement } from "../sql/statement-scope.js";
import { loggedValues } from "./value-kinds.js";

/** Options of `history.counts()` and `history.totals()`. */
export interface QuantityOptions extends GroupOptions, WeightOptions, CreditOptions {}

/** Rules for the options of both. */
export const quantityRules: OptionRules<QuantityOptions> = { ...groupRules, ...weightRules, ...creditRules };

/** Approximate number of changes of a feature in one or two columns. */
export const CELLS_PER_COLUMN = 4;

/** A question about many dates, with its arguments checked and resolved. */
export interface DatedPlan {
  readonly grid: DateGrid;
  readonly dated: AskedDates;
  readonly query: StoredDeltas;
  /** Indices of the columns in the question. */
  readonly columns: readonly number[];
  readonly weights: Weights | undefined;
  readonly credits: StageCredits | undefined;
}

/**
 * Resolves a question about a column at many dates.
 *
 * @param call the call as users write it: `counts`
 * @throws ArgumentError for missing columns
 */
export function datedPlan(
  data: QuestionData,
  call: string,
  name: string,
  dates: Dates,
  options: QuantityOptions,
): DatedPlan {
  const { by } = options;
  const column = chooseColumn(data.names, name);
  const grid = resolveGrid(dates, data.timeZone);
  const dated = askedDates(grid);
  const grouping = groupingBy(data, by);
  const columns = grouping.kind === "column" ? [column, grouping.column] : [column];
  const weights = storedWeights(data, call, options);
  const credits = readCredits(options.credits);
  return { grid, dated, query: { column, by: grouping, weight: weights?.column, ...dated }, columns, weights, credits };
}

/**
 * Diagnostics about the credits.
 *
 * @throws ArgumentError for stages that no feature ever had
 */
export async function requireStoredStages(
  data: QuestionData,
  { query, credits }: DatedPlan,
  signal: AbortSignal | undefined,
): Promise<readonly Diagnostic[]> {
  if (!credits) return [];
  const { column } = query;
  return requireStages(data.columns[column] as PropertyColumn, credits, await loggedValues(data, column, signal));
}

/**
 * Diagnostics about the features that have no weight at some date; empty without weights.
 *
 * @throws ArgumentError if no value is a weight
 */
export async function askWeightless(
  data: QuestionData,
  weights: Weights | undefined,
  { datesUs, isEmpty }: Pick<AskedDates, "datesUs" | "isEmpty">,
  signal: AbortSignal | undefined,
): Promise<readonly Diagnostic[]> {
  if (!weights || isEmpty) return [];
  const weightless = new Weightless();
  const query: DeltasQuery = { column: weights.column as number, datesUs, by: { kind: "none" } };
  const number = (dialect: Dialect) => weightOf(dialect, weights, unmarked("v"));
  const rows = queryInBatches(
    data,
    CELLS_PER_COLUMN,
    (scope) =>
      statement(
        [
          ...deltaCtes(scope, query, undefined),
          "held AS (SELECT f, place, v FROM deltas GROUP BY f, place, v HAVING sum(step) > 0)",
          `judged AS (SELECT f, CASE WHEN ${unmarked("v")} IN ('null', '${UNKNOWN_MARK}') THEN 'missing'
    WHEN coalesce(${number(scope.dialect)}, -1) < 0 THEN 'invalid' ELSE 'weighed' END AS kind FROM held)`,
        ],
        // One feature with a weight is enough.
        `SELECT ${scope.dialect.double("f")} AS feature, kind FROM judged WHERE kind <> 'weighed' GROUP BY f, kind
UNION ALL SELECT ${scope.dialect.double("min(f)")}, kind FROM judged WHERE kind = 'weighed' GROUP BY kind`,
      ),
    signal,
  );
  const { length, f, kind } = await readRows(data, { f: "number", kind: "text" } as const, rows);
  for (let row = 0; row < length; row += 1) {
    weightless.add(kind(row) === "weighed" ? 0 : kind(row) === "invalid" ? INVALID : MISSING, f(row));
  }
  return weightless.diagnostics(weights);
}

function groupingBy({ names }: QuestionData, by: string | undefined): Grouping {
  if (by === undefined) return { kind: "none" };
  if (isBaseField(by)) return { kind: "field", field: by };
  return { kind: "column", column: chooseColumn(names, by, baseFields) };
}

/** The distinct dates of the request, for statements. */
export interface AskedDates {
  /** Ascending. If no date is requested, one unused date is kept, because statements need one. */
  readonly datesUs: readonly number[];
  readonly isEmpty: boolean;
  /** As requested. */
  readonly dates: readonly StoredDate[];
  /**
   * Index among the sorted requested dates of the first that an index in `datesUs` means; their number for the index
   * after the last.
   */
  sortedPlace(index: number): number;
}

export function askedDates({ dates, sortedUs, rank }: DateGrid): AskedDates {
  const firsts = Array.from(sortedUs.keys()).filter((index) => index === 0 || sortedUs[index] !== sortedUs[index - 1]);
  const placeOf = new Map(firsts.map((sorted, index) => [sortedUs[sorted], index]));
  return {
    datesUs: firsts.length > 0 ? firsts.map((sorted) => sortedUs[sorted] as number) : [0],
    isEmpty: firsts.length === 0,
    dates: dates.map((date, index) => ({
      text: date instanceof Date ? date.toISOString() : date,
      index: placeOf.get(sortedUs[rank[index] as number]) ?? 0,
    })),
    sortedPlace: (index) => firsts[index] ?? sortedUs.length,
  };
}

/** The groups of the rows of an answer, by code. */
export class AnswerGroups {
  readonly #data: QuestionData;
  readonly #by: Grouping;
  readonly #dictionary = new ValueDictionary();

  constructor(data: QuestionData, by: Grouping) {
    this.#data = data;
    this.#by = by;
    // The single group exists even without features.
    if (by.kind === "none") this.#dictionary.code(null);
  }

  get values(): readonly unknown[] {
    return this.#dictionary.values;
  }

  /**
   * Returns the code of a group.
   *
   * @param text the value of a property, as JSON text with or as a mark
   * @param example id of a feature of the group
   */
  code(text: unknown, example: unknown): number {
    if (this.#by.kind === "none") return this.#dictionary.code(null);
    if (this.#by.kind === "column") return this.#dictionary.code(text === UNKNOWN_MARK ? null : plainValue(text));
    const row = rowOfFeature(this.#data, example);
    return this.#dictionary.code(this.#data.features.base(this.#by.field).at(row));
  }
}
