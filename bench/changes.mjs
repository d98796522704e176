// Time of 1,000,000 changes in CSV to the first as-of, as a ratio to DuckDB's read_csv and to pandas' read_csv with
// parse_dates: median of five, in turn. PYTHON is a Python with pandas; without it, pandas is left out. Build first.
import { spawnSync } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { finished } from "node:stream/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { fromChanges } from "siteframe";
import { xorshift } from "./xorshift.mjs";

const ROWS = 1_000_000;
const folder = mkdtempSync(join(tmpdir(), "siteframe-bench-"));
const path = join(folder, "log.csv");

async function write() {
  const random = xorshift(7);
  const below = (count) => Math.floor(random() * count);
  const states = ["Open", "In progress", "In review", "Blocked", "Done"];
  const values = [
    () => ["status", states[below(states.length)]],
    () => ["assignee", `user${below(200)}`],
    () => ["points", below(13)],
    () => ["summary", `"Text, number ${below(100_000)}"`],
  ];
  const out = createWriteStream(path);
  out.write("issue,field,value,changed_at,author\n");
  let time = Date.UTC(2020, 0, 1);
  for (let row = 0; row < ROWS; row += 10_000) {
    const lines = Array.from({ length: 10_000 }, () => {
      time += below(200_000);
      const [key, value] = values[below(values.length)]();
      return `PRJ-${below(50_000)},${key},${value},${new Date(time).toISOString()},user${below(211)}\n`;
    });
    out.write(lines.join(""));
  }
  await finished(out.end());
}

async function duckdb() {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const started = performance.now();
  await connection.run(`CREATE TABLE log AS FROM read_csv('${path}')`);
  const took = performance.now() - started;
  connection.closeSync();
  instance.closeSync();
  return took;
}

async function siteframe() {
  const started = performance.now();
  const columns = { id: "issue", key: "field", value: "value", time: "changed_at", user: "author" };
  const history = await fromChanges(path, columns);
  if (history.asOf("2022-01-01").get("status", 0) === undefined) throw new Error("no as-of");
  return performance.now() - started;
}

const script = `
import sys, time
import pandas
start = time.perf_counter()
pandas.read_csv(sys.argv[1], parse_dates=["changed_at"])
print(1000 * (time.perf_counter() - start))
`;

/** NaN without pandas. */
function pandas() {
  return Number.parseFloat(
    spawnSync(process.env.PYTHON ?? "python3", ["-c", script, path], { encoding: "utf8" }).stdout,
  );
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

try {
  await write();
  const runs = [];
  for (let run = 0; run < 6; run += 1) runs.push([await siteframe(), await duckdb(), pandas()]);
  // The first run has cold code.
  const [asked, ...others] = [0, 1, 2].map((side) => median(runs.slice(1).map((run) => run[side])));
  console.log(
    `${ROWS.toLocaleString("en-US")} changes of CSV, fromChanges() to the first as-of: ${asked.toFixed(0)} ms (first run ${runs[0][0].toFixed(0)} ms)`,
  );
  for (const [place, name] of ["DuckDB read_csv", "pandas read_csv"].entries())
    if (!Number.isNaN(others[place]))
      console.log(`${name}: ${others[place].toFixed(0)} ms, ratio ${(asked / others[place]).toFixed(1)}`);
} finally {
  rmSync(folder, { recursive: true });
}
