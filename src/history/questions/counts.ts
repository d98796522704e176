import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { type Column, computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import { requireRows } from "../answer-size.js";
import type { CellState } from "../cell/cell-state.js";
import { datesAfterRead, type FoundTable } from "../cell/date-after-read.js";
import type { HistoryData } from "../cell/history-data.js";
import { seenDates } from "../cell/present-rows.js";
import { declaredDates } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { readCredits, requireStages, type StageCredits } from "../columns/credits.js";
import { compareValues } from "../columns/step-order.js";
import { isWeight, readWeights, type Weights } from "../columns/weights.js";
import { DateTally } from "../grid/date-sums.js";
import { groupCodes, groupColumn, PairCodes } from "../grid/group-codes.js";
import { sweepDates } from "../grid/sweep-dates.js";
import { type CellContent, cellCoding, timelines } from "../grid/timelines.js";
import { type QuantitiesAt, sweepWeights, WeightedDeltas, weightTimelines } from "../grid/weighted-steps.js";
import { type DateGrid, type Dates, resolveGrid } from "../time/date-grid.js";
import { specify } from "./define/specification.js";
import { type Question, type QuestionData, queryInBatches } from "./engine/query-in-batches.js";
import {
  AnswerGroups,
  type DatedQuestion,
  datedQuestion,
  type QuantityOptions,
  quantityRules,
  requireStoredStages,
} from "./plan/dated-plan.js";
import { decodeCell } from "./rows/cell-decoder.js";
import { readRows, rowsSelect } from "./rows/listed-rows.js";
import { castValue, stateOf, UNKNOWN_MARK, unmarked, type ValueKind } from "./sql/cell-values.js";
import {
  type DeltasQuery,
  dateCtes,
  datedColumns,
  deltaCtes,
  groupKey,
  groupValue,
  storedGroupKey,
} from "./sql/cte/delta-ctes.js";
import { askWeightless, shareOf, weighedCte } from "./sql/cte/weight-ctes.js";
import type { Dialect } from "./sql/dialect/dialect.js";
import { type Scope, statement } from "./sql/statement-scope.js";

/** The call as users write it, for messages. */
const CALL = "counts()";

const ownColumns = ["date", "state", "value", "count"];

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
     * history.counts("Status", { from: "2025-01-01", until: "2025-12-31", every: "month" });
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
  const own = data.columns[column] as PropertyColumn;
  const uncredited = credits ? requireStages(own, credits, data.everLogged(column)) : [];
  const counted = countKinds(data, column, by, dates.sortedUs, weights);
  return {
    table: countsTable(dates, { by, weights, credits }, counted),
    diagnostics: [...datesAfterRead(data, dates), ...counted.diagnostics, ...uncredited],
  };
}

