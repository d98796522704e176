import type { ColumnTable } from "arquero";
import { toTable } from "../../tables/column/table.js";
import { datesBeyondReading, type FoundTable } from "../cell/beyond-reading.js";
import type { CellState } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { appearances } from "../cell/present-rows.js";
import { declaredDates } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { compareValues } from "../columns/step-order.js";
import { DateTally } from "../grid/date-sums.js";
import { type GroupOptions, groupCodes, groupColumn, groupRules, PairCodes } from "../grid/group-codes.js";
import { sweepDates } from "../grid/sweep-dates.js";
import { type CellContent, cellCoding, timelines } from "../grid/timelines.js";
import { type DateGrid, type Grid, resolveGrid } from "../time/date-grid.js";
import type { TimePoint } from "../time/valid-time.js";
import type { Answer, QuestionOptions } from "./answer.js";
import { plainValue } from "./answer-rows.js";
import { askInParts, type Question, type QuestionData } from "./ask.js";
import { AnswerGroups, type DatedQuestion, datedQuestion } from "./dated-question.js";
import { specify } from "./specification.js";
import { shownValue, stateOf, UNCHANGED_MARK, UNKNOWN_MARK, unmarked, type ValueKind } from "./sql/cell-values.js";
import {
  dateCtes,
  datedColumns,
  groupKey,
  groupValue,
  type StepsQuery,
  type StoredSteps,
  stepCtes,
  storedGroupKey,
} from "./sql/cte/step-ctes.js";
import { type Scope, statement } from "./sql/scope.js";

const ownColumns = ["date", "state", "value", "count"];

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * How many features hold each value at each date, of those that existed then: `date`, `state`, `value`, `count`.
     * `by` adds a column of its name after `date`: a base field, or a property as of the same date.
     *
     * @param column name of a property column
     * @throws ArgumentError
     */
    counts(column: string, grid: Grid, options?: GroupOptions): ColumnTable;
  }
}

declare module "./questions.js" {
  interface Questions {
    /**
     * How many features hold each value at each date, as `history.counts()`.
     *
     * @param column name of a property column
     */
    counts(column: string, grid: Grid, options?: GroupOptions & QuestionOptions): Answer<ColumnTable>;
  }
}

export const countsSpecification = specify({
  summary: "How many features held each value of a column at each of many dates.",
  takes: ["column", "dates"],
  options: groupRules,
  memory: counts,
  engine: countsQuestion,
});

/** How many of the features present at each date say what, one row where there are any; and dates after the log was read. */
export function counts(data: HistoryData, name: string, grid: Grid, options: GroupOptions = {}): FoundTable {
  const { by } = options;
  const column = chooseColumn(data.names, name);
  const dates = resolveGrid(grid, data.timeZone);
  return {
    table: countsTable(dates, by, countKinds(data, column, by, dates.sortedUs)),
    findings: datesBeyondReading(data, dates),
  };
}

/** What features say at dates, and how many of them do. */
interface CountedKinds {
  readonly kinds: readonly Kind[];
  /** By code of a kind and place of a date, in order of time. */
  readonly countAt: (code: number, date: number) => number;
}

/** A row for each date, as asked for, and each kind that features are of then. */
function countsTable(
  { dates, rank }: DateGrid,
  by: string | undefined,
  { kinds: unordered, countAt }: CountedKinds,
): ColumnTable {
  const kinds = [...unordered].sort(compareKinds);
  const [rowDates, rowKinds, rowCounts]: [TimePoint[], Kind[], number[]] = [[], [], []];
  dates.forEach((date, asked) => {
    for (const kind of kinds) {
      const count = countAt(kind.code, rank[asked] as number);
      if (count === 0) continue;
      rowDates.push(date);
      rowKinds.push(kind);
      rowCounts.push(count);
    }
  });
  return toTable([
    ["date", declaredDates(dates, rowDates)],
    ...groupColumn(by, ownColumns, rowKinds, ({ group }) => group),
    ["state", rowKinds.map(({ state }) => state)],
    ["value", rowKinds.map(({ value }) => value)],
    ["count", rowCounts],
  ]);
}

/** What features of a group say. */
interface Kind extends CellContent {
  readonly code: number;
  readonly group: unknown;
}

