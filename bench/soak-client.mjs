// Reads over and over while rows come and go and requests fail at random: `node bench/soak-client.mjs [MINUTES] [SEED]`.
// Every read must hold each row that existed throughout once, and none that never existed, or end in an error. Build first.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { liveReader } from "../modules/client/live-reader.js";

const minutes = Number(process.argv[2] ?? 10);
let state = Number(process.argv[3] ?? 1) >>> 0;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const below = (bound) => Math.floor(random() * bound);
const pick = (items) => items[below(items.length)];

const record = (id) => ({
  id,
  visible_id: `F-${id}`,
  properties: { STATUS: `${id * 7}` },
  geometry: null,
  dataset_id: 1,
  site_id: 1,
  operation_id: null,
  company_id: 1,
  semantic_type: "TRENCHES",
  description: "",
  created_at: "2025-01-01T00:00:00Z",
  updated_at: "2025-01-01T00:00:00Z",
});

/** When each living row was born, counted in events. */
const born = new Map();
const everBorn = new Set();
let events = 0;
let nextId = 1;
const insert = (id) => {
  born.set(id, events);
  everBorn.add(id);
};
for (; nextId <= 3000; nextId += 1) insert(nextId * 2);

function move() {
  const gone = Array.from({ length: below(4) }, () => pick([...born.keys()]));
  const come = random() < 0.6 ? gone.length : below(4);
  events += 1;
  for (const id of gone) born.delete(id);
  for (let n = 0; n < come; n += 1) {
    // New rows come last, as a rule; some come back between others.
    if (random() < 0.7) insert(nextId++ * 2);
    else insert(1 + below(nextId * 2));
  }
}

const counted = { requests: 0, faults: 0, reads: 0, rows: 0, moved: 0, driftErrors: 0, otherErrors: 0 };
const faults = [
  (response) => response.writeHead(429, { "retry-after": "0" }).end(),
  (response) => response.writeHead(500).end("no"),
  (response) => response.writeHead(503).end("busy"),
  (response) => response.socket.resetAndDestroy(),
  (response) => response.socket.destroy(),
  (response) => response.writeHead(200).end('{"data":[{"id":'),
  (response) => response.writeHead(200, { "content-length": 900 }).write("{", () => response.socket.destroy()),
  (response) => response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip"),
  (response) => setTimeout(() => response.destroy(), 400),
];

let churn = 0;
let byId = true;
const server = createServer(async (request, response) => {
  counted.requests += 1;
  await sleep(below(4));
  if (random() < 0.08) {
    counted.faults += 1;
    return pick(faults)(response);
  }
  if (random() < churn) move();
  const { searchParams } = new URL(request.url, "http://localhost");
  const [page, pageSize] = [Number(searchParams.get("_page")), Number(searchParams.get("_pageSize"))];
  const ids = [...born.keys()].sort((a, b) => (byId ? a - b : b - a));
  if (page > 1 && (page - 1) * pageSize >= ids.length) return response.writeHead(pick([400, 404])).end("no such page");
  const data = ids.slice((page - 1) * pageSize, page * pageSize).map(record);
  const pagination = { page, pageSize, rowCount: ids.length, pageCount: Math.ceil(ids.length / pageSize) };
  const body = gzipSync(JSON.stringify({ data, pagination }), { level: 1 });
  return response.writeHead(200, { "content-encoding": "gzip" }).end(body);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const effects = { now: Date.now, random, screen: () => undefined, sleep: (ms) => sleep(ms / 20) };
const baseUrl = `http://127.0.0.1:${server.address().port}`;

async function readOnce() {
  churn = pick([0, 0.02, 0.1, 0.5]);
  byId = random() < 0.8;
  const options = { pageSize: 20 + below(800), concurrency: 1 + below(8), retries: 8, timeoutMs: 300 };
  const reader = liveReader({ baseUrl, apiKey: "soak", ...options }, effects);
  const start = events;
  const read = [];
  try {
    if (random() < 0.5) read.push(...(await reader.all("layerFeatures", new Map([["site_id", [1]]]))).rows);
    else for await (const row of reader.records("layerFeatures", new Map([["site_id", [1]]]))) read.push(row);
    counted.reads += 1;
    counted.rows += read.length;
    if (events > start) counted.moved += 1;
    verify(read, start);
  } catch (error) {
    if (error.code === "ERR_DRIFT") counted.driftErrors += 1;
    else if (error.code) counted.otherErrors += 1;
    else throw error;
  } finally {
    await reader.close();
  }
}

function verify(read, start) {
  const came = new Set(read.map(({ id }) => id));
  if (came.size !== read.length) throw new Error("a row came twice");
  for (const row of read) {
    if (!everBorn.has(row.id)) throw new Error(`row ${row.id} never existed`);
    if (JSON.stringify(row) !== JSON.stringify(record(row.id))) throw new Error(`row ${row.id} is not what was sent`);
  }
  for (const [id, since] of born) if (since <= start && !came.has(id)) throw new Error(`row ${id} is missing`);
}

const end = Date.now() + minutes * 60_000;
for (let report = Date.now(); Date.now() < end; ) {
  await readOnce();
  if (Date.now() < report) continue;
  report = Date.now() + 60_000;
  console.log(JSON.stringify(counted));
}
console.log(`${minutes} minutes, no row missing, twice or invented: ${JSON.stringify(counted)}`);
server.closeAllConnections();
server.close();
