import type { ColumnTable } from "arquero";
import type { Finding } from "../../../../core/finding.js";
import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { datesBeyondReading } from "../../../cell/beyond-reading.js";
import { type Summands, summandsOf } from "../../../columns/summands.js";
import { DateSums, DateTally } from "../../../grid/date-sums.js";
import type { GroupOptions } from "../../../tables/counts.js";
import { type GroupSums, leftOut, noNumbers, totalsTable } from "../../../tables/totals.js";
import type { Grid } from "../../../time/date-grid.js";
import { askAll, askInParts, type Question, type QuestionData } from "../../ask.js";
import { AnswerGroups, type DatedQuestion, datedQuestion } from "../../dated-question.js";
import { numberCheck } from "../../sql/log-statements.js";
import { type SummandKind, totalRows, totalsTable as totalsStatement } from "../../sql/tables/totals.js";

/** Sums of the numbers in a column at each date. */
export function totals(data: QuestionData, name: string, grid: Grid, options: GroupOptions): Question<ColumnTable> {
  const dated = datedQuestion(data, name, grid, options);
  const property = data.columns[dated.query.column];
  const summands = summandsOf(property);
  const kind = summands.areIntegers ? "integer" : "number";
  let notSummed: readonly Finding[] = [];
  return {
    table: async (signal) => {
      const steps = await stepsOf(data, dated, kind, signal);
      if (!steps.hasNumbers || !summands.canBe) await requireNumbers(data, dated.query.column, summands, signal);
      const sums = steps.sums(dated.grid.sortedUs.length, summands.areTyped);
      notSummed = leftOut(property, dated.grid, sums);
      return totalsTable(dated.grid, options.by, sums);
    },
    statement: async (scope, askKinds, signal) => {
      const { column } = dated.query;
      const kinds = await askKinds(dated.columns);
      if (kinds[column] !== "number" || !summands.canBe) await requireNumbers(data, column, summands, signal);
      return totalsStatement(scope, kinds, dated.query, kind);
    },
    findings: () => [...datesBeyondReading(data, dated.grid), ...notSummed],
  };
}

/** Changes of a feature in one or two columns, about. */
const CELLS = 4;

async function stepsOf(
  data: QuestionData,
  { asked, query }: DatedQuestion,
  kind: SummandKind,
  signal: AbortSignal | undefined,
): Promise<Steps> {
  const groups = new AnswerGroups(data, query.by);
  const steps = new Steps(groups);
  if (asked.isEmpty) return steps;
  for await (const { rowCount, columns } of askInParts(data, CELLS, (scope) => totalRows(scope, query, kind), signal)) {
    const [groupTexts, places, ...sums] = columns;
    const examples = sums.pop();
    for (let index = 0; index < rowCount; index += 1) {
      const group = groups.code(groupTexts?.[index], examples?.[index]);
      const place = asked.sortedPlace(Number(places?.[index]));
      steps.take([group, place, ...sums.map((column) => Number(column[index]))]);
    }
  }
  return steps;
}

/** What groups come to, more or less, from dates on: group, place, sum, numbers, unknown and present features, other values. */
class Steps {
  hasNumbers = false;
  readonly #groups: AnswerGroups;
  readonly #columns = Array.from({ length: 7 }, () => new GrowingArray(Float64Array));

  constructor(groups: AnswerGroups) {
    this.#groups = groups;
  }

  take(step: readonly number[]): void {
    this.#columns.forEach((column, place) => {
      column.push(step[place] as number);
    });
    if (step[3] !== 0) this.hasNumbers = true;
  }

  sums(dateCount: number, areTyped: boolean): GroupSums {
    const [groups = [], places = [], totals, numbers, unknown, present, others] = this.#columns.map((column) =>
      column.filled(),
    );
    const tally = (values: ArrayLike<number> = []) => {
      const counted = new DateTally(dateCount);
      groups.forEach((group, index) => {
        counted.add(group, places[index] as number, values[index] as number);
      });
      return counted.sum();
    };
    const sums = new DateSums(this.#groups.values.length, dateCount);
    groups.forEach((group, index) => {
      sums.add(group, places[index] as number, totals?.[index] ?? 0);
    });
    return {
      groups: this.#groups.values,
      present: tally(present),
      sum: sums.sum(),
      count: tally(numbers),
      unknown: tally(unknown),
      leftOut: areTyped ? tally(others) : () => 0,
    };
  }
}

async function requireNumbers(
  data: QuestionData,
  column: number,
  summands: Summands,
  signal: AbortSignal | undefined,
): Promise<void> {
  const first: unknown[] = [];
  for await (const { rowCount, columns } of askAll(data, (scope) => numberCheck(scope, column), signal)) {
    for (let index = 0; index < rowCount; index += 1) {
      if (columns[1]?.[index] !== 0 && summands.canBe) return;
      first[Number(columns[0]?.[index])] = columns[2]?.[index];
    }
  }
  const value = first.find((text) => typeof text === "string");
  if (value !== undefined) throw noNumbers(data.names[column], summands, JSON.parse(String(value)));
}
