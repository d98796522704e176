// Showing a layer of 200,000 features in a notebook, against reading it: `npm run bench:display [-- FEATURES [ROUNDS]]`.
// From a snapshot and from a service on loopback, each round in a separate process, in turn; medians. The service runs in
// the main process, so that CPU time is that of the reader alone. Modules are loaded before the clock starts. "again" is a second reading in
// the same process.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const [, , task = "200000", ...rest] = process.argv;
if (/^\d+$/.test(task)) await main(Number(task), Number(rest[0] ?? 5));
else await readAndShow(rest[0], Number(rest[1]));

async function main(features, rounds) {
  const { servedSnapshot } = await import("./snapshot/served-snapshot.mjs");
  const { places, close } = await servedSnapshot(features);
  const runs = new Map();
  const self = fileURLToPath(import.meta.url);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, place] of Object.entries(places)) {
      const { stdout } = await promisify(execFile)(process.execPath, [self, "read", place, String(features)]);
      for (const [turn, times] of Object.entries(JSON.parse(stdout))) {
        const key = `${name}, ${turn}`;
        runs.set(key, [...(runs.get(key) ?? []), times]);
      }
    }
  }
  await close();
  console.log(`\n${features} features, median of ${rounds}, milliseconds\n`);
  console.log("| from | read | shown | × | CPU: read | shown | × |\n|---|---:|---:|---:|---:|---:|---:|");
  for (const [name, all] of runs) {
    const median = (value) => all.map(value).toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
    const cells = (read, shown) => [
      median(read).toFixed(0),
      median(shown).toFixed(0),
      median((run) => shown(run) / read(run)).toFixed(1),
    ];
    const wall = cells(
      ({ read }) => read.ms,
      ({ shown }) => shown.ms,
    );
    const cpu = cells(
      ({ read }) => read.cpuMs,
      ({ shown }) => shown.cpuMs,
    );
    console.log(`| ${[name, ...wall, ...cpu].join(" | ")} |`);
  }
}

async function readAndShow(place, features) {
  const { connect, openSnapshot } = await import("../modules/index.js");
  const { toMimeBundle } = await import("../modules/tables/display/to-mime-bundle.js");
  // They load with the first use.
  await Promise.all([
    import("undici"),
    import("arquero"),
    import("../modules/client/live-reader.js"),
    import("../modules/source/read-layer.js"),
    import("../modules/snapshot/open-snapshot.js"),
  ]);
  const times = {};
  for (const turn of ["first", "again"]) {
    let layer;
    const read = await timed(async () => {
      const source = place.startsWith("http")
        ? connect({ baseUrl: place, apiKey: "k", progress: false })
        : await openSnapshot(place);
      layer = await source.layer({ site_id: 12 });
    });
    if (layer.rowCount !== features) throw new Error(`${layer.rowCount} features came`);
    const shown = await timed(() => toMimeBundle(layer));
    times[turn] = { read, shown };
  }
  console.log(JSON.stringify(times));
  process.exit(0);
}

async function timed(run) {
  const [start, cpuStart] = [performance.now(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(cpuStart);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}
