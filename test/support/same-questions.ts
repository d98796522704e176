import type { ColumnTable } from "arquero";
import { expect } from "vitest";
import { SiteframeError } from "../../src/core/errors.js";
import { canonicalJson } from "../../src/core/json.js";
import type { Grid, History, PlainPoint, Questions } from "../../src/index.js";
import { drawCalendars } from "./draw-calendar.js";
import { drawOrder } from "./draw-order.js";
import { magnitude } from "./magnitude.js";
import { type Tolerances, tableDifference } from "./same-tables.js";

/** What questions are asked with. */
export interface QuestionDraw {
  time(): PlainPoint;
  grid(): Grid;
  /** Name of a property column; there may be none such. */
  column(): string;
  /** One of some names. */
  pick(names: readonly string[]): string;
  flag(): boolean;
}

type Asked = History | Questions;

/** A question, as it is put to a history and to an engine. */
interface AskedQuestion {
  readonly name: string;
  readonly ask: (asked: Asked) => ColumnTable | PromiseLike<ColumnTable>;
  readonly tolerances?: Tolerances;
}

/** Puts every question to a history and to an engine, and expects the same answers: tables, or refusals. */
export async function expectSameAnswers(history: History, questions: Questions, draw: QuestionDraw): Promise<void> {
  expect(questions.columns).toEqual(history.columns);
  expect(questions.changeCount).toBe(history.changeCount);
  expect(questions.timeZone).toBe(history.timeZone);
  expect(questions.readAt).toEqual(history.readAt);
  expect(questions.until).toEqual(history.until);
  expect(questions.provenance).toEqual(history.provenance);
  const asked = [...drawQuestions(history, draw), ...drawGridQuestions(history, draw)];
  for (const question of asked) expect(await difference(history, questions, question), question.name).toBeUndefined();
  expect(await questions.findings).toEqual(history.findings);
}

function drawQuestions(history: History, draw: QuestionDraw): AskedQuestion[] {
  const [time, stateTime, earlier, later, until] = [draw.time(), draw.time(), draw.time(), draw.time(), draw.time()];
  const absent = draw.flag() ? "keep" : "drop";
  const unknown = draw.flag() ? "backfill" : "null";
  const [column, other] = [draw.column(), draw.column()];
  const order = drawOrder(history, column, draw);
  return [
    { name: `asOf ${shown(time)} ${absent} ${unknown}`, ask: (asked) => asked.asOf(time, { absent, unknown }) },
    { name: `asOf ${shown(time)} of ${column}`, ask: (asked) => asked.asOf(time, { columns: [column, other] }) },
    { name: `states ${shown(stateTime)} ${absent}`, ask: (asked) => asked.states(stateTime, { absent }) },
    { name: `intervals ${column}`, ask: (asked) => asked.intervals(column) },
    { name: `durations ${column}`, ask: (asked) => asked.durations(column) },
    { name: `durations ${column} ${shown(until)}`, ask: (asked) => asked.durations(column, { until }) },
    { name: `transitions ${column}`, ask: (asked) => asked.transitions(column) },
    { name: `transitions ${column} ${shown(order)}`, ask: (asked) => asked.transitions(column, { order }) },
    { name: `steps ${column}`, ask: (asked) => asked.steps(column) },
    { name: `steps ${column} ${shown(order)}`, ask: (asked) => asked.steps(column, { order }) },
    ...reachedValues(history, column).map((value) => ({
      name: `reached ${column} ${shown(value)}`,
      ask: (asked: Asked) => asked.reached(column, value),
    })),
    { name: `diff ${shown(earlier)} ${shown(later)}`, ask: (asked) => asked.diff(earlier, later) },
    { name: "changes", ask: (asked) => asked.changes() },
    { name: "lateEdits", ask: (asked) => asked.lateEdits() },
    { name: "lateEntries", ask: (asked) => asked.lateEntries() },
    { name: "lateEntries P0D", ask: (asked) => asked.lateEntries({ moreThan: "P0D" }) },
    ...drawCalendars(history, draw).flatMap((working): AskedQuestion[] => [
      { name: `working durations ${column}`, ask: (asked) => asked.durations(column, working) },
      { name: `working steps ${column}`, ask: (asked) => asked.steps(column, working) },
      { name: "working lateEdits", ask: (asked) => asked.lateEdits(working) },
    ]),
    { name: "causes", ask: (asked) => asked.causes() },
    { name: "reconcile", ask: (asked) => asked.reconcile() },
    { name: "mismatches", ask: async (asked) => (await asked.reconcile()).mismatches },
    { name: "people", ask: (asked) => asked.people() },
    { name: "hours", ask: async (asked) => (await asked.people()).hours },
  ];
}

