import { askByName, engineQuestions } from "../../src/history/questions/define/question-methods.js";
import { calendar, type DialectName, type LazyHistory, type LazyTable } from "../../src/index.js";

const days = { from: "2024-05-31", until: "2024-06-05", every: "day" } as const;
const working = calendar({
  timeZone: "Europe/Madrid",
  hours: ["08:00-12:00", "13:00-17:00"],
  holidays: ["2024-06-03"],
});

/** Columns in the statements of a question. */
interface TypicalColumns {
  /** A column of strings. */
  readonly column: string;
  /** A column of numbers. */
  readonly numeric: string;
}

/** Typical arguments of each question that engines answer. */
function typicalArguments({ column, numeric }: TypicalColumns): Readonly<Record<string, readonly unknown[][]>> {
  return {
    asOf: [["2024-06-03"], ["2024-06-03T12:00:00Z", { absent: "keep", fillUnknown: "backfill" }]],
    causeTrees: [[]],
    changes: [[]],
    counts: [
      [column, days],
      [column, ["2024-06-05", "9999-12-30"], { by: "site_id", weight: numeric }],
    ],
    diff: [["2024-06-01", "2024-06-05"]],
    durations: [
      [column, { until: "2024-06-30" }],
      [column, { calendar: working }],
    ],
    intervals: [[column]],
    lateEdits: [[]],
    lateEntries: [[{ moreThan: "P7D" }]],
    panel: [[days, { columns: [column], credits: { DONE: 1 }, weight: numeric }]],
    editsByUser: [[]],
    firstReached: [[column, "DONE"]],
    reconcile: [[]],
    states: [["2024-06-03"]],
    steps: [[column, { order: ["OPEN", "DONE"] }]],
    totals: [[numeric, days, { by: column }]],
    transitions: [[column, { order: ["OPEN", "DONE"] }]],
  };
}

/** The printed statements of every question that engines answer, by the call. */
export async function typicalStatements(
  questions: LazyHistory,
  columns: TypicalColumns,
  dialect: DialectName,
): Promise<ReadonlyMap<string, string>> {
  const all = typicalArguments(columns);
  const missing = [...engineQuestions.keys()].filter((name) => !Object.hasOwn(all, name));
  if (missing.length > 0) throw new Error(`typicalArguments() has no arguments for ${missing.join(", ")}`);
  const statements = new Map<string, string>();
  for (const [name, calls] of Object.entries(all)) {
    for (const given of calls) {
      const call = `${name}(${given.map(argumentText).join(", ")})`;
      statements.set(call, await askByName<LazyTable<unknown>>(questions, name, given as never[]).toSQL(dialect));
    }
  }
  return statements;
}

function argumentText(argument: unknown): string {
  return JSON.stringify(argument, (_, value) => (value === working ? "working" : value));
}