/** What features say at the dates, group by group, and how many do. */
function countKinds(data: HistoryData, column: number, by: string | undefined, datesUs: Float64Array): CountedKinds {
  const coding = cellCoding(data, column);
  const groups = groupCodes(data, by, datesUs);
  const codes = new PairCodes(groups.count, coding.count);
  const tally = new DateTally(datesUs.length);
  sweepDates(appearances(data, datesUs), groups, timelines(data, column, datesUs, coding), codes, tally);
  const kinds = codes.pairs.flatMap(([group, outcome], code): Kind[] => {
    const entry = coding.entries[outcome];
    return entry ? [{ ...entry, code, group: groups.values[group] }] : [];
  });
  return { kinds, countAt: tally.sum() };
}

const stateOrder: readonly CellState[] = ["logged", "cleared", "unchanged", "unknown"];

function compareKinds(a: Kind, b: Kind): number {
  return (
    compareValues(a.group, b.group) ||
    stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state) ||
    compareValues(a.value, b.value)
  );
}

/** How many features hold each value at each date. */
export function countsQuestion(
  data: QuestionData,
  name: string,
  grid: Grid,
  options: GroupOptions,
): Question<ColumnTable> {
  const dated = datedQuestion(data, name, grid, options);
  return {
    table: (signal) => table(data, dated, options.by, signal),
    statement: async (scope, kinds) => countsStatement(scope, await kinds(dated.columns), dated.query),
    findings: () => datesBeyondReading(data, dated.grid),
  };
}

async function table(
  data: QuestionData,
  { grid, asked, query }: DatedQuestion,
  by: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ColumnTable> {
  const tally = new DateTally(grid.sortedUs.length);
  const groups = new AnswerGroups(data, query.by);
  const kinds = new Map<string, Kind>();
  if (!asked.isEmpty) {
    for await (const { rowCount, columns } of askInParts(data, CELLS, (scope) => countRows(scope, query), signal)) {
      const [values, groupTexts, places, numbers, examples] = columns;
      for (let index = 0; index < rowCount; index += 1) {
        const group = groups.code(groupTexts?.[index], examples?.[index]);
        const said = String(values?.[index]);
        const key = `${group} ${said}`;
        const kind = kinds.get(key) ?? { code: kinds.size, group: groups.values[group], ...contentOf(said) };
        kinds.set(key, kind);
        tally.add(kind.code, asked.sortedPlace(Number(places?.[index])), Number(numbers?.[index]));
      }
    }
  }
  return countsTable(grid, by, { kinds: [...kinds.values()], countAt: tally.sum() });
}

/** Changes of a feature in one or two columns, about. */
const CELLS = 4;

function contentOf(said: string): { readonly state: CellState; readonly value: unknown } {
  if (said === UNKNOWN_MARK) return { state: "unknown", value: null };
  const value = plainValue(said);
  if (said.startsWith(UNCHANGED_MARK)) return { state: "unchanged", value };
  return { state: value === null ? "cleared" : "logged", value };
}

/**
 * How many features more or less hold what from a date on: `v` and `g` as in `steps`, `place`, `n`, and `example`, a
 * feature of the group.
 */
function countRows(scope: Scope, query: StepsQuery): string {
  const { double } = scope.dialect;
  return statement(
    stepCtes(scope, query, groupKey(scope.dialect, query.by)),
    `SELECT v, ${query.by.kind === "column" ? "g" : `'' AS grouped`}, ${double("place")} AS first_date,
  ${double("sum(step)")} AS n, ${double("min(f)")} AS example
FROM steps GROUP BY v, g, place`,
  );
}

/** How many features hold each value at each date, complete by itself. */
function countsStatement(scope: Scope, kinds: readonly (ValueKind | undefined)[], query: StoredSteps): string {
  const { dialect } = scope;
  const said = shownValue(dialect, kinds[query.column], unmarked("v"));
  const { own, leading } = datedColumns(scope, kinds, query.by, ["date", "state", "value", "count"]);
  const [, state, value, count] = own;
  return statement(
    [
      ...stepCtes(scope, query, storedGroupKey(dialect, query.by)),
      ...dateCtes(dialect, query.dates),
      `sums AS (SELECT place, v, ${groupValue(query.by)} AS g, sum(step) AS step FROM steps GROUP BY place, v, ${groupValue(query.by)})`,
      `dated AS (SELECT asked, date_text, g, v, sum(step) AS n FROM sums JOIN dates ON date_place >= place
  GROUP BY asked, date_text, g, v HAVING sum(step) <> 0)`,
    ],
    `SELECT ${leading}, ${stateOf("v")} AS ${state}, ${said} AS ${value}, n AS ${count}
FROM dated ORDER BY dated.asked, dated.g, dated.v`,
  );
}
