import type { ColumnTable } from "arquero";
import { expect } from "vitest";
import { SiteframeError } from "../../src/core/errors.js";
import { askByName, engineQuestions, specifications } from "../../src/history/questions/define/question-methods.js";
import { partTables } from "../../src/history/questions/define/specification.js";
import type { History, LazyHistory, LazyTable } from "../../src/index.js";
import type { DuckDBRows } from "./duckdb-rows.js";
import { callText, drawCalls, type QuestionCall, type QuestionDraw } from "./question-calls.js";
import { tableDifference } from "./same-tables.js";
import { rowsDifference } from "./shown-rows.js";

/** A way to the answer of an engine: a table like that of a history, or rows of SQL. */
export type Route = (answer: LazyTable<ColumnTable>) => Promise<ColumnTable | DuckDBRows>;

/** The answer as a table in this process. */
export const awaited: Route = async (answer) => answer;

/** The answer in a Parquet file. */
export function stored(newPath: () => string, read: (sql: string) => Promise<DuckDBRows>): Route {
  return async (answer) => {
    const path = newPath();
    await answer.writeTo(path);
    return read(`FROM read_parquet('${path}')`);
  };
}

/** The result of the printed statement. */
export function printed(run: (sql: string) => Promise<DuckDBRows>): Route {
  return async (answer) => run(await answer.toSQL());
}

/**
 * Asks a history and an engine every question in the registry, and expects equal answers, or equal refusals, by every route.
 * The engine must refuse the questions that only a history answers.
 */
export async function expectEngineAgreement(
  history: History,
  questions: LazyHistory,
  draw: QuestionDraw,
  routes: Readonly<Record<string, Route>>,
): Promise<void> {
  const { columns, length, timeZone, readAt, until, provenance } = history;
  expect(questions).toMatchObject({ columns, length, timeZone, readAt, until, provenance });
  for (const call of everyCall(history, draw)) {
    if (!engineQuestions.has(call.name)) {
      expect(() => ask(questions, call)).toThrow(`${call.name}(): lazy histories do not have this method.`);
      continue;
    }
    const expected = await outcome(async () => ask<ColumnTable>(history, call));
    for (const [name, route] of Object.entries(routes)) {
      const found = await outcome(() => route(ask<LazyTable<ColumnTable>>(questions, call)));
      expect(difference(expected, found, call), `${callText(call)}, ${name}`).toBeUndefined();
    }
  }
  expect(await questions.diagnostics).toEqual(history.diagnostics);
}

/**
 * Asks two histories every question in the registry, and expects equal answers or equal refusals.
 *
 * @returns the questions whose answers had rows
 */
export async function expectHistoryAgreement(
  expected: History,
  found: History,
  draw: QuestionDraw,
): Promise<readonly string[]> {
  const withRows: string[] = [];
  for (const call of everyCall(expected, draw)) {
    const [one, other] = [await outcome(async () => ask(expected, call)), await outcome(async () => ask(found, call))];
    const answer = tableOf(one);
    expect(difference(answer, tableOf(other), call), callText(call)).toBeUndefined();
    if (typeof answer !== "string" && answer.numRows() > 0) withRows.push(call.name);
  }
  return withRows;
}

function everyCall(history: History, draw: QuestionDraw): readonly QuestionCall[] {
  const calls = drawCalls(history, draw);
  expect([...new Set(calls.map(({ name }) => name))].sort()).toEqual([...specifications.keys()].sort());
  return calls;
}

function ask<Result>(asked: History | LazyHistory, { name, given }: QuestionCall): Result {
  return askByName(asked, name, given as readonly never[]);
}

/** Result of a question, or its refusal in a sentence. */
async function outcome<Result>(run: () => Promise<Result>): Promise<Result | string> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof SiteframeError && error.code === "ERR_ARGUMENT") return String(error);
    throw error;
  }
}

/** A layer as its table. */
function tableOf(answer: unknown): ColumnTable | string {
  return typeof answer === "object" && answer !== null && "schema" in answer && "table" in answer
    ? (answer.table as ColumnTable)
    : (answer as ColumnTable | string);
}

function difference(
  expected: ColumnTable | string,
  found: ColumnTable | DuckDBRows | string,
  call: QuestionCall,
): string | undefined {
  if (typeof expected === "string" || typeof found === "string") {
    return expected === found ? undefined : `${outcomeText(found)} instead of ${outcomeText(expected)}`;
  }
  if ("rows" in found) return rowsDifference(expected, found, call);
  return tableDifference(expected, found, call.tolerances) ?? partsDifference(expected, found, call);
}

/** The first difference between the further tables and the values of two answers. */
function partsDifference(
  expected: ColumnTable,
  found: ColumnTable,
  { name, skippedParts }: QuestionCall,
): string | undefined {
  const specification = specifications.get(name);
  if (!specification) return undefined;
  const facts = specification.facts ?? [];
  const factsOf = (table: ColumnTable) => facts.map((fact) => [fact, Reflect.get(table, fact)]);
  expect(factsOf(found), name).toEqual(factsOf(expected));
  const foundParts = partTables(found, specification);
  for (const [part, table] of partTables(expected, specification)) {
    if (skippedParts.includes(part)) continue;
    const other = foundParts.get(part);
    const text = other ? tableDifference(table, other) : "missing";
    if (text !== undefined) return `${part}: ${text}`;
  }
  return undefined;
}

function outcomeText(outcome: object | string): string {
  return typeof outcome === "string" ? outcome : "a table";
}
