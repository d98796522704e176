import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { valueKind } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import { requireRows } from "../answer-size.js";
import { datesAfterRead, type FoundTable } from "../cell/date-after-read.js";
import type { HistoryData } from "../cell/history-data.js";
import { seenDates } from "../cell/present-rows.js";
import { declaredDates } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { readCredits, requireStages, type StageCredits } from "../columns/credits.js";
import { compareValues } from "../columns/step-order.js";
import { leftOutDiagnostic, type Summands, summandsOf } from "../columns/summands.js";
import { definedUnit, isWeight, readWeights, type Weights } from "../columns/weights.js";
import { DateSums, DateTally } from "../grid/date-sums.js";
import { groupCodes, groupColumn, PairCodes } from "../grid/group-codes.js";
import { sweepDates } from "../grid/sweep-dates.js";
import { type CellContent, cellCoding, timelines } from "../grid/timelines.js";
import { sweepWeights, weightTimelines } from "../grid/weighted-steps.js";
import { type DateGrid, type Dates, resolveGrid } from "../time/date-grid.js";
import { specify } from "./define/specification.js";
import {
  type Question,
  type QuestionData,
  queryAll,
  queryInBatches,
  requireColumns,
} from "./engine/query-in-batches.js";
import {
  AnswerGroups,
  type DatedQuestion,
  datedQuestion,
  type QuantityOptions,
  quantityRules,
  requireStoredStages,
} from "./plan/dated-plan.js";
import { type ListedRows, readRows, rowsSelect } from "./rows/listed-rows.js";
import { castValue, UNKNOWN_MARK, unmarked, type ValueKind } from "./sql/cell-values.js";
import { dateCtes, datedColumns, deltaCtes, groupKey, groupValue, storedGroupKey } from "./sql/cte/delta-ctes.js";
import { askWeightless, shareOf, weighedCte } from "./sql/cte/weight-ctes.js";
import type { Dialect } from "./sql/dialect/dialect.js";
import { numberCheck } from "./sql/log-statements.js";
import { type Scope, statement } from "./sql/statement-scope.js";

/** The call as users write it, for messages. */
const CALL = "totals()";

const ownColumns = ["date", "sum", "count", "unknown"];

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
     * history.totals("Estimated loss", ["2025-06-30", "2025-12-31"], { by: "Status" });
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
  const own = data.columns[column] as PropertyColumn;
  const uncredited = credits ? requireStages(own, credits, data.everLogged(column)) : [];
  const sums = sumGroups(data, column, by, dates.sortedUs, { weights, credits });
  return {
    table: totalsTable(dates, { by, unit: unitOf(own, weights, credits) }, sums),
    diagnostics: [...datesAfterRead(data, dates), ...leftOut(own, dates, sums), ...sums.diagnostics, ...uncredited],
  };
}

/** Unit of the numbers times weights; undefined without weights. */
function unitOf(
  column: NamedColumn | undefined,
  weights: Weights | undefined,
  credits: StageCredits | undefined,
): string | undefined {
  const own = credits ? undefined : definedUnit(column);
  return weights && (own === undefined ? weights.unit : `${own}·${weights.unit}`);
}

/** Diagnostics about the values that sums leave out. */
function leftOut(column: NamedColumn | undefined, { rank }: DateGrid, sums: GroupSums): readonly Diagnostic[] {
  const counts = [...rank].map((day) => sums.groups.reduce<number>((all, _, code) => all + sums.leftOut(code, day), 0));
  const all = counts.reduce((sum, count) => sum + count, 0);
  return leftOutDiagnostic(column, summandsOf(column), all, counts.filter((count) => count > 0).length);
}

