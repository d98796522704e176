// Memory and requests of pulls, and reading offline. `node bench/snapshot-pull.mjs [features] [changes per feature] [folder]`
// A made-up company is pulled from memory, served, pulled over HTTP, edited by 1% and pulled again. Each pull is a
// process of its own, so that its memory is its own.
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect, openSnapshot, pull, Source } from "../modules/index.js";
import { startService } from "../modules/service/start-service.js";
import { MANIFEST_VERSION } from "../modules/snapshot/format/manifest.js";
import { openStore } from "../modules/snapshot/serve/open-store.js";
import { dataset, site } from "./snapshot/records.mjs";

const SITES = 4;
const [, , task = "200000", ...rest] = process.argv;
if (/^\d+$/.test(task))
  await main(Number(task), Number(rest[0] ?? 10), rest[1] ?? `out/bench-pull-${task}-v${MANIFEST_VERSION}`);
else await tasks()[task](...rest);

async function main(features, each, folder) {
  const made = join(folder, "made");
  const edited = join(folder, "edited");
  const copy = join(folder, "copy");
  for (const [path, share] of [
    [made, 0],
    [edited, 0.01],
  ]) {
    if (!existsSync(join(path, "manifest.json"))) await child("make", path, features, each, share);
  }
  rmSync(copy, { recursive: true, force: true });
  const service = await child("serve", made);
  const full = await child("pull", copy, service.url);
  await child("read", copy, service.url);
  await stop(service);
  const later = await child("serve", edited, new URL(service.url).port);
  const small = await child("pull", copy, later.url);
  await stop(later);
  const share = (100 * small.log) / full.log;
  console.log(
    `log requests: ${full.log} of a full pull, ${small.log} of one that finds 1% new changes: ${share.toFixed(1)}%`,
  );
}

function tasks() {
  return {
    async make(path, features, each, share) {
      const start = performance.now();
      const report = await pull(new Source(madeUp(Number(features), Number(each), Number(share))), path);
      say("write", start, `${report.rows.layerFeatures} features, ${report.rows.propertyChanges} changes`);
    },
    async serve(path, port = "0") {
      const store = await openStore(path);
      const service = await startService({ store, apiKeys: [{ key: "k" }], port: Number(port) });
      process.send({ url: service.url });
    },
    async pull(path, baseUrl) {
      const source = connect({ baseUrl, apiKey: "k" });
      const start = performance.now();
      let log = 0;
      let requests = 0;
      const onRequest = ({ url }) => {
        requests += 1;
        if (url.includes("/propertyChanges")) log += 1;
      };
      const report = await pull(source, path, { onRequest });
      say("pull", start, `${requests} requests, ${JSON.stringify(report.found)}`);
      await source.close();
      process.send({ log });
    },
    async read(path, baseUrl) {
      const start = performance.now();
      const offline = await openSnapshot(path);
      await offline.layer({ site_id: [1] });
      say("open", start, "to the first table of one site, from the snapshot");
      await offline.close();
      const again = performance.now();
      const live = connect({ baseUrl, apiKey: "k" });
      await live.layer({ site_id: [1] });
      say("read", again, "the same from the service");
      await live.close();
      process.send({});
    },
  };
}

function say(what, start, text) {
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const cpu = ((userCPUTime + systemCPUTime) / 1e6).toFixed(1);
  console.log(`${what.padEnd(6)} ${seconds} s, ${cpu} s of CPU, peak ${Math.round(maxRSS / 1024)} MB: ${text}`);
}

/** Runs a task as a process: to its end, or until it says where it listens. */
function child(...args) {
  // What `siteframe pull` sets for its process. Decision 19.
  const flags = args[0] === "pull" ? ["--heap-growing-percent=50"] : [];
  const started = spawn(process.execPath, [...flags, fileURLToPath(import.meta.url), ...args.map(String)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  return new Promise((resolve, reject) => {
    let told = {};
    started.on("message", (message) => {
      told = message;
      if (message.url) resolve({ ...message, process: started });
    });
    started.on("close", (code) =>
      code === 0 || code === null ? resolve(told) : reject(new Error(`${args[0]} failed`)),
    );
  });
}

function stop(service) {
  return new Promise((resolve) => {
    service.process.on("close", resolve);
    service.process.kill();
  });
}

/** A reader of records that are made while they are read: nothing is kept. */
function madeUp(features, each, share) {
  const isEdited = (id) => id % 100 < share * 100;
  const feature = (id) => ({
    id,
    visible_id: `F-${id}`,
    properties: { STATUS: isEdited(id) ? "EDITED" : "OPEN", VOLUME: id / 7, NOTE: `note ${id % 977} `.repeat(20) },
    geometry: { type: "Polygon", coordinates: [Array.from({ length: 12 }, (_, n) => [11 + id / 1e6, 48 + n / 1e3])] },
    dataset_id: 1,
    site_id: 1 + (id % SITES),
    operation_id: null,
    company_id: 1,
    semantic_type: "TRENCHES",
    description: "",
    created_at: "2024-01-01T00:00:00Z",
    updated_at: isEdited(id) ? "2025-03-01T00:00:00Z" : "2024-02-01T00:00:00Z",
  });
  const change = (id, n) => ({
    id: `${n.toString(16).padStart(8, "0")}-0000-7000-8000-${id.toString(16).padStart(12, "0")}`,
    layer_feature_id: id,
    property_key: "STATUS",
    new_value: `S${n}`,
    system: false,
    user_id: 1 + (id % 50),
    caused_by_change_id: null,
    created_at: new Date(1_700_000_000_000 + n * 86_400_000 + id).toISOString(),
  });
  const lists = {
    sites: Array.from({ length: SITES }, (_, index) => site(index + 1)),
    datasets: [dataset(1, 1, "TRENCHES")],
  };
  return {
    origin: { kind: "memory", name: "made up" },
    async *records(resource, filters) {
      if (filters.get("type")?.includes("geojson-layer") === false) return;
      if (resource !== "layerFeatures") return yield* lists[resource] ?? [];
      const sites = filters.get("site_id") ?? [];
      for (let id = 1; id <= features; id += 1) {
        if (sites.includes(1 + (id % SITES))) yield feature(id);
      }
    },
    async all(_, filters) {
      const rows = (filters.get("layer_feature_id") ?? []).flatMap((id) => {
        // An edited feature has twice the changes: 1% of the features, 1% new changes.
        const count = each + (isEdited(id) ? each : 0);
        return Array.from({ length: count }, (_, n) => change(id, n));
      });
      return { rows, readAt: 0, findings: [] };
    },
  };
}