/** Some that the column has, none, and one that it never had. */
function reachedValues(history: History, column: string): readonly unknown[] {
  if (!history.columns.includes(column)) return ["OPEN"];
  const values: Iterable<unknown> = history.intervals(column).array("value");
  const had = new Map(Array.from(values, (value) => [shown(value), value]));
  return [...[...had.values()].slice(0, 2), null, "never had"];
}

function drawGridQuestions(history: History, draw: QuestionDraw): AskedQuestion[] {
  const [grid, column] = [draw.grid(), draw.column()];
  // Two mistakes at once may be told in either order.
  const by = draw.pick([...history.columns, "site_id", "semantic_type", "created_at", "geometry", "visible_id"]);
  // Engines add up in another order.
  const sum = 1e-12 * magnitude(history, column);
  const weight = draw.pick(history.columns.length > 0 ? history.columns : ["none such"]);
  const quantity = 1e-12 * magnitude(history, weight);
  const credits = drawCredits(history, column);
  const asked =
    history.columns.length > 0 ? weighedQuestions(grid, { column, by, weight, credits }, { sum, quantity }) : [];
  return [
    ...asked,
    { name: `panel ${shown(grid)}`, ask: (asked) => asked.panel(grid) },
    { name: `panel ${shown(grid)} of ${column}`, ask: (asked) => asked.panel(grid, { columns: [column] }) },
    { name: `counts ${column} ${shown(grid)}`, ask: (asked) => asked.counts(column, grid) },
    { name: `counts ${column} by ${by} ${shown(grid)}`, ask: (asked) => asked.counts(column, grid, { by }) },
    { name: `totals ${column} ${shown(grid)}`, ask: (asked) => asked.totals(column, grid), tolerances: { sum } },
    {
      name: `totals ${column} by ${by} ${shown(grid)}`,
      ask: (asked) => asked.totals(column, grid, { by }),
      tolerances: { sum },
    },
  ];
}

/** Shares of some values that a column has, whatever they are. */
export function drawCredits(history: History, column: string): Readonly<Record<string, number>> {
  const had = reachedValues(history, column).slice(0, -2);
  const stages = had.filter((value) => value !== null && value !== "__proto__");
  return Object.fromEntries(stages.map((value, place) => [stageText(value), 0.25 + 0.75 * place]));
}

function stageText(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value);
}

function weighedQuestions(
  grid: Grid,
  given: { column: string; by: string; weight: string; credits: Readonly<Record<string, number>> },
  { sum, quantity }: { readonly sum: number; readonly quantity: number },
): readonly AskedQuestion[] {
  const { column, by, weight, credits } = given;
  const tolerances = { quantity, earned: quantity };
  const isProduct = { sum: Math.max(sum * (quantity / 1e-12), quantity) };
  return [
    {
      name: `counts ${column} weighed by ${weight}`,
      ask: (asked) => asked.counts(column, grid, { weight }),
      tolerances,
    },
    {
      name: `counts ${column} weighed by ${weight} by ${by}`,
      ask: (asked) => asked.counts(column, grid, { weight, by, unit: undefined }),
      tolerances,
    },
    {
      name: `counts ${column} weighed by ${weight} with ${shown(credits)}`,
      ask: (asked) => asked.counts(column, grid, { weight, credits }),
      tolerances,
    },
    { name: `counts ${column} with ${shown(credits)}`, ask: (asked) => asked.counts(column, grid, { credits }) },
    {
      name: `totals ${column} weighed by ${weight}`,
      ask: (asked) => asked.totals(column, grid, { weight }),
      tolerances: isProduct,
    },
    {
      name: `totals ${column} weighed by ${weight} with ${shown(credits)} by ${by}`,
      ask: (asked) => asked.totals(column, grid, { weight, credits, by }),
      tolerances: { sum: quantity },
    },
    {
      name: `panel weighed by ${weight} with ${shown(credits)}`,
      ask: (asked) => asked.panel(grid, { weight, credits, columns: [column] }),
    },
  ];
}

async function difference(history: History, questions: Questions, question: AskedQuestion) {
  const [expected, found] = [await outcome(history, question), await outcome(questions, question)];
  if (typeof expected === "string" || typeof found === "string") {
    return expected === found ? undefined : `${said(found)} instead of ${said(expected)}`;
  }
  return tableDifference(expected, found, question.tolerances);
}

/** The answer, or the refusal in a sentence. */
async function outcome(asked: Asked, { ask }: AskedQuestion): Promise<ColumnTable | string> {
  try {
    return await ask(asked);
  } catch (error) {
    if (error instanceof SiteframeError && error.code === "ERR_ARGUMENT") return String(error);
    throw error;
  }
}

function said(outcome: ColumnTable | string): string {
  return typeof outcome === "string" ? outcome : "a table";
}

function shown(value: unknown): string {
  return JSON.stringify(value);
}
