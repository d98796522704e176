import type { ColumnTable } from "arquero";
import { expect } from "vitest";
import { canonicalJson } from "../../src/core/json.js";
import type { Answer, History, Questions } from "../../src/index.js";
import { duckdbRows } from "./duckdb-rows.js";
import type { QuestionDraw } from "./same-questions.js";

type Asked = History | Questions;

/** A question whose answer is stored. */
interface StoredQuestion {
  readonly name: string;
  readonly ask: (asked: Asked) => ColumnTable | Answer<ColumnTable>;
  /** Whether its rows come in another order, as those of values do. */
  readonly isUnordered?: boolean;
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
  for (const { name, ask, isUnordered } of drawQuestions(history, draw)) {
    const answer = ask(questions);
    if (!("copy" in answer)) throw new TypeError(`${name} has no answer that can be stored`);
    const path = newPath();
    await answer.copy(path);
    const { rows } = await duckdbRows(`FROM read_parquet('${path}')`);
    const order = (lines: readonly string[]) => (isUnordered ? [...lines].sort() : lines);
    expect(order(rows.map((row) => row.map(cellText).join(" | "))), name).toEqual(
      order(tableLines(await ask(history))),
    );
  }
}

function drawQuestions(history: History, draw: QuestionDraw): readonly StoredQuestion[] {
  const [time, stateTime] = [draw.time(), draw.time()];
  const absent = draw.flag() ? "keep" : "drop";
  const unknown = draw.flag() ? "backfill" : "null";
  const column = draw.pick(history.columns);
  const by = draw.pick([...history.columns, "site_id", "semantic_type", "visible_id"]);
  const grid = draw.grid();
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
    { name: `intervals ${column}`, ask: (asked) => asked.intervals(column) },
    { name: `durations ${column}`, ask: (asked) => asked.durations(column) },
    { name: `transitions ${column}`, ask: (asked) => asked.transitions(column), isUnordered: true },
    { name: `diff ${JSON.stringify(times)}`, ask: (asked) => asked.diff(earlier, later) },
    { name: "changes", ask: (asked) => asked.changes() },
    { name: "lateEdits", ask: (asked) => asked.lateEdits() },
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

function tableLines(table: ColumnTable): readonly string[] {
  const columns = table.columnNames().map((name) => table.array(name));
  return Array.from({ length: table.numRows() }, (_, row) =>
    columns.map((column) => cellText(column[row])).join(" | "),
  );
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "string") return canonicalJson(value);
  // A geometry is stored as it was written.
  return value.startsWith("{") ? canonicalJson(JSON.parse(value)) : value;
}
