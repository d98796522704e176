import { execFileSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SiteframeError } from "../../../../../src/core/errors.js";
import type { DialectName } from "../../../../../src/history/questions/sql/dialect/dialect.js";
import { dialectNames } from "../../../../../src/history/questions/sql/dialect/dialects.js";
import { type Answer, calendar, openSnapshot, type Questions, type Snapshot } from "../../../../../src/index.js";
import { temporaryFolder } from "../../../../snapshot/temporary-folder.js";
import { askedCompanies, writeCompany } from "../../../../support/asked-company.js";
import { openAsked } from "../../../../support/open-asked.js";
import { findPython } from "../../../../support/python.js";

/** What a parser says of the statements in a dialect. */
interface Parsed {
  readonly errors: readonly string[];
  /** Functions that it does not know. */
  readonly unknown: readonly string[];
  /** Functions that it would write otherwise in this dialect. */
  readonly others: readonly string[];
}

/** What the parser does not know, or has another name for, and the engine's own documentation has. */
const documented: Readonly<Record<DialectName, Pick<Parsed, "unknown" | "others">>> = {
  duckdb: {
    unknown: ["EPOCH_US", "MAKE_TIMESTAMPTZ", "MAP_EXTRACT_VALUE", "ROW"],
    others: ["JSON_EXTRACT", "JSON_EXTRACT_STRING", "MAX_BY", "MIN_BY", "STRUCT_PACK", "SUBSTR"],
  },
  trino: { unknown: ["FROM_UNIXTIME_NANOS"], others: [] },
  spark: { unknown: ["CONV", "TIMESTAMP_MICROS"], others: ["NAMED_STRUCT", "SUBSTR"] },
  bigquery: { unknown: [], others: [] },
};

const days = { from: "2024-03-29", to: "2024-04-02", every: "day" } as const;

const working = calendar({
  timeZone: "Europe/Madrid",
  hours: ["08:00-12:00", "13:00-17:00"],
  holidays: ["2024-03-29"],
});

/** Each question, also with what changes its text. */
function everyQuestion(questions: Questions): readonly Answer<unknown>[] {
  const [column, other = column] = questions.columns;
  if (column === undefined || other === undefined) return [];
  const order = "options";
  return [
    questions.asOf("2024-03-31"),
    questions.asOf("2024-03-31", { absent: "keep", unknown: "backfill" }),
    questions.states("2024-03-31"),
    questions.panel(days),
    questions.counts(column, days),
    questions.counts(column, ["9999-12-30", "2024-03-31"], { by: other }),
    questions.counts(column, days, { by: "created_at" }),
    questions.counts(column, days, { by: "geometry" }),
    ...questions.columns.map((name) => questions.totals(name, days)),
    ...questions.columns.map((weight) => questions.counts(column, days, { weight, by: other })),
    ...questions.columns.map((weight) => questions.totals(column, days, { weight, by: "site_id" })),
    ...questions.columns.map((weight) => questions.panel(days, { weight })),
    ...questions.columns.map((name) => questions.totals(name, days, { by: "site_id" })),
    questions.intervals(column),
    questions.durations(column),
    questions.durations(column, { until: "2024-06-30" }),
    questions.durations(column, { calendar: working, until: "2024-06-30" }),
    questions.steps(column, { calendar: working }),
    questions.lateEdits({ calendar: working }),
    questions.transitions(column),
    ...questions.columns.map((name) => questions.steps(name, { order })),
    ...questions.columns.map((name) => questions.transitions(name, { order })),
    questions.steps(column),
    questions.reached(column, null),
    questions.diff("2024-03-30", "2024-06-30"),
    questions.changes(),
    questions.lateEdits(),
    questions.lateEntries({ moreThan: "P7D" }),
    questions.causes(),
    questions.reconcile(),
    questions.people(),
  ];
}

const relations = [
  "TRENCHES",
  "TRENCHES_AT('2024-03-31')",
  "TRENCHES_STATES('2024-03-31')",
  "TRENCHES_HISTORY",
  "SELECT * FROM TRENCHES_HISTORY JOIN TRENCHES USING (id)",
];

async function printed(snapshot: Snapshot, questions: Questions, dialect: DialectName): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const question of everyQuestion(questions)) {
    const text = await question.sql(dialect).catch((error: unknown) => error);
    if (typeof text === "string") texts.push(text);
    // Not every column has numbers, or options.
    else expect(text).toBeInstanceOf(SiteframeError);
  }
  const types = await snapshot.sql("SELECT DISTINCT semantic_type FROM layer_features");
  if (!types.array("semantic_type").includes("TRENCHES")) return texts;
  for (const query of relations) texts.push(await snapshot.printSql(query, { dialect }));
  return texts;
}

const python = findPython("sqlglot");

describe.skipIf(!python)("what is printed", () => {
  const folder = temporaryFolder();

  it("is SQL of each dialect, and calls its functions", { timeout: 240_000 }, async () => {
    const statements = Object.fromEntries(dialectNames.map((name) => [name, [] as string[]]));
    for (const [index, company] of fc.sample(askedCompanies, { seed: 5, numRuns: 4 }).entries()) {
      const path = join(folder, `company-${index}`);
      await writeCompany(path, company);
      const snapshot = await openSnapshot(path);
      const questions = await openAsked(snapshot, company.params, company.options);
      for (const name of questions ? dialectNames : []) {
        statements[name]?.push(...(await printed(snapshot, questions as Questions, name)));
      }
      await questions?.close();
      await snapshot.close();
    }
    const script = join(import.meta.dirname, "../../../../support/python/parse_sql.py");
    const input = JSON.stringify(statements);
    const output = execFileSync(python?.program ?? "", [script], { input, maxBuffer: 2 ** 26 });
    const found = JSON.parse(output.toString()) as Readonly<Record<DialectName, Parsed>>;
    for (const name of dialectNames) {
      expect(statements[name]?.length, name).toBeGreaterThan(60);
      expect(found[name], name).toEqual({ errors: [], ...documented[name] });
    }
  });
});
