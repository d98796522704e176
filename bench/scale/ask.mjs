/**
 * Asks a question of a snapshot folder twice, for two dates: `node ask.mjs WHO QUESTION FOLDER` reports the time from opening
 * the folder to the first answer, whose every value was read, the time of the second, the peak of memory, and a hash of the
 * first. WHO is `history` or the memory of DuckDB, such as `512MB`.
 */
import { createHash } from "node:crypto";
import { duckdb, openSnapshot } from "../../modules/index.js";
import { report } from "../programs.mjs";

const [who, question, folder] = process.argv.slice(2);
const params = { semantic_type: "TRENCHES" };
const COLUMNS = ["STATUS", "ASSIGNEE", "VOLUME", "SEVERITY", "TAGS"];
const DAY_MS = 86_400_000;
const days = (first) =>
  Array.from({ length: 1000 }, (_, day) => new Date(first + day * DAY_MS).toISOString().slice(0, 10));
const questions = {
  asOf: [
    (asked) => asked.asOf("2024-06-30", { columns: COLUMNS }),
    (asked) => asked.asOf("2023-06-30", { columns: COLUMNS }),
  ],
  counts: [
    (asked) => asked.counts("STATUS", days(Date.UTC(2022, 0, 15))),
    (asked) => asked.counts("STATUS", days(Date.UTC(2022, 0, 16))),
  ],
};

const start = performance.now();
const snapshot = await openSnapshot(folder);
const asked =
  who === "history"
    ? await snapshot.history(params)
    : await snapshot.lazyHistory(params, { engine: duckdb({ memory: who }) });
const [first, second] = questions[question];
const answer = await first(asked);
readValues(answer);
const ms = performance.now() - start;
const peakMb = process.resourceUsage().maxRSS / 1024;
const again = performance.now();
readValues(await second(asked));
const againMs = performance.now() - again;
report({ ms, againMs, peakMb, hash: hashOf(answer) });

function readValues(table) {
  let values = 0;
  for (const name of table.columnNames()) {
    const at = table.getter(name);
    for (let row = 0; row < table.numRows(); row += 1) if (at(row) !== null) values += 1;
  }
  if (values === 0) throw new Error(`${question}: the answer has no values.`);
}

/** Equal tables have equal hashes. */
function hashOf(table) {
  const hash = createHash("sha256");
  for (const name of table.columnNames()) {
    const at = table.getter(name);
    hash.update(`\n${name}`);
    for (let row = 0; row < table.numRows(); row += 1) hash.update(JSON.stringify(at(row) ?? null));
  }
  return hash.digest("hex").slice(0, 12);
}
