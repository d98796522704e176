/**
 * Point-in-time joins: 1,000,000 rows, each with the values of its feature at its time, out of 2,000,000 changes, against
 * polars `join_asof` and DuckDB's `ASOF JOIN`. One process a variant, medians of five, all of them in turn, ROUNDS times
 * (default 3), of which the median counts; the answers are compared by hash. Every side has its log ready as it likes best
 * before, and makes all values; ours are read out of the lazy columns. Run after `npm run build`:
 * `npm run bench:join [-- ROUNDS]`, with PYTHON set to a Python that has polars.
 */
import { findPython, medianRun, round, runProgram, runPython } from "./variants.mjs";

const script = (name) => new URL(`./join/${name}`, import.meta.url).pathname;
const rounds = Array.from({ length: Number(process.argv[2] ?? 3) });
const python = findPython("polars");
const runs = [];
for (const _ of rounds)
  runs.push([
    await runProgram(script("siteframe.mjs")),
    await runProgram(script("duckdb.mjs")),
    python && runPython(python, script("write-columns.mjs"), script("polars_asof.py")),
  ]);
const [own, ...others] = [0, 1, 2].map((variant) => medianRun(runs.map((figures) => figures[variant])));

const questions = [
  ["a table in no order, 1 column", "one"],
  ["a table in no order, 5 columns", "five"],
  ["a table sorted by time, 1 column", "sortedOne"],
  ["a table sorted by time, 5 columns", "sortedFive"],
];
const lines = questions.flatMap(([question, name]) =>
  others.filter(Boolean).map((other) => ({
    question,
    "siteframe ms": round(own.ms[name]),
    against: other.variant,
    ms: round(other.ms[name]),
    ratio: round(other.ms[name] / own.ms[name]),
    answer: own.hash[name] === other.hash[name] ? "equal" : "DIFFERENT",
  })),
);
console.table(lines);
for (const { variant, detail } of [own, ...others].filter(Boolean)) {
  console.log(`${variant}, ms:`, Object.fromEntries(Object.entries(detail).map(([k, v]) => [k, round(v)])));
}
if (lines.some(({ answer }) => answer === "DIFFERENT")) process.exitCode = 1;
