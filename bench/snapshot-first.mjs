// Open to first table of 200,000 features: from a snapshot, and from a service on loopback that serves the same folder.
// `node bench/snapshot-first.mjs [features] [rounds]`. Each reading is a process of its own, in turn; medians.
// "shown" is the table as a notebook shows it; "all values" then reads every value of every column.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const [, , task = "200000", ...rest] = process.argv;
if (/^\d+$/.test(task)) await main(Number(task), Number(rest[0] ?? 5));
else await read(rest[0], Number(rest[1]));

async function main(features, rounds) {
  const { servedSnapshot } = await import("./snapshot/served-snapshot.mjs");
  const { places, close } = await servedSnapshot(features);
  const runs = { snapshot: [], service: [] };
  const self = fileURLToPath(import.meta.url);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, place] of Object.entries(places)) {
      const { stdout } = await promisify(execFile)(process.execPath, [self, "read", place, String(features)]);
      runs[name].push(JSON.parse(stdout));
    }
  }
  await close();
  const median = (name, key) => runs[name].map((run) => run[key]).toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
  console.log(
    `\n${features} features, median of ${rounds}, milliseconds\n\n| | snapshot | service | × |\n|---|---:|---:|---:|`,
  );
  for (const [key, title] of [
    ["shown", "open to first table, shown"],
    ["shownCpu", "the same, CPU time of the reader"],
    ["all", "and all values"],
    ["allCpu", "the same, CPU time of the reader"],
    ["peakMb", "peak memory when shown, MB"],
  ]) {
    const [a, b] = [median("snapshot", key), median("service", key)];
    console.log(`| ${title} | ${a.toFixed(0)} | ${b.toFixed(0)} | ${(b / a).toFixed(1)} |`);
  }
}

async function read(place, features) {
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  const cpu = () => {
    const { user, system } = process.cpuUsage(cpuStart);
    return (user + system) / 1000;
  };
  const { connect, openSnapshot } = await import("../modules/index.js");
  const { toMimeBundle } = await import("../modules/tables/display/to-mime-bundle.js");
  const source = place.startsWith("http")
    ? connect({ baseUrl: place, apiKey: "k", progress: false })
    : await openSnapshot(place);
  const layer = await source.layer({ site_id: 12 });
  await toMimeBundle(layer);
  if (layer.rowCount !== features) throw new Error(`${layer.rowCount} features came`);
  const [shown, shownCpu] = [performance.now() - start, cpu()];
  const peakMb = process.resourceUsage().maxRSS / 1024;
  let filled = 0;
  for (const name of layer.table.columnNames()) {
    for (const value of layer.table.column(name)) filled += value === null ? 0 : 1;
  }
  const [all, allCpu] = [performance.now() - start, cpu()];
  console.log(JSON.stringify({ shown, shownCpu, all, allCpu, peakMb, filled }));
  process.exit(0);
}
