/**
 * What a second worker brings: `npm run bench:trino [-- CHANGES [ROUNDS [WARMING [NAMES]]]]`. Two clusters of Trino
 * stand side by side on this machine, one with one worker, one with two. Each worker has one core, and the coordinator
 * shares that of the first in both. After WARMING rounds of all questions (default 20) they are asked in turn, ROUNDS
 * times (default 5), and the median counts; NAMES is a regular expression of the questions' names. A cluster is asked
 * once both have nothing more to do: what a JVM compiles after a question would else be counted to the other's. Only
 * ratios mean something: they come from one run on one machine, which needs two free cores for them.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSnapshot } from "../modules/index.js";
import { MANIFEST_VERSION } from "../modules/snapshot/format/manifest.js";
import { writeSnapshot } from "../modules/snapshot/write/write-snapshot.js";
import { Cluster } from "../scripts/trino/cluster.mjs";
import { findJava } from "../scripts/trino/find-java.mjs";
import { installTrino } from "../scripts/trino/install-trino.mjs";
import { ClusterQuestion } from "./trino/cluster-question.mjs";
import { COLUMNS, company, END_MS, START_MS, TYPE } from "./trino/company.mjs";
import { declareTables } from "./trino/declare-tables.mjs";
import { untilIdle } from "./trino/until-idle.mjs";

const CHANGES_PER_FEATURE = 10;
/** With less, a worker tidies its whole heap in mid-question. */
const HEAP_MB = 1600;

const changes = Number(process.argv[2] ?? 2_000_000);
const rounds = Number(process.argv[3] ?? 5);
/** A JVM that has answered a question ten times still compiles for a third of its time. */
const warming = Number(process.argv[4] ?? 20);
const names = new RegExp(process.argv[5] ?? "");
const features = changes / CHANGES_PER_FEATURE;
const cache = join(import.meta.dirname, "..", ".cache", "trino");
const files = join(cache, "bench");
const folder = join(files, `${changes}-v${MANIFEST_VERSION}.snapshot`);
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
/**
 * What is asked, by what it is called: of large answers what `copy()` stores, of small ones what `await` brings. What
 * questions remember is not asked again.
 */
const asked = {
  "as-of of five columns": (questions) => questions.asOf(day, { columns: COLUMNS }).copy("answer"),
  "counts at 1,000 dates": (questions) => questions.counts("STATUS", thousand),
  "counts at 1,000 dates, by another column": (questions) => questions.counts("STATUS", thousand, { by: "SEVERITY" }),
  intervals: (questions) => questions.intervals("STATUS").copy("answer"),
};

const clusters = [];
// Nodes are processes of their own: they would outlive us.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop().then(() => process.exit(1)));
const snapshot = await openSnapshot(folder);
try {
  const places = [];
  for (const workers of [1, 2]) {
    const cluster = new Cluster({ home, javaHome: java.home, files, workers, heapMb: HEAP_MB, isPinned: true }, say);
    clusters.push(cluster);
    say(`starting a coordinator and ${workers === 1 ? "a worker" : "two workers"}`);
    await cluster.start();
    places.push({ place: await declareTables(cluster.state, folder), nodes: cluster.state.nodes });
  }
  const questions = [];
  for (const [name, ask] of Object.entries(asked).filter(([name]) => names.test(name)))
    questions.push({ name, both: await askBoth(ask, places) });
  say(`warming up: ${warming} rounds`);
  for (let round = 0; round < warming; round += 1)
    for (const { both } of questions) for (const one of both) await one.ask();
  for (const { name, both } of questions) await compare(name, both, places);
} finally {
  await stop();
  await snapshot.close();
}

async function stop() {
  await Promise.all(clusters.map((cluster) => cluster.stop()));
}

async function askBoth(ask, places) {
  const both = [];
  for (const place of places) both.push(await ClusterQuestion.of(place, snapshot, { semantic_type: TYPE }, ask));
  return both;
}

/** Asks both clusters in turn, and prints what they needed. */
async function compare(name, both, places) {
  const nodes = places.flatMap((place) => place.nodes);
  const answers = both.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, one] of both.entries()) {
      await untilIdle(nodes);
      answers[index].push(await one.ask());
    }
  }
  const sums = new Set(answers.flat().map(({ sum }) => sum));
  if (sums.size > 1) throw new Error(`${name}: the answers differ: ${[...sums].join(" and ")}`);
  const [one, two] = answers.map((all) => median(all.map(({ seconds }) => seconds)));
  console.log(`${name}: one worker ${one.toFixed(2)} s, two ${two.toFixed(2)} s: ${(one / two).toFixed(2)} ×`);
  for (const [index, question] of both.entries()) {
    const cpu = places[index].nodes.map((node, place) => {
      return `${node.name} ${median(answers[index].map((answer) => answer.cpu[place])).toFixed(1)}`;
    });
    console.log(`  ${await question.describe()}; seconds computed: ${cpu.join(", ")}`);
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