/** The contents of features at dates, and how many features have them. */
interface CountedKinds {
  readonly kinds: readonly Kind[];
  /** The count, by the code of a kind and the index of a date, in order of time. */
  readonly countAt: (code: number, date: number) => number;
  /** The same for their weights. */
  readonly quantities?: QuantitiesAt | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** How a table of counts was requested. */
interface AskedCounts extends Pick<DatedQuestion, "weights" | "credits"> {
  readonly by: string | undefined;
}

/** One row for each date, as requested, and each kind that occurs then. */
function countsTable(
  { dates, rank }: DateGrid,
  { by, weights, credits }: AskedCounts,
  { kinds: unordered, countAt, quantities }: CountedKinds,
): ColumnTable {
  const kinds = [...unordered].sort(compareKinds);
  // Indices of the date and of the kind of each row.
  const [rowDates, rowKinds] = [new GrowingArray(Int32Array), new GrowingArray(Int32Array)];
  const [counts, sums, weighted] = [
    new GrowingArray(Int32Array),
    new GrowingArray(Float64Array),
    new GrowingArray(Int32Array),
  ];
  rank.forEach((day, asked) => {
    kinds.forEach(({ code }, kind) => {
      const count = countAt(code, day);
      if (count === 0) return;
      rowDates.push(asked);
      rowKinds.push(kind);
      counts.push(count);
      if (!quantities) return;
      sums.push(quantities.quantity(code, day));
      weighted.push(quantities.weighted(code, day));
    });
    requireRows(CALL, counts.length, "dates or groups");
  });
  const ofKind = <T>(get: (kind: Kind, row: number) => T) =>
    computedColumn(counts.length, (row) => get(kinds[rowKinds.at(row)] as Kind, row));
  const amounts = weights ? sums : counts;
  const earned = ({ state, value }: Kind, row: number) =>
    state === "unknown" ? null : amounts.at(row) * (credits?.share(value) ?? 0);
  const extra: (readonly [string, Column])[] = [
    ...(weights
      ? ([
          ["quantity", sums.filled()],
          ["weighted", weighted.filled()],
          ["unit", ofKind(() => weights.unit)],
        ] as const)
      : []),
    ...(credits ? [["earned", ofKind(earned)] as const] : []),
  ];
  const own = [...ownColumns, ...extra.map(([column]) => column)];
  return toTable([
    [
      "date",
      declaredDates(
        dates,
        computedColumn(counts.length, (row) => dates[rowDates.at(row)]),
      ),
    ],
    ...groupColumn(
      by,
      own,
      ofKind(({ group }) => group),
    ),
    ["state", ofKind(({ state }) => state)],
    ["value", ofKind(({ value }) => value)],
    ["count", counts.filled()],
    ...extra,
  ]);
}

/** The content of the features of a group. */
interface Kind extends CellContent {
  readonly code: number;
  readonly group: unknown;
}

/** The contents of features at the dates by group, with their counts and weights. */
function countKinds(
  data: HistoryData,
  column: number,
  by: string | undefined,
  datesUs: Float64Array,
  weights: Weights | undefined,
): CountedKinds {
  const coding = cellCoding(data, column);
  const groups = groupCodes(data, by, datesUs);
  const cells = timelines(data, column, datesUs, coding);
  const codes = new PairCodes(groups.count, coding.count);
  const kinds = () =>
    codes.pairs.flatMap(([group, outcome], code): Kind[] => {
      const entry = coding.entries[outcome];
      return entry ? [{ ...entry, code, group: groups.values[group] }] : [];
    });
  if (!weights) {
    const tally = new DateTally(CALL, datesUs.length);
    sweepDates(seenDates(data, datesUs), groups, cells, codes, tally);
    return { kinds: kinds(), countAt: tally.sum(), diagnostics: [] };
  }
  const steps = new WeightedDeltas(CALL);
  const tracks = { groups, cells, weights: weightTimelines(data, weights, datesUs) };
  const weightless = sweepWeights(data, datesUs, tracks, (cell, group, weight, date, step) => {
    const isWeighed = isWeight(weight);
    steps.take(codes.code(group, cell), date, step, isWeighed ? step : 0, isWeighed ? step * weight : 0);
  });
  const [countAt, quantities] = [steps.counts(datesUs.length), steps.sums(datesUs.length)];
  return { kinds: kinds(), countAt, quantities, diagnostics: weightless.diagnostics(weights) };
}

const stateOrder: Readonly<Record<CellState, number>> = { logged: 0, cleared: 1, unchanged: 2, unknown: 3, absent: 4 };

function compareKinds(a: Kind, b: Kind): number {
  return (
    compareValues(a.group, b.group) || stateOrder[a.state] - stateOrder[b.state] || compareValues(a.value, b.value)
  );
}

/** The question for the number of features with each value at each date. */
export function countsQuestion(
  data: QuestionData,
  name: string,
  grid: Dates,
  options: QuantityOptions,
): Question<ColumnTable> {
  const dated = datedQuestion(data, "counts", name, grid, options);
  let found: readonly Diagnostic[] = [];
  return {
    table: async (signal) => {
      const uncredited = await requireStoredStages(data, dated, signal);
      const counted = await storedKinds(data, dated, signal);
      found = [...counted.diagnostics, ...uncredited];
      return countsTable(dated.grid, { ...dated, by: options.by }, counted);
    },
    statement: async (scope, kinds, signal) => {
      await requireStoredStages(data, dated, signal);
      await askWeightless(data, dated.weights, dated.asked, signal);
      return countsStatement(scope, await kinds(dated.columns), dated);
    },
    diagnostics: () => [...datesAfterRead(data, dated.grid), ...found],
  };
}

async function storedKinds(
  data: QuestionData,
  { grid, asked, query, weights }: DatedQuestion,
  signal: AbortSignal | undefined,
): Promise<CountedKinds> {
  const steps = new WeightedDeltas(CALL);
  const groups = new AnswerGroups(data, query.by);
  const kinds = new Map<string, Kind>();
  const write = (scope: Scope) => countRows(scope, query, weights);
  const rows = await readRows(data, countShape, asked.isEmpty ? [] : queryInBatches(data, CELLS, write, signal));
  for (let row = 0; row < rows.length; row += 1) {
    const group = groups.code(rows.g(row), rows.example(row));
    const said = String(rows.v(row));
    const key = `${group} ${said}`;
    const kind = kinds.get(key) ?? { code: kinds.size, group: groups.values[group], ...decodeCell(said) };
    kinds.set(key, kind);
    steps.take(kind.code, asked.sortedPlace(rows.place(row)), rows.n(row), rows.weighted(row), rows.quantity(row));
  }
  return {
    kinds: [...kinds.values()],
    countAt: steps.counts(grid.sortedUs.length),
    quantities: weights && steps.sums(grid.sortedUs.length),
    diagnostics: await askWeightless(data, weights, asked, signal),
  };
}

/** Approximate number of changes of a feature in one or two columns. */
const CELLS = 4;

/**
 * The change in the number of features with a content from a date on: `v` and `g` as in `steps`, `example` (a feature
 * of the group), and with weights the change in the number that have one and in their sum.
 */
const countShape = {
  v: "text",
  g: "text",
  place: "number",
  n: "number",
  example: "number",
  weighted: "number",
  quantity: "number",
} as const;

function countRows(scope: Scope, query: DeltasQuery, weights: Weights | undefined): string {
  const { dialect } = scope;
  const [weighed, weighted, quantity] = weights ? [[weighedCte(dialect, weights)], WEIGHTED, QUANTITY] : [[], "0", "0"];
  const counted = `SELECT v, ${query.by.kind === "column" ? "g" : "'' AS g"}, place, sum(step) AS n, min(f) AS example,
    ${weighted} AS weighted, ${quantity} AS quantity FROM ${weights ? "weighed" : "steps"} held GROUP BY v, held.g, place`;
  return statement(
    [...deltaCtes(scope, query, groupKey(dialect, query.by)), ...weighed, `sums AS (${counted})`],
    `SELECT ${rowsSelect(dialect, countShape)} FROM sums`,
  );
}

const WEIGHTED = "sum(CASE WHEN weight IS NULL THEN 0 ELSE step END)";
const QUANTITY = "coalesce(sum(step * weight), 0)";

/**
 * The self-contained statement for the number of features with each value at each date, with their weights and earned
 * shares.
 */
function countsStatement(
  scope: Scope,
  kinds: readonly (ValueKind | undefined)[],
  { query, weights, credits }: Pick<DatedQuestion, "query" | "weights" | "credits">,
): string {
  const { dialect } = scope;
  const said = castValue(dialect, kinds[query.column], unmarked("v"));
  const added = [...(weights ? ["quantity", "weighted", "unit"] : []), ...(credits ? ["earned"] : [])];
  const { own, leading } = datedColumns(scope, kinds, query.by, [...ownColumns, ...added]);
  const [, state, value, count, ...extra] = own;
  const quantity = "CASE WHEN weighted = 0 THEN 0 ELSE quantity END";
  const shares = [
    ...(weights ? [quantity, "weighted", dialect.text(weights.unit)] : []),
    ...(credits ? [earnedOf(dialect, credits, weights ? quantity : "n")] : []),
  ].map((sql, place) => `, ${sql} AS ${extra[place]}`);
  const amounts = weights ? { cte: [weighedCte(dialect, weights)], from: "weighed" } : { cte: [], from: "steps" };
  const summed = weights ? `, ${WEIGHTED} AS weighted, ${QUANTITY} AS quantity` : "";
  const dated = weights ? ", sum(weighted) AS weighted, sum(quantity) AS quantity" : "";
  return statement(
    [
      ...deltaCtes(scope, query, storedGroupKey(dialect, query.by)),
      ...amounts.cte,
      ...dateCtes(dialect, query.dates),
      `sums AS (SELECT place, v, ${groupValue(query.by)} AS g, sum(step) AS step${summed} FROM ${amounts.from} GROUP BY place, v, ${groupValue(query.by)})`,
      `dated AS (SELECT asked, date_text, g, v, sum(step) AS n${dated} FROM sums JOIN dates ON date_place >= place
  GROUP BY asked, date_text, g, v HAVING sum(step) <> 0)`,
    ],
    `SELECT ${leading}, ${stateOf("v")} AS ${state}, ${said} AS ${value}, n AS ${count}${shares.join("")}
FROM dated ORDER BY dated.asked, dated.g, dated.v`,
  );
}

/** The earned amount of a value, which is null if its share is unknown. */
function earnedOf(dialect: Dialect, credits: StageCredits, amount: string): string {
  return `CASE WHEN v <> '${UNKNOWN_MARK}' THEN ${dialect.double(amount)} * coalesce(${shareOf(dialect, credits, unmarked("v"))}, 0) END`;
}
