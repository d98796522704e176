/**
 * Asks one question of a snapshot folder, and prints how long it took from opening the folder to an answer whose every
 * value was read, the peak of the process's memory, and what it was: `node ask.mjs WHO QUESTION FOLDER`. WHO is `history`
 * or an amount of memory for DuckDB, such as `512MB`.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { duckdb, openSnapshot } from "../../modules/index.js";

const [who, question, folder] = process.argv.slice(2);
const params = { semantic_type: "TRENCHES" };
const COLUMN = "STATUS";
const EARLIER = "2023-06-30";
const LATER = "2024-06-30";
const FIVE = ["STATUS", "ASSIGNEE", "VOLUME", "SEVERITY", "TAGS"];
const days = (count, step) =>
  Array.from({ length: count }, (_, day) =>
    new Date(Date.UTC(2022, 0, 15) + day * step * 86_400_000).toISOString().slice(0, 10),
  );
const MONTHS = days(36, 30);
const THOUSAND = days(1000, 1);

const scratch = mkdtempSync(join(tmpdir(), "siteframe-scale-"));
const questions = {
  "as of, 5 columns": async (asked) => asked.asOf(LATER, { columns: FIVE }),
  "counts, 1,000 dates": async (asked) => asked.counts(COLUMN, THOUSAND),
  "counts, 36 dates, by another column": async (asked) => asked.counts(COLUMN, MONTHS, { by: "SEVERITY" }),
  "panel, 36 dates, 1 column": async (asked) => asked.panel(MONTHS, { columns: [COLUMN] }),
  "totals, 36 dates": async (asked) => asked.totals("VOLUME", MONTHS),
  intervals: async (asked) => asked.intervals(COLUMN),
  "intervals, to a file": async (asked) => stored(asked.intervals(COLUMN)),
  durations: async (asked) => asked.durations(COLUMN),
  transitions: async (asked) => asked.transitions(COLUMN),
  diff: async (asked) => asked.diff(EARLIER, LATER),
  "as of, as it was known": async (asked) => (await asked.knownAt(EARLIER)).asOf(EARLIER, { columns: FIVE }),
  "late edits": async (asked) => asked.lateEdits(),
  reconcile: async (asked) => asked.reconcile(),
  people: async (asked) => asked.people(),
  "causes, to a file": async (asked) => stored(asked.causes()),
  "states, to a file": async (asked) => stored(asked.states(LATER)),
  "panel, 36 dates, 5 columns, to a file": async (asked) => stored(asked.panel(MONTHS, { columns: FIVE })),
  "changes, to a file": async (asked) => stored(asked.changes()),
};

if (question === undefined) {
  console.log(JSON.stringify(Object.keys(questions)));
} else {
  const start = performance.now();
  const snapshot = await openSnapshot(folder);
  const asked =
    who === "history"
      ? await snapshot.history(params)
      : await snapshot.questions(params, { engine: duckdb({ memory: who }) });
  const openedMs = performance.now() - start;
  const answer = await questions[question](asked);
  const read = typeof answer === "number" ? { bytes: answer } : { rows: answer.numRows(), values: countValues(answer) };
  const ms = performance.now() - start;
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  const hash = typeof answer === "number" ? undefined : hashOf(answer);
  await asked.close?.();
  await snapshot.close();
  console.log(JSON.stringify({ ms, openedMs, cpuSeconds, peakMb, ...read, hash }));
}
rmSync(scratch, { recursive: true, force: true });

async function stored(answer) {
  const path = join(scratch, "answer.parquet");
  await answer.copy(path);
  return statSync(path).size;
}

/** Reads every value. */
function countValues(table) {
  let values = 0;
  for (const name of table.columnNames()) {
    const at = table.getter(name);
    for (let row = 0; row < table.numRows(); row += 1) if (at(row) !== null) values += 1;
  }
  return values;
}

/** Equal tables have equal hashes. Sums may differ in their last digits. */
function hashOf(table) {
  const hash = createHash("sha256");
  for (const name of table.columnNames()) {
    const at = table.getter(name);
    let text = "";
    for (let row = 0; row < table.numRows(); row += 1) {
      const value = at(row);
      text +=
        typeof value === "number" ? value.toPrecision(9) : typeof value === "string" ? value : JSON.stringify(value);
      if (text.length > 65_536) {
        hash.update(text);
        text = "";
      }
    }
    hash.update(`${text}\n${name}`);
  }
  return hash.digest("hex").slice(0, 12);
}
