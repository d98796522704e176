import type { ColumnTable } from "arquero";
import { expect } from "vitest";
import { SiteframeError } from "../../src/core/errors.js";
import { canonicalJson } from "../../src/core/json.js";
import type { Answer, History, Questions } from "../../src/index.js";
import { drawCalendars } from "./draw-calendar.js";
import { drawOrder } from "./draw-order.js";
import { duckdbRows } from "./duckdb-rows.js";
import { magnitude } from "./magnitude.js";
import { drawCredits, type QuestionDraw } from "./same-questions.js";
import { storedValues } from "./stored-value.js";

type Asked = History | Questions;
type Row = readonly unknown[];

/** A question whose answer is stored. */
interface StoredQuestion {
  readonly name: string;
  readonly ask: (asked: Asked) => ColumnTable | Answer<ColumnTable>;
  /** Whether its rows come in another order, as those of values do. */
  readonly isUnordered?: boolean;
  /** A column of sums, of which the last digits may differ. */
  readonly sum?: { readonly place: number; readonly tolerance: number };
}

/**
 * Stores the answer to every question as a Parquet file, and expects the history's rows in it: texts as they are,
 * everything else as its JSON, instants as such.
 *
 * @param newPath of a file that there is not
 */
export async function expectSameStored(
  history: History,
  questions: Questions,
  draw: QuestionDraw,
  newPath: () => string,
): Promise<void> {
  for (const question of drawQuestions(history, draw)) {
    const { name, ask } = question;
    const answer = ask(questions);
    if (!("copy" in answer)) throw new TypeError(`${name} has no answer that can be stored`);
    const path = newPath();
    const expected = await refusalOr(async () => await ask(history));
    const refused = await refusalOr(() => answer.copy(path));
    if (typeof expected === "string" || refused !== undefined) {
      expect(refused, name).toBe(expected);
      continue;
    }
    compare(question, (await duckdbRows(`FROM read_parquet('${path}')`)).rows, tableRows(expected));
  }
}

function compare({ name, isUnordered, sum }: StoredQuestion, found: readonly Row[], expected: readonly Row[]): void {
  const order = (rows: readonly Row[]) => {
    const lines = rows.map((row) => ({
      row,
      line: row
        .filter((_, place) => place !== sum?.place)
        .map(cellText)
        .join(" | "),
    }));
    // Groups may differ though they are shown alike.
    const rest = ({ row }: (typeof lines)[number]) => Number(row[sum?.place ?? row.length]);
    const compared = (a: (typeof lines)[number], b: typeof a) =>
      a.line === b.line ? rest(a) - rest(b) : a.line < b.line ? -1 : 1;
    return isUnordered ? lines.sort(compared) : lines;
  };
  const [got, wanted] = [order(found), order(expected)];
  expect(
    got.map(({ line }) => line),
    name,
  ).toEqual(wanted.map(({ line }) => line));
  if (!sum) return;
  for (const [index, { row }] of got.entries()) {
    const difference = Number(row[sum.place]) - Number(wanted[index]?.row[sum.place]);
    expect(Math.abs(difference), name).toBeLessThanOrEqual(sum.tolerance);
  }
}

/** What something gives, or the refusal in a sentence. */
async function refusalOr<T>(ask: () => Promise<T>): Promise<T | string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SiteframeError && error.code === "ERR_ARGUMENT") return String(error);
    throw error;
  }
}