/** Sums of the features of groups at dates, by the code of the group and the index of the date, in order of time. */
interface GroupSums {
  readonly groups: readonly unknown[];
  present(group: number, date: number): number;
  sum(group: number, date: number): number;
  count(group: number, date: number): number;
  unknown(group: number, date: number): number;
  /** Number of values that do not fit the type of the column's definition. */
  leftOut(group: number, date: number): number;
  /** Diagnostics about their weights. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A row for each date, as requested, and with `by` for each group that has features then. */
function totalsTable(
  { dates, rank }: DateGrid,
  { by, unit }: { readonly by: string | undefined; readonly unit: string | undefined },
  at: GroupSums,
): ColumnTable {
  const ordered = at.groups.map((group, code) => ({ group, code })).sort((a, b) => compareValues(a.group, b.group));
  // Indices of the date and of the group of each row.
  const [rowDates, rowGroups] = [new GrowingArray(Int32Array), new GrowingArray(Int32Array)];
  rank.forEach((day, asked) => {
    ordered.forEach(({ code }, group) => {
      if (by !== undefined && at.present(code, day) === 0) return;
      rowDates.push(asked);
      rowGroups.push(group);
    });
    requireRows(CALL, rowDates.length, "dates or groups");
  });
  const each = <T>(get: (code: number, day: number) => T) =>
    computedColumn(rowDates.length, (row) =>
      get(ordered[rowGroups.at(row)]?.code as number, rank[rowDates.at(row)] as number),
    );
  return toTable([
    [
      "date",
      declaredDates(
        dates,
        computedColumn(rowDates.length, (row) => dates[rowDates.at(row)]),
      ),
    ],
    ...groupColumn(
      by,
      unit === undefined ? ownColumns : [...ownColumns, "unit"],
      computedColumn(rowDates.length, (row) => ordered[rowGroups.at(row)]?.group),
    ),
    // Adding and subtracting the same value may leave a rounding error.
    ["sum", each((code, day) => (at.count(code, day) === 0 ? 0 : at.sum(code, day)))],
    ["count", each(at.count)],
    ["unknown", each(at.unknown)],
    ...(unit === undefined ? [] : [["unit", each(() => unit)] as const]),
  ]);
}

function requireNumbers(column: string | undefined, summands: Summands, entries: readonly CellContent[]): void {
  const values = entries.flatMap(({ value }) => (isNone(value) ? [] : [value]));
  if (values.length === 0 || (summands.canBe && values.some((value) => typeof value === "number"))) return;
  throw noNumbers(column, summands, values[0]);
}

/** A sum over strings would be 0, which looks like a result. */
function noNumbers(column: string | undefined, { canBe, type }: Summands, value: unknown): ArgumentError {
  const what = canBe ? `it holds ${valueKind(value)}` : `its definition's type is ${type}`;
  return new ArgumentError(`totals(): ${showValue(column)} has no numbers: ${what}.`, {
    hint: `To count features by value, use counts(${showValue(column)}, …).`,
    facts: { column },
  });
}

/** The existing groups, and the sums of their features at each date. */
function sumGroups(
  data: HistoryData,
  column: number,
  by: string | undefined,
  datesUs: Float64Array,
  { weights, credits }: Pick<DatedQuestion, "weights" | "credits">,
): GroupSums {
  const coding = cellCoding(data, column);
  const summands = summandsOf(data.columns[column]);
  if (!credits) requireNumbers(data.names[column], summands, coding.entries);
  const amounts = coding.entries.map(({ value }) => {
    if (credits) return isNone(value) ? undefined : (credits.share(value) ?? 0);
    return summands.includes(value) ? value : undefined;
  });
  const groups = groupCodes(data, by, datesUs);
  const cells = timelines(data, column, datesUs, coding);
  const sums = new DateSums(CALL, groups.count, datesUs.length);
  const tally = () => new DateTally(CALL, datesUs.length);
  const [present, counted, unknown, leftOut] = [tally(), tally(), tally(), tally()];
  const add = (cell: number, group: number, weight: number, date: number, step: number) => {
    const said = coding.entries[cell];
    present.add(group, date, step);
    if (said?.state === "unknown") unknown.add(group, date, step);
    const amount = amounts[cell];
    if (amount === undefined) {
      if (summands.areTyped && !credits && !isNone(said?.value)) leftOut.add(group, date, step);
      return;
    }
    if (!isWeight(weight)) return;
    counted.add(group, date, step);
    sums.add(group, date, step * amount * weight);
  };
  let diagnostics: readonly Diagnostic[] = [];
  if (weights) {
    const tracks = { groups, cells, weights: weightTimelines(data, weights, datesUs) };
    diagnostics = sweepWeights(data, datesUs, tracks, add).diagnostics(weights);
  } else {
    const kinds = new PairCodes(groups.count, coding.count);
    const count = (kind: number, date: number, step: number) =>
      add(kinds.second(kind), kinds.first(kind), 1, date, step);
    sweepDates(seenDates(data, datesUs), groups, cells, kinds, {
      appear: (kind, date) => count(kind, date, 1),
      change: (before, now, date) => {
        count(before, date, -1);
        count(now, date, 1);
      },
      leave: (kind, date) => count(kind, date, -1),
    });
  }
  return {
    groups: groups.values,
    present: present.sum(),
    sum: sums.sum(),
    count: counted.sum(),
    unknown: unknown.sum(),
    leftOut: leftOut.sum(),
    diagnostics,
  };
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

/** The question for the sums of a column's numbers at each date. */
export function totalsQuestion(
  data: QuestionData,
  name: string,
  grid: Dates,
  options: QuantityOptions,
): Question<ColumnTable> {
  const dated = datedQuestion(data, "totals", name, grid, options);
  const { weights, credits, query } = dated;
  const property = data.columns[query.column];
  const summands = summandsOf(property);
  const kind = summands.areIntegers ? "integer" : "number";
  let found: readonly Diagnostic[] = [];
  return {
    table: async (signal) => {
      const uncredited = await requireStoredStages(data, dated, signal);
      const steps = await stepsOf(data, dated, kind, signal);
      if (!credits && (!steps.hasNumbers || !summands.canBe)) {
        await requireLoggedNumbers(data, query.column, summands, signal);
      }
      const weightless = await askWeightless(data, weights, dated.asked, signal);
      const sums = steps.sums(dated.grid.sortedUs.length, summands.areTyped && !credits, weightless);
      found = [...leftOut(property, dated.grid, sums), ...weightless, ...uncredited];
      return totalsTable(dated.grid, { by: options.by, unit: unitOf(property, weights, credits) }, sums);
    },
    statement: async (scope, askKinds, signal) => {
      const { column } = query;
      await requireStoredStages(data, dated, signal);
      const kinds = await askKinds(dated.columns);
      if (!credits && (kinds[column] !== "number" || !summands.canBe)) {
        await requireLoggedNumbers(data, column, summands, signal);
      }
      await askWeightless(data, weights, dated.asked, signal);
      return totalsStatement(scope, kinds, dated, { kind, unit: unitOf(property, weights, credits) });
    },
    diagnostics: () => [...datesAfterRead(data, dated.grid), ...found],
  };
}

/** Approximate number of changes of a feature in one or two columns. */
const CELLS = 4;

/** Change in the sum of a group from the date at an index; `example` is a feature of the group. */
const stepShape = {
  g: "text",
  place: "number",
  total: "number",
  counted: "number",
  unknown: "number",
  present: "number",
  other: "number",
  example: "number",
} as const;

async function stepsOf(
  data: QuestionData,
  dated: DatedQuestion,
  kind: SummandKind,
  signal: AbortSignal | undefined,
): Promise<Steps> {
  const { asked, query } = dated;
  const groups = new AnswerGroups(data, query.by);
  const write = (scope: Scope) => totalRows(scope, dated, kind);
  const answers = asked.isEmpty ? [] : queryInBatches(data, CELLS, write, signal);
  const { place, ...rows } = await readRows(data, stepShape, answers);
  return new Steps(groups, { ...rows, place: (row) => asked.sortedPlace(place(row)) });
}

type StepRows = ListedRows<typeof stepShape>;

class Steps {
  readonly #groups: AnswerGroups;
  readonly #rows: StepRows;
  /** Codes of the groups of the rows. */
  readonly #codes: Int32Array;

  constructor(groups: AnswerGroups, rows: StepRows) {
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
    const tally = (values: (row: number) => number) => add(values, new DateTally(CALL, dateCount));
    return {
      groups: this.#groups.values,
      present: tally(rows.present),
      sum: add(rows.total, new DateSums(CALL, this.#groups.values.length, dateCount)),
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

/** The parameters of the sums of steps. */
type Summed = Pick<DatedQuestion, "weights" | "credits">;

/** `numbers`: the steps with the number that is added or subtracted; null if the value is not a number. */
function numbersCtes(dialect: Dialect, kind: SummandKind, { weights, credits }: Summed): string[] {
  const number = credits ? shareOf(dialect, credits, "said") : dialect.double(castValue(dialect, kind, "said"));
  const numbers = `numbers AS (SELECT f, place, step, v, g, said, ${number} AS number${weights ? ", weight" : ""}
  FROM (SELECT f, place, step, v, g, ${unmarked("v")} AS said${weights ? ", weight" : ""} FROM ${weights ? "weighed" : "steps"}) told)`;
  return weights ? [weighedCte(dialect, weights), numbers] : [numbers];
}

/** The summed numbers: all, or only integers. */
type SummandKind = "number" | "integer";

function summed({ weights }: Summed): string {
  const [amount, isNone] = weights
    ? ["number * weight", "number IS NULL OR weight IS NULL"]
    : ["number", "number IS NULL"];
  return `coalesce(sum(step * ${amount}), 0) AS total, sum(CASE WHEN ${isNone} THEN 0 ELSE step END) AS counted,
    sum(CASE WHEN v = '${UNKNOWN_MARK}' THEN step ELSE 0 END) AS unknown, sum(step) AS present,
    sum(CASE WHEN number IS NULL AND said NOT IN ('null', '${UNKNOWN_MARK}') THEN step ELSE 0 END) AS other`;
}

function totalRows(scope: Scope, dated: Summed & Pick<DatedQuestion, "query">, kind: SummandKind): string {
  const { by } = dated.query;
  const members = [
    ...deltaCtes(scope, dated.query, groupKey(scope.dialect, by)),
    ...numbersCtes(scope.dialect, kind, dated),
    `sums AS (SELECT ${by.kind === "column" ? "g" : "'' AS g"}, place, min(f) AS example, ${summed(dated)} FROM numbers GROUP BY numbers.g, place)`,
  ];
  return statement(members, `SELECT ${rowsSelect(scope.dialect, stepShape)} FROM sums`);
}

/** The self-contained statement for the sums of a column's numbers at each date. */
function totalsStatement(
  scope: Scope,
  kinds: readonly (ValueKind | undefined)[],
  dated: Summed & Pick<DatedQuestion, "query">,
  { kind, unit }: { readonly kind: SummandKind; readonly unit: string | undefined },
): string {
  const { dialect } = scope;
  const { query } = dated;
  const isGrouped = query.by.kind !== "none";
  const names = unit === undefined ? ownColumns : [...ownColumns, "unit"];
  const { own, leading } = datedColumns(scope, kinds, query.by, names);
  const [, sum, count, unknown, units] = own;
  const all = (name: string) => `sum(${name}) AS ${name}`;
  // Without groups, each date has a row, even before the first feature.
  const nothing = isGrouped
    ? ""
    : `\n  UNION ALL SELECT ${dialect.none("text")}, 0, ${dialect.double("0")}, 0, 0, 0, 0`;
  const weight = dated.weights ? ", weight" : "";
  return statement(
    [
      ...deltaCtes(scope, query, storedGroupKey(dialect, query.by)),
      ...numbersCtes(dialect, kind, dated),
      ...dateCtes(dialect, query.dates),
      `grouped AS (SELECT place, step, v, said, number${weight}, ${groupValue(query.by)} AS g FROM numbers)`,
      `sums AS (SELECT g, place, ${summed(dated)} FROM grouped GROUP BY g, place${nothing})`,
      `dated AS (SELECT asked, date_text, g, ${["total", "counted", "unknown", "present"].map(all).join(", ")}
  FROM dates JOIN sums ON date_place >= place GROUP BY asked, date_text, g)`,
    ],
    `SELECT ${leading}, CASE WHEN counted = 0 THEN 0 ELSE total END AS ${sum}, counted AS ${count}, dated.unknown AS ${unknown}${
      unit === undefined ? "" : `, ${dialect.text(unit)} AS ${units}`
    }
FROM dated${isGrouped ? "\nWHERE present > 0" : ""}
ORDER BY dated.asked, dated.g`,
  );
}
