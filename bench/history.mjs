/**
 * History against DuckDB, grouping objects, and pandas where it is installed: one process a variant, medians of five,
 * all of them in turn, ROUNDS times (default 3), of which the median counts; the answers are compared by hash. Then the
 * way from a snapshot with a long log (CHANGES, default 12,000,000; 0 for none) to the first answer, and from the
 * service, whose process makes the records and does not count. Run after `npm run build`: `npm run bench:history [-- ROUNDS [CHANGES]]`.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { findPython, median, medianRun, round, runProgram, runPython } from "./variants.mjs";

const longLog = Number(process.argv[3] ?? 12_000_000);
const script = (name) => new URL(`./history/${name}`, import.meta.url).pathname;
const rounds = Array.from({ length: Number(process.argv[2] ?? 3) });
const python = findPython("pandas");
const runs = [];
for (const _ of rounds) {
  runs.push([
    await runProgram(script("siteframe.mjs")),
    await runProgram(script("duckdb.mjs")),
    await runProgram(script("objects.mjs")),
    python && runPython(python, script("write-columns.mjs"), script("pandas_asof.py")),
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
  const folder = await runProgram(script("company-folder.mjs"), [String(changes)]);
  const rows = [];
  for (const _ of rounds) rows.push(await runProgram(script("from-snapshot.mjs"), [folder]));
  tell("a snapshot", rows);
}

/** The service is a process of its own, which ends with the connection to it. */
async function fromLive(changes) {
  const server = fork(script("live-server.mjs"), [String(changes)]);
  const [address] = await once(server, "message");
  const rows = [];
  for (const _ of rounds) rows.push(await runProgram(script("from-live.mjs"), [address]));
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
