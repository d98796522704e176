// How long a first answer takes: importing Siteframe, connecting and reading a layer in one process, against undici and
// JSON.parse for the same requests. Medians of alternating fresh processes. Usage: node bench/first-answer.mjs [ROWS] [RUNS]
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";

const [rows = 2, runs = 9] = process.argv.slice(2).map(Number);
const key = "aaaaaaaa-0000-7000-8000-000000000001";
const createdAt = "2024-01-01T00:00:00Z";
const features = Array.from({ length: rows }, (_, index) => ({
  ...{ id: index + 1, visible_id: `F-${index + 1}`, dataset_id: 1, site_id: 12, operation_id: null, company_id: 3 },
  ...{ semantic_type: "TRENCHES", description: "", created_at: createdAt, updated_at: createdAt },
  geometry: { type: "Point", coordinates: [11.5, 48.1] },
  properties: { [key]: index % 2 === 0 ? "OPEN" : "DONE" },
}));
const dataset = {
  ...{ id: 1, identifier: "dataset-1", site_id: 12, operation_id: null, name: "Trenches", status: "COMPLETED" },
  ...{ semantic_type: "TRENCHES", layout_definition: null },
};
const definition = {
  id: key,
  dataset_id: 1,
  name: "STATUS",
  description: null,
  display_order: 0,
  type: "STRING",
  config: {},
};
const records = { layerFeatures: features, datasets: [dataset], propertyDefinitions: [definition] };

const asked = new Set();
const server = createServer((request, response) => {
  asked.add(request.url);
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  const all = records[pathname.slice(1)] ?? [];
  const pageSize = Number(searchParams.get("_pageSize") ?? 100);
  const page = Number(searchParams.get("_page") ?? 1);
  const data = all.slice((page - 1) * pageSize, page * pageSize);
  const pagination = { page, pageSize, rowCount: all.length, pageCount: Math.ceil(all.length / pageSize) };
  response.end(JSON.stringify({ data, pagination }));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const baseUrl = `http://127.0.0.1:${server.address().port}`;

const siteframe = `
  const start = performance.now();
  const { connect } = await import("siteframe");
  const imported = performance.now();
  const source = connect({ baseUrl: process.env.SERVICE, apiKey: "demo", progress: false });
  const layer = await source.layer({ site_id: 12 });
  console.log(JSON.stringify([layer.table.numRows(), performance.now() - start, performance.now() - imported]));
  await source.close();`;
const undici = `
  const start = performance.now();
  const { Pool } = await import("undici");
  const pool = new Pool(process.env.SERVICE);
  const read = async (path) => JSON.parse(await (await pool.request({ path, method: "GET" })).body.text());
  const answers = await Promise.all(JSON.parse(process.env.PATHS).map(read));
  const found = Math.max(...answers.map(({ pagination }) => pagination.rowCount));
  console.log(JSON.stringify([found, performance.now() - start]));
  await pool.close();`;

/** @returns milliseconds */
async function time(program) {
  const env = { ...process.env, SERVICE: baseUrl, PATHS: JSON.stringify([...asked]) };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { env });
  const [found, ...times] = JSON.parse(stdout);
  if (found !== rows) throw new Error(`${found} rows were read instead of ${rows}`);
  return times;
}
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

await time(siteframe);
const [ours, theirs] = [[], []];
for (let run = 0; run < runs; run += 1) {
  ours.push(await time(siteframe));
  theirs.push(await time(undici));
}
server.close();
const [whole, layer] = [0, 1].map((index) => median(ours.map((times) => times[index])));
const alone = median(theirs.map(([ms]) => ms));
console.log(
  `${rows} rows: siteframe ${whole.toFixed(0)} ms (${layer.toFixed(0)} ms after the import), ` +
    `undici and JSON.parse ${alone.toFixed(0)} ms: ${(whole / alone).toFixed(1)} times as long`,
);
