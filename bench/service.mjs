// The embedded service against node:http sending the same bytes from a buffer, each in a process of its own.
// `node bench/service.mjs [features] [folder]`; the sample company of that size is written first if the folder is absent.
import { fork, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { Agent, createServer, get } from "node:http";
import { fileURLToPath } from "node:url";
import { sampleCompany } from "../modules/sample/sample-company.js";
import { MANIFEST_VERSION } from "../modules/snapshot/format/manifest.js";
import { writeSnapshot } from "../modules/snapshot/write/write-snapshot.js";

const key = "bench";
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

if (process.argv[2] === "buffer") sendBuffer(Number(process.argv[3]));
else await main(Number(process.argv[2] ?? 1_000_000), process.argv[3]);

function sendBuffer(bytes) {
  const body = Buffer.alloc(bytes, 97);
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
}

async function main(features, folder = `out/bench-service-${features}-v${MANIFEST_VERSION}.snapshot`) {
  if (!existsSync(`${folder}/manifest.json`)) await writeCompany(features, folder);
  const started = performance.now();
  const service = spawn(process.execPath, ["dist/cli/main.js", "serve", folder, "--port", "0", "--api-key", key], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise((resolve, reject) => {
    service.stdout.once("data", (line) => resolve(/http:\S+/.exec(String(line))[0]));
    service.once("exit", (code) => reject(new Error(`the service ended with ${code}`)));
  });
  console.log(
    `start with ${features.toLocaleString("en-US")} features: ${((performance.now() - started) / 1000).toFixed(2)} s`,
  );
  try {
    const sites = JSON.parse((await read(`${url}/sites`)).toString()).data.map(({ id }) => `site_id=${id}`);
    const everything = [...sites, "site_id[]="].join("&");
    await largePages(url, "all sites", everything);
    await largePages(url, "one dataset", `dataset_id=${await largestDataset(url, everything)}`);
    await smallPages(url, everything, features);
    await manyClients(url, everything);
    console.log(`resident memory: ${memory(service.pid, "VmRSS")} MB, at most ${memory(service.pid, "VmHWM")} MB`);
  } finally {
    service.kill("SIGTERM");
    agent.destroy();
  }
}

async function writeCompany(features, folder) {
  const company = sampleCompany({ features });
  const started = performance.now();
  await writeSnapshot(folder, { ...company, layerFeatures: company.layerFeatures(), propertyChanges: [] });
  console.log(`wrote ${folder} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

async function largestDataset(url, filter) {
  const { data } = JSON.parse(
    (await read(`${url}/layerFeatures?${filter}&_page=1&_pageSize=10000&_sortBy=%2Bid`)).toString(),
  );
  const counts = new Map();
  for (const { dataset_id } of data) counts.set(dataset_id, (counts.get(dataset_id) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0][0];
}

async function largePages(url, label, filter) {
  for (const sort of ["", "&_sortBy=%2Bid"]) {
    const address = (page) => `${url}/layerFeatures?${filter}&_page=${page}&_pageSize=10000${sort}`;
    const { length: bytes, pages } = await firstPage(address(1));
    const buffer = fork(fileURLToPath(import.meta.url), ["buffer", String(bytes)]);
    const port = await new Promise((resolve) => buffer.once("message", resolve));
    const [ours, plain] = [[], []];
    for (let run = 0; run < 10; run += 1) {
      ours.push(await time(() => read(address(1 + (run % pages)))));
      plain.push(await time(() => read(`http://127.0.0.1:${port}/`)));
    }
    buffer.kill();
    const ratio = median(plain) / median(ours);
    const order = sort === "" ? "default order" : "by id";
    console.log(
      `10,000 features, ${label}, ${order}: ${(bytes / 1e6).toFixed(1)} MB in ${median(ours).toFixed(1)} ms, buffer ${median(plain).toFixed(1)} ms: ${(100 * ratio).toFixed(0)}% of its speed`,
    );
  }
}

/** Bytes of the first page, and how many pages are as full. */
async function firstPage(address) {
  const body = await read(address);
  const { rowCount } = JSON.parse(body.subarray(body.lastIndexOf('"pagination"') + 13, body.length - 1).toString());
  return { length: body.length, pages: Math.max(1, Math.floor(rowCount / 10_000)) };
}

async function smallPages(url, filter, features) {
  for (const sort of ["", "&_sortBy=%2Bid"]) {
    for (const first of [1, Math.min(9000, Math.floor(features / 100) - 20)]) {
      const times = [];
      for (let page = first; page < first + 20; page += 1) {
        times.push(await time(() => read(`${url}/layerFeatures?${filter}&_page=${page}&_pageSize=100${sort}`)));
      }
      const order = sort === "" ? "default order" : "by id";
      console.log(
        `100 features from page ${first}, ${order}: median ${median(times).toFixed(1)} ms, first ${times[0].toFixed(1)} ms, worst ${Math.max(...times).toFixed(1)} ms`,
      );
    }
  }
}

async function manyClients(url, filter) {
  const started = performance.now();
  let errors = 0;
  const client = async (number) => {
    for (let page = 1; page <= 25; page += 1) {
      await read(`${url}/layerFeatures?${filter}&_page=${number * 25 + page}&_pageSize=1000`).catch(() => {
        errors += 1;
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, number) => client(number)));
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `8 clients, 200 pages of 1,000: ${errors} errors, ${Math.round(200_000 / seconds).toLocaleString("en-US")} features/s`,
  );
}

function read(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `ApiKey ${key}` } }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const body = Buffer.concat(chunks);
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`${response.statusCode}: ${body}`));
      });
      response.on("error", reject);
    }).on("error", reject);
  });
}

async function time(run) {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

function memory(pid, field) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]) / 1024);
}
