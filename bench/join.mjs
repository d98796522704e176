/**
 * Point-in-time joins: 1,000,000 rows, each with the values of its feature at its time, out of 2,000,000 changes, against
 * polars `join_asof` and DuckDB's `ASOF JOIN`. One process a variant, medians of five, all of them in turn, ROUNDS times
 * (default 3), of which the median counts; the answers are compared by hash. Every side has its log ready as it likes best
 * before, and makes all values; ours are read out of the lazy columns. Run after `npm run build`:
 * `npm run bench:join [-- ROUNDS]`, with PYTHON set to a Python that has polars.
 */
import { fork, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const script = (name) => new URL(`./join/${name}`, import.meta.url).pathname;
const rounds = Array.from({ length: Number(process.argv[2] ?? 3) });
const python = findPython();
const runs = [];
for (const _ of rounds) runs.push([await run("siteframe.mjs"), await run("duckdb.mjs"), python && runPolars(python)]);
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

function run(name) {
  return new Promise((resolve, reject) => {
    const child = fork(script(name));
    child.once("message", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code} before it told its figures`)));
  });
}

function findPython() {
  const found = process.env["PYTHON"] ?? "python3";
  if (spawnSync(found, ["-c", "import polars"]).status === 0) return found;
  console.log(`polars is left out: ${found} with polars was not found (set PYTHON to one that has it).`);
  return undefined;
}

function runPolars(command) {
  const folder = mkdtempSync(join(tmpdir(), "siteframe-bench-"));
  try {
    spawnSync(process.execPath, [script("write-columns.mjs"), folder], { stdio: "inherit" });
    const { stdout } = spawnSync(command, [script("polars_asof.py"), folder], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The figures of one variant: medians of its rounds, the answers of the first. */
function medianRun(figures) {
  const [first] = figures;
  if (!first) return undefined;
  const medians = (read) =>
    Object.fromEntries(Object.keys(read(first)).map((key) => [key, median(figures.map((one) => read(one)[key]))]));
  return { ...first, ms: medians(({ ms }) => ms), detail: medians(({ detail }) => detail) };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function round(number) {
  return Number(number.toPrecision(3));
}
