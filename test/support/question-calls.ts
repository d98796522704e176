import { table } from "arquero";
import { canonicalJson } from "../../src/core/json.js";
import type * as registry from "../../src/history/questions/define/registry.js";
import type { Dates, History, PlainPoint } from "../../src/index.js";
import { drawCalendars } from "./draw-calendar.js";
import { drawOrder } from "./draw-order.js";
import type { Tolerances } from "./same-tables.js";

/** Draws the arguments of questions. */
export interface QuestionDraw {
  time(): PlainPoint;
  grid(): Dates;
  /** Name of a property column, which the history may lack. */
  column(): string;
  /** One of several names. */
  pick(names: readonly string[]): string;
  flag(): boolean;
}

export type QuestionName = keyof typeof registry;

/** A question with its arguments. */
export interface QuestionCall {
  readonly name: QuestionName;
  readonly given: readonly unknown[];
  /** By how much the numbers of a column may differ, since engines add in another order. */
  readonly tolerances: Tolerances;
  /** Further tables of the answer that are not compared. */
  readonly skippedParts: readonly string[];
}

/** Arguments for each question: a question that is added to the registry does not compile until it has some here. */
type Arguments = { readonly [Name in QuestionName]: readonly Readonly<Parameters<History[Name]>>[] };

/** Draws several calls of every question in the registry. */
export function drawCalls(history: History, draw: QuestionDraw): readonly QuestionCall[] {
  const drawn = drawValues(history, draw);
  const calls = { ...rowArguments(drawn), ...datedArguments(drawn), ...projectArguments(drawn) } satisfies Arguments;
  const skippedParts = endsIn9999(history) ? ["hours"] : [];
  return Object.entries(calls).flatMap(([name, all]) =>
    all.map((given) => {
      const tolerances = tolerancesOf(history, name, given);
      return { name: name as QuestionName, given, tolerances, skippedParts };
    }),
  );
}

/** Whether an edit is so late in 9999 that the double of its microseconds is in the next hour, unlike in engines. */
function endsIn9999(history: History): boolean {
  const times = history.changes().array("created_at_us") as ArrayLike<number>;
  return Array.from(times).some((us) => us >= Date.UTC(10_000, 0, 1) * 1000);
}

/** The call as code. */
export function callText({ name, given }: QuestionCall): string {
  return `${name}(${given.map((argument) => JSON.stringify(argument)).join(", ")})`;
}

type Drawn = ReturnType<typeof drawValues>;

function drawValues(history: History, draw: QuestionDraw) {
  const column = drawColumn(history, draw);
  const had = columnValues(history, column);
  const numeric = history.columns.filter((name) => magnitude(history, name) > 0);
  const single = had.filter((value) => value !== null && typeof value !== "object");
  const [early, late] = [draw.time(), draw.time()];
  return {
    column,
    /** May be missing in the history: all routes throw the same error. */
    other: draw.column(),
    numeric: numeric.length > 0 ? draw.pick(numeric) : column,
    weight: draw.pick([...numeric, column]),
    by: draw.pick([...history.columns, "site_id", "semantic_type", "created_at", "geometry", "visible_id"]),
    had,
    /** Two values of the column, if it had any. */
    first: single[0] ?? "never had",
    second: single[1] ?? null,
    credits: creditsOf(single),
    order: drawOrder(history, column, draw),
    grid: draw.grid(),
    time: draw.time(),
    until: draw.time(),
    period: isRefused(() => history.diff(early, late)) ? ([late, early] as const) : ([early, late] as const),
    absent: draw.flag() ? ("keep" as const) : ("drop" as const),
    unknown: draw.flag() ? ("backfill" as const) : ("null" as const),
    working: drawCalendars(history, draw),
    ids: history.asOf(history.readAt, { absent: "keep" }).array("id") as readonly number[],
  };
}

/** Questions whose rows are features or changes. */
function rowArguments({ column, other, had, order, time, until, period, absent, unknown, working, ids }: Drawn) {
  const byColumn = [[column], ...working.map((options) => [column, options] as const)] as const;
  return {
    asOf: [
      [time, { absent, fillUnknown: unknown }],
      [time, { columns: [column] }],
      [time, { columns: [other] }],
    ],
    joinAsOf: [
      [ids.map((id) => ({ id, time })), { id: "id", time: "time" }],
      [ids.map((id) => ({ id, time: until })), { id: "id", time: "time", columns: [column], state: true, age: true }],
    ],
    layerAsOf: [[time], [until, { absent, fillUnknown: unknown, columns: [column] }]],
    states: [[until, { absent }]],
    versions: [[], [{ columns: [column] }]],
    intervals: [[column], [other]],
    durations: [...byColumn, [column, { until }]],
    steps: [...byColumn, [column, { order }], [column, { order: had }]],
    transitions: [[column], [column, { order }], [column, { order: had }]],
    firstReached: [...had.slice(0, 2), null, "never had"].map((value) => [column, value]),
    diff: [period, [period[1], period[0]]],
    changes: [[]],
    lateEdits: [[], ...working.map((options) => [options] as const)],
    lateEntries: [[], [{ moreThan: "P0D" }]],
    causeTrees: [[]],
    reconcile: [[]],
    editsByUser: [[]],
  } satisfies Partial<Arguments>;
}

