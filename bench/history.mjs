/**
 * History against DuckDB, grouping objects, and pandas where it is installed: one process a variant, medians of five,
 * all of them in turn, ROUNDS times (default 3), of which the median counts; the answers are compared by hash. Then the
 * way from a snapshot with a long log (CHANGES, default 12,000,000; 0 for none) to the first answer, and from the
 * service, whose process makes the records and does not count. Run after `npm run build`: `npm run bench:history [-- ROUNDS [CHANGES]]`.
 */
import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const longLog = Number(process.argv[3] ?? 12_000_000);
const script = (name) => new URL(`./history/${name}`, import.meta.url).pathname;
const rounds = Array.from({ length: Number(process.argv[2] ?? 3) });
const python = findPython();
const runs = [];
for (const _ of rounds) {
  runs.push([
    await run("siteframe.mjs"),
    await run("duckdb.mjs"),
    await run("objects.mjs"),
    python && runPandas(python),
  ]);
}
const [own, duckdb, objects, pandas] = [0, 1, 2, 3].map((variant) => medianRun(runs.map((run) => run[variant])));

const targets = [
  ["index from columns", "index", [duckdb, 2]],
  ["asOf, 5 columns", "asOf", [duckdb, 8], [pandas, 20], [objects, 100]],
  [
    "asOf, and each value read",
    "asOfRead",
    [duckdb, 8, "asOf"],
    [pandas, undefined, "asOf"],
    [objects, undefined, "asOf"],
  ],
  ["panel, 36 month-ends, 1 column", "panel", [duckdb, 5]],
  ["counts, 36 dates", "counts36", [duckdb, undefined]],
  ["counts, 1,000 dates", "counts1000", [duckdb, 3]],
];
const lines = targets.flatMap(([question, name, ...others]) =>
  others
    .filter(([other]) => other)
    .map(([other, target, theirs = name]) => {
      const ratio = other.ms[theirs] / own.ms[name];
      const same = name === "index" || own.hash[theirs] === other.hash[theirs];
      return {
        question,
        "siteframe ms": round(own.ms[name]),
        against: other.variant,
        ms: round(other.ms[theirs]),
        ratio: round(ratio),
        target: target ? `≥ ${target}` : "",
        answer: same ? "equal" : "DIFFERENT",
      };
    }),
);
console.table(lines);
console.log(
  `Bytes a change: log ${round(own.bytes.log)}, index ${round(own.bytes.index)}; target: at most 60 together.`,
);
console.log(`The first asOf: ${round(own.ms.asOfFirst)} ms. Panel of all 5 columns: ${round(own.ms.panelAll)} ms.`);
for (const { variant, detail } of [duckdb, pandas].filter(Boolean)) {
  console.log(`${variant}, ms:`, Object.fromEntries(Object.entries(detail).map(([k, v]) => [k, round(v)])));
}
if (longLog > 0) {
  await fromSnapshot(longLog);
  await fromLive(longLog);
}
if (lines.some(({ answer }) => answer === "DIFFERENT")) process.exitCode = 1;

/** The folder is written by a process of its own, and kept in the system's folder for temporary files. */
async function fromSnapshot(changes) {
  const folder = await run("company-folder.mjs", [String(changes)]);
  const rows = [];
  for (const _ of rounds) rows.push(await run("from-snapshot.mjs", [folder]));
  tell("a snapshot", rows);
}

/** The service is a process of its own, which ends with the connection to it. */
async function fromLive(changes) {
  const server = fork(script("live-server.mjs"), [String(changes)]);
  const [address] = await once(server, "message");
  const rows = [];
  for (const _ of rounds) rows.push(await run("from-live.mjs", [address]));
  server.disconnect();
  tell("the service", rows);
}

function tell(origin, rows) {
  const [first] = rows;
  const middle = (key) => median(rows.map((row) => row[key]));
  console.log(
    `From ${origin}, ${first.changes.toLocaleString("en-US")} changes of ${first.features.toLocaleString("en-US")} features to the first asOf with its values: ` +
      `${round(middle("seconds"))} s (${round(middle("cpuSeconds"))} s of CPU), ${Math.round(middle("peakMb"))} MB at the peak, ` +
      `${Math.round((middle("peakMb") * 2 ** 20) / first.changes)} bytes a change. Target for 12,000,000: at most 15 s, 1,500 MB.`,
  );
}

function run(name, args = []) {
  return new Promise((resolve, reject) => {
    const child = fork(script(name), args);
    child.once("message", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code} before it told its figures`)));
  });
}

function findPython() {
  const python = process.env["PYTHON"] ?? "python3";
  if (spawnSync(python, ["-c", "import pandas"]).status === 0) return python;
  console.log(`pandas is left out: ${python} with pandas was not found (set PYTHON to one that has it).`);
  return undefined;
}

function runPandas(python) {
  const folder = mkdtempSync(join(tmpdir(), "siteframe-bench-"));
  try {
    spawnSync(process.execPath, [script("write-columns.mjs"), folder], { stdio: "inherit" });
    const { stdout } = spawnSync(python, [script("pandas_asof.py"), folder], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The figures of one variant: medians of its rounds, the answers of the first. */
function medianRun(rounds) {
  const [first] = rounds;
  if (!first) return undefined;
  const medians = (read) =>
    Object.fromEntries(Object.keys(read(first) ?? {}).map((key) => [key, median(rounds.map((run) => read(run)[key]))]));
  return { ...first, ms: medians(({ ms }) => ms), detail: medians(({ detail }) => detail) };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function round(number) {
  return Number(number.toPrecision(3));
}
