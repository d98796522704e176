/**
 * What a second worker brings: `npm run bench:trino [-- CHANGES [ROUNDS]]`. Two clusters of Trino stand side by side on
 * this machine, one with one worker, one with two, each worker on one core; they are asked in turn, ROUNDS times (default
 * 5), and the median counts. Only ratios mean something: they come from one run on one machine, which needs two free
 * cores for them.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSnapshot } from "../dist/index.js";
import { writeSnapshot } from "../dist/snapshot/write/write-snapshot.js";
import { Cluster } from "../scripts/trino/cluster.mjs";
import { findJava } from "../scripts/trino/find-java.mjs";
import { installTrino } from "../scripts/trino/install-trino.mjs";
import { ClusterQuestion } from "./trino/cluster-question.mjs";
import { COLUMNS, company, END_MS, START_MS, TYPE } from "./trino/company.mjs";
import { declareTables } from "./trino/declare-tables.mjs";

const CHANGES_PER_FEATURE = 10;
const WARMING = 8;
const HEAP_MB = 1000;

const changes = Number(process.argv[2] ?? 2_000_000);
const rounds = Number(process.argv[3] ?? 5);
const features = changes / CHANGES_PER_FEATURE;
const cache = join(import.meta.dirname, "..", ".cache", "trino");
const files = join(cache, "bench");
const folder = join(files, `${changes}.snapshot`);
const say = (text) => process.stderr.write(`${text}\n`);

const java = findJava();
if (!java) throw new Error("bench:trino needs Java 24 or newer: see npm run trino");
const home = await installTrino(cache, say);
mkdirSync(files, { recursive: true });
if (!existsSync(join(folder, "manifest.json"))) {
  say(`writing ${changes} changes of ${features} features`);
  await writeSnapshot(folder, company(features, changes), { readAt: new Date("2025-02-01T00:00:00Z") });
}

const day = new Date(Date.UTC(2023, 6, 1) - 1);
const thousand = Array.from({ length: 1000 }, (_, n) => new Date(START_MS + ((n + 1) * (END_MS - START_MS)) / 1000));
/** What is asked, by what it is called. */
const asked = {
  "as-of of five columns": (questions) => questions.asOf(day, { columns: COLUMNS }),
  "counts at 1,000 dates": (questions) => questions.counts("STATUS", thousand),
  intervals: (questions) => questions.intervals("STATUS"),
};

const clusters = [];
const snapshot = await openSnapshot(folder);
try {
  const places = [];
  for (const workers of [1, 2]) {
    const cluster = new Cluster({ home, javaHome: java.home, files, workers, heapMb: HEAP_MB, isPinned: true }, say);
    clusters.push(cluster);
    say(`starting a coordinator and ${workers === 1 ? "a worker" : "two workers"}`);
    await cluster.start();
    places.push(await declareTables(cluster.state, folder));
  }
  for (const [name, ask] of Object.entries(asked)) await compare(name, ask, places);
} finally {
  await Promise.all(clusters.map((cluster) => cluster.stop()));
  await snapshot.close();
}

/** Asks both clusters in turn, and prints what they needed. */
async function compare(name, ask, places) {
  const both = [];
  for (const place of places) both.push(await ClusterQuestion.of(place, snapshot, { semantic_type: TYPE }, ask));
  const times = both.map(() => []);
  for (let round = -WARMING; round < rounds; round += 1) {
    const sums = [];
    for (const [index, one] of both.entries()) {
      const start = performance.now();
      sums.push(await one.ask());
      if (round >= 0) times[index].push(performance.now() - start);
    }
    if (new Set(sums).size > 1) throw new Error(`${name}: the answers differ: ${sums.join(" and ")}`);
  }
  const [one, two] = times.map(median);
  console.log(`${name}: one worker ${seconds(one)}, two ${seconds(two)}: ${(one / two).toFixed(2)} ×`);
  for (const question of both) console.log(`  ${await question.describe()}`);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}