/** Questions with one or more rows for each date of a grid. */
function datedArguments({ column, numeric, other, weight, by, credits, grid }: Drawn) {
  return {
    panel: [[grid], [grid, { columns: [other] }], [grid, { columns: [column], weight, credits }]],
    counts: [
      [column, grid],
      [column, grid, { by }],
      [column, grid, { weight }],
      [column, grid, { weight, by, unit: undefined }],
      [column, grid, { weight, credits }],
      [column, grid, { by, credits }],
    ],
    totals: [
      [column, grid],
      [numeric, grid],
      [numeric, grid, { by }],
      [numeric, grid, { weight }],
      [column, grid, { weight, credits }],
      [column, grid, { weight, credits, by }],
    ],
  } satisfies Partial<Arguments>;
}

/** Questions about the progress of work. */
function projectArguments({ column, first, second, had, other, weight, by, until, credits }: Drawn) {
  const plan = table({ date: ["2024-03-31", "2024-10-27"], value: [0, 3] });
  return {
    planVariance: [
      [column, { done: first, plan, until }],
      [column, { credits, weight, plan: other, until }],
    ],
    aging: [
      [column, { open: first, at: until }],
      [column, { open: had, by, dates: ["2024-03-31", "2024-10-27"] }],
    ],
    flow: [
      [column, { done: first, every: "month", until }],
      [column, { done: first, start: second, every: "month", by }],
    ],
    forecast: [[column, { done: first, trials: 100, seed: 1 }]],
    progress: [
      [column, { done: first, plan, at: until }],
      [column, { credits, weight, by }],
    ],
    survival: [
      [column, { start: first, done: second }],
      [column, { start: first, done: second, by, until }],
    ],
  } satisfies Partial<Arguments>;
}

/** A column of the history: sometimes any, else the column with the most intervals. */
function drawColumn(history: History, draw: QuestionDraw): string {
  if (history.columns.length === 0) return draw.column();
  if (draw.flag()) return draw.pick(history.columns);
  const counts = history.columns.map((name) => history.intervals(name).numRows());
  return history.columns[counts.indexOf(Math.max(...counts))] ?? draw.column();
}

/** Distinct values of a column. */
function columnValues(history: History, column: string): readonly unknown[] {
  if (!history.columns.includes(column)) return [];
  const values: Iterable<unknown> = history.intervals(column).array("value");
  return [...new Map(Array.from(values, (value) => [JSON.stringify(value), value])).values()];
}

/** Credits of some of the values. */
function creditsOf(had: readonly unknown[]): Readonly<Record<string, number>> {
  const stages = had.slice(0, 2);
  const text = (value: unknown) => (typeof value === "string" ? value : canonicalJson(value));
  return Object.fromEntries(stages.map((value, index) => [text(value), 0.25 + 0.75 * index]));
}

function isRefused(ask: () => unknown): boolean {
  try {
    ask();
    return false;
  } catch {
    return true;
  }
}

/** Sum of the absolute values of a column, by which differences in the last digits of a sum are judged. */
function magnitude(history: History, column: string): number {
  if (!history.columns.includes(column)) return 0;
  const values = [...history.intervals(column).array("value")];
  return values.reduce<number>((sum, value) => sum + (typeof value === "number" ? Math.abs(value) : 0), 0);
}

function tolerancesOf(history: History, name: string, given: readonly unknown[]): Tolerances {
  if (name !== "counts" && name !== "totals" && name !== "panel") return {};
  const [column, , options = {}] = name === "panel" ? ["", ...given] : given;
  const { weight, credits } = options as { readonly weight?: string; readonly credits?: object };
  const summed = magnitude(history, String(column));
  const weighed = weight === undefined ? 0 : magnitude(history, weight);
  if (name !== "totals") return { quantity: 1e-12 * weighed, earned: 1e-12 * weighed };
  if (credits !== undefined) return { sum: 1e-12 * weighed };
  return { sum: 1e-12 * (weight === undefined ? summed : Math.max(summed * weighed, weighed)) };
}
