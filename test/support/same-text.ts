import type { ColumnTable } from "arquero";
import { expect } from "vitest";
import { SiteframeError } from "../../src/core/errors.js";
import { canonicalJson } from "../../src/core/json.js";
import type { Answer, History, Questions } from "../../src/index.js";
import { drawCalendars } from "./draw-calendar.js";
import { drawOrder } from "./draw-order.js";
import type { QuestionDraw } from "./same-questions.js";
import { storedValues } from "./stored-value.js";

/** A row as texts and numbers: what SQL shows as text where a column holds several kinds of values. */
type Row = readonly unknown[];

/** A question whose text is run and compared with a history's answer. */
interface PrintedQuestion {
  readonly name: string;
  ask(asked: History | Questions): ColumnTable | Answer<ColumnTable>;
  /** Whether rows that only differ in a value are one where SQL shows both values alike; their counts are added up. */
  readonly isCount?: boolean;
  /** Place of a column of sums, whose last digits may differ. */
  readonly sum?: number;
}

/** Every question, with arguments that are drawn. */
function printedQuestions(history: History, draw: QuestionDraw): readonly PrintedQuestion[] {
  const [at, earlier, later, until] = [draw.time(), draw.time(), draw.time(), draw.time()];
  const [absent, unknown] = [draw.flag() ? "keep" : "drop", draw.flag() ? "backfill" : "null"] as const;
  const [column, other, grid] = [draw.column(), draw.column(), draw.grid()];
  const order = drawOrder(history, column, draw);
  return [
    { name: `asOf ${absent} ${unknown}`, ask: (asked) => asked.asOf(at, { absent, unknown }) },
    { name: "asOf of one", ask: (asked) => asked.asOf(at, { columns: [column] }) },
    { name: `states ${absent}`, ask: (asked) => asked.states(at, { absent }) },
    { name: "panel", ask: (asked) => asked.panel(grid) },
    { name: "panel of one", ask: (asked) => asked.panel(grid, { columns: [other] }) },
    { name: "counts", ask: (asked) => asked.counts(column, grid), isCount: true },
    { name: "counts by a column", ask: (asked) => asked.counts(column, grid, { by: other }), isCount: true },
    { name: "counts by a field", ask: (asked) => asked.counts(column, grid, { by: "site_id" }), isCount: true },
    { name: "totals", ask: (asked) => asked.totals(column, grid), sum: 1 },
    { name: "totals by a field", ask: (asked) => asked.totals(column, grid, { by: "site_id" }), sum: 2 },
    { name: "intervals", ask: (asked) => asked.intervals(column) },
    { name: "durations", ask: (asked) => asked.durations(column) },
    { name: "durations until", ask: (asked) => asked.durations(other, { until }) },
    { name: "transitions", ask: (asked) => asked.transitions(column) },
    { name: "transitions in order", ask: (asked) => asked.transitions(column, { order }) },
    { name: "steps", ask: (asked) => asked.steps(column) },
    { name: "steps in order", ask: (asked) => asked.steps(column, { order }) },
    { name: "diff", ask: (asked) => asked.diff(earlier, later) },
    { name: "changes", ask: (asked) => asked.changes() },
    { name: "lateEdits", ask: (asked) => asked.lateEdits() },
    { name: "lateEntries", ask: (asked) => asked.lateEntries({ moreThan: "PT1H" }) },
    ...drawCalendars(history, draw).flatMap((working): PrintedQuestion[] => [
      { name: "working durations", ask: (asked) => asked.durations(column, working) },
      { name: "working steps", ask: (asked) => asked.steps(column, working) },
      { name: "working lateEdits", ask: (asked) => asked.lateEdits(working) },
    ]),
    { name: "causes", ask: (asked) => asked.causes() },
    { name: "reconcile", ask: (asked) => asked.reconcile() },
    { name: "people", ask: (asked) => asked.people() },
  ];
}

/**
 * Expects the text of every question to have a history's rows as its result.
 *
 * @param run runs a text of SQL
 */
export async function expectSameTexts(
  history: History,
  questions: Questions,
  draw: QuestionDraw,
  run: (sql: string) => Promise<ColumnTable>,
): Promise<void> {
  for (const question of printedQuestions(history, draw)) {
    const expected = outcome(() => question.ask(history) as ColumnTable);
    const sql = await (question.ask(questions) as Answer<ColumnTable>).sql().catch(refusal);
    if (typeof expected === "string" || sql instanceof SiteframeError) {
      expect(String(sql), question.name).toBe(String(expected));
      continue;
    }
    compare(question, expected, await run(sql), history);
  }
}

function compare(question: PrintedQuestion, expected: ColumnTable, found: ColumnTable, history: History): void {
  expect(found.columnNames().map(plainName), question.name).toEqual(expected.columnNames().map(plainName));
  const [wanted, got] = [rowsOf(expected, question), rowsOf(found, question)];
  const { sum } = question;
  if (sum === undefined) {
    expect(got, question.name).toEqual(wanted);
    return;
  }
  const rest = (rows: readonly Row[]) => rows.map((row) => row.filter((_, place) => place !== sum));
  expect(rest(got), question.name).toEqual(rest(wanted));
  const held = history.columns.flatMap((name) => [...history.intervals(name).array("value")]);
  const magnitude = held.reduce<number>((all, value) => all + (typeof value === "number" ? Math.abs(value) : 0), 1);
  for (const [index, row] of got.entries()) {
    expect(Math.abs(Number(row[sum]) - Number(wanted[index]?.[sum])), question.name).toBeLessThan(1e-11 * magnitude);
  }
}

/** Columns that differ in case only have other names in SQL. */
function plainName(name: string): string {
  return name.replace(/^(kind) \((eeeeeeee|ffffffff)\)$/i, "$1").replace(/^id \(field\)$/, "id");
}

/** Rows by their texts: tables that are stored stand in an order of their own where values decide. */
function rowsOf(table: ColumnTable, { isCount = false, sum }: PrintedQuestion): readonly Row[] {
  const columns = table.columnNames().map((name) => storedValues(table, name));
  const rows = Array.from({ length: table.numRows() }, (_, row) => columns.map((values) => plain(values[row])));
  const key = (row: Row) => canonicalJson(row.filter((_, place) => place !== sum));
  const sorted = (list: readonly Row[]) => [...list].sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
  if (!isCount) return sorted(rows);
  const counts = new Map<string, number>();
  for (const row of rows) {
    const group = canonicalJson(row.slice(0, -1));
    counts.set(group, (counts.get(group) ?? 0) + Number(row.at(-1)));
  }
  return sorted([...counts].map(([group, count]) => [...(JSON.parse(group) as unknown[]), count]));
}

function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  // A geometry is stored as it was written.
  if (typeof value === "string" && value.startsWith('{"type":"Point"')) return canonicalJson(JSON.parse(value));
  if (value === undefined || value === null || typeof value === "string") return value ?? null;
  // A history's numbers are the nearest to integers beyond 2 ** 53.
  if (typeof value === "bigint") return canonicalJson(Number(value));
  // What cannot be written as JSON: a stretch without a beginning.
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : canonicalJson(value);
}

function outcome(ask: () => ColumnTable): ColumnTable | string {
  try {
    return ask();
  } catch (error) {
    return String(refusal(error));
  }
}

function refusal(error: unknown): SiteframeError {
  if (error instanceof SiteframeError) return error;
  throw error;
}
