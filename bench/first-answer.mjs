/**
 * A layer of two rows in a new process: importing Siteframe, connecting and reading, against undici and JSON.parse for the
 * same requests.
 */
import { createServer } from "node:http";
import { median, runProgram } from "./programs.mjs";

const KEY = "aaaaaaaa-0000-7000-8000-000000000001";
const TIMES = 5;

export async function run() {
  const paths = new Set();
  const server = await smallService(paths);
  const url = `http://127.0.0.1:${server.address().port}`;
  const times = { own: [], undici: [] };
  // The first reading shows which requests a layer takes.
  await runProgram("first-answer/siteframe.mjs", [url]);
  for (let time = 0; time < TIMES; time += 1) {
    times.own.push((await runProgram("first-answer/siteframe.mjs", [url])).ms);
    times.undici.push((await runProgram("first-answer/undici.mjs", [url, ...paths])).ms);
  }
  server.close();
  return { ratios: { "first-answer: two rows, undici": median(times.undici) / median(times.own) } };
}

/** A service of two features. It notes the paths that are asked for. */
async function smallService(paths) {
  const created = "2024-01-01T00:00:00Z";
  const feature = (id, status) => ({
    ...{ id, visible_id: `F-${id}`, dataset_id: 1, site_id: 12, operation_id: null, company_id: 3 },
    ...{ semantic_type: "TRENCHES", description: "", created_at: created, updated_at: created },
    geometry: { type: "Point", coordinates: [11.5, 48.1] },
    properties: { [KEY]: status },
  });
  const dataset = {
    ...{ id: 1, identifier: "dataset-1", site_id: 12, operation_id: null, name: "Trenches", status: "COMPLETED" },
    ...{ semantic_type: "TRENCHES", layout_definition: null },
  };
  const definition = {
    ...{ id: KEY, dataset_id: 1, name: "STATUS", description: null, display_order: 0, type: "STRING", config: {} },
  };
  const records = {
    "/layerFeatures": [feature(1, "OPEN"), feature(2, "DONE")],
    "/datasets": [dataset],
    "/propertyDefinitions": [definition],
  };
  const server = createServer((request, response) => {
    paths.add(request.url);
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    const data = records[pathname] ?? [];
    const pageSize = Number(searchParams.get("_pageSize") ?? 100);
    const pagination = { page: 1, pageSize, rowCount: data.length, pageCount: 1 };
    response.end(JSON.stringify({ data, pagination }));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}