function drawQuestions(history: History, draw: QuestionDraw): readonly StoredQuestion[] {
  const [time, stateTime] = [draw.time(), draw.time()];
  const absent = draw.flag() ? "keep" : "drop";
  const unknown = draw.flag() ? "backfill" : "null";
  const column = draw.pick(history.columns);
  const by = draw.pick([...history.columns, "site_id", "semantic_type", "visible_id"]);
  const grid = draw.grid();
  const order = drawOrder(history, column, draw);
  const tolerance = 1e-12 * magnitude(history, column);
  const weight = draw.pick(history.columns);
  const quantity = 1e-12 * magnitude(history, weight);
  const credits = drawCredits(history, column);
  const times = [draw.time(), draw.time()].sort((a, b) => Number(isLater(history, a, b)) - 0.5);
  const [earlier = time, later = time] = times;
  return [
    {
      name: `asOf ${JSON.stringify(time)} ${absent} ${unknown}`,
      ask: (asked) => asked.asOf(time, { absent, unknown }),
    },
    { name: `states ${JSON.stringify(stateTime)} ${absent}`, ask: (asked) => asked.states(stateTime, { absent }) },
    { name: `panel ${JSON.stringify(grid)}`, ask: (asked) => asked.panel(grid) },
    { name: `counts ${column} ${JSON.stringify(grid)}`, ask: (asked) => asked.counts(column, grid), isUnordered: true },
    { name: `counts ${column} by ${by}`, ask: (asked) => asked.counts(column, grid, { by }), isUnordered: true },
    {
      name: `totals ${column} ${JSON.stringify(grid)}`,
      ask: (asked) => asked.totals(column, grid),
      sum: { place: 1, tolerance },
    },
    {
      name: `totals ${column} by ${by}`,
      ask: (asked) => asked.totals(column, grid, { by }),
      isUnordered: true,
      sum: { place: 2, tolerance },
    },
    {
      name: `counts ${column} weighed by ${weight}`,
      ask: (asked) => asked.counts(column, grid, { weight }),
      isUnordered: true,
      sum: { place: 4, tolerance: quantity },
    },
    {
      name: `counts ${column} by ${by} with ${JSON.stringify(credits)}`,
      ask: (asked) => asked.counts(column, grid, { by, credits }),
      isUnordered: true,
    },
    {
      name: `totals ${column} weighed by ${weight} with ${JSON.stringify(credits)}`,
      ask: (asked) => asked.totals(column, grid, { weight, credits }),
      sum: { place: 1, tolerance: quantity },
    },
    {
      name: `panel weighed by ${weight} with ${JSON.stringify(credits)}`,
      ask: (asked) => asked.panel(grid, { columns: [column], weight, credits }),
    },
    { name: `intervals ${column}`, ask: (asked) => asked.intervals(column) },
    { name: `durations ${column}`, ask: (asked) => asked.durations(column) },
    { name: `transitions ${column}`, ask: (asked) => asked.transitions(column), isUnordered: true },
    {
      name: `transitions ${column} ${JSON.stringify(order)}`,
      ask: (asked) => asked.transitions(column, { order }),
      isUnordered: true,
    },
    { name: `steps ${column}`, ask: (asked) => asked.steps(column) },
    { name: `steps ${column} ${JSON.stringify(order)}`, ask: (asked) => asked.steps(column, { order }) },
    { name: `reached ${column}`, ask: (asked) => asked.reached(column, null) },
    { name: `diff ${JSON.stringify(times)}`, ask: (asked) => asked.diff(earlier, later) },
    { name: "changes", ask: (asked) => asked.changes() },
    { name: "lateEdits", ask: (asked) => asked.lateEdits() },
    { name: "lateEntries", ask: (asked) => asked.lateEntries({ moreThan: "PT1H" }) },
    ...drawCalendars(history, draw).flatMap((working): StoredQuestion[] => [
      { name: `working durations ${column}`, ask: (asked) => asked.durations(column, working) },
      { name: `working steps ${column}`, ask: (asked) => asked.steps(column, working) },
      { name: "working lateEdits", ask: (asked) => asked.lateEdits(working) },
    ]),
    { name: "causes", ask: (asked) => asked.causes() },
    { name: "reconcile", ask: (asked) => asked.reconcile() },
    { name: "people", ask: (asked) => asked.people() },
  ];
}

/** Whether one time is after another, as the history sees it. */
function isLater(history: History, time: Date | string, other: Date | string): boolean {
  try {
    history.diff(time, other);
    return false;
  } catch {
    return true;
  }
}

function tableRows(table: ColumnTable): readonly Row[] {
  const columns = table.columnNames().map((name) => storedValues(table, name));
  return Array.from({ length: table.numRows() }, (_, row) => columns.map((column): unknown => column[row]));
}

const LAST_OF_9999 = Date.parse("9999-12-31T23:59:59.999Z");

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  // Tables of features have this instant exactly, a history's doubles round it up.
  if (value instanceof Date && value.getTime() >= LAST_OF_9999) return "the end of 9999";
  if (value instanceof Date) return value.toISOString();
  // A history counts microseconds in doubles: near the year 10000 the nearest one.
  if (typeof value === "bigint") return String(Number.isSafeInteger(Number(value)) ? value : Number(value));
  if (typeof value !== "string") return canonicalJson(value);
  // A geometry is stored as it was written.
  return value.startsWith("{") ? canonicalJson(JSON.parse(value)) : value;
}
