// Speed of the snapshot: writing, opening, pages of the store. `node bench/snapshot-store.mjs [features] [changes] [folder]`
// Pages are compared with node:http sending the same bytes from a buffer, in the same run.
import { existsSync } from "node:fs";
import { createServer, get } from "node:http";
import { endpoints } from "../modules/api/endpoints.js";
import { parseQuery } from "../modules/api/parse-query.js";
import { MANIFEST_VERSION } from "../modules/snapshot/format/manifest.js";
import { openStore } from "../modules/snapshot/serve/open-store.js";
import { writeSnapshot } from "../modules/snapshot/write/write-snapshot.js";
import { dataset, site } from "./snapshot/records.mjs";

const features = Number(process.argv[2] ?? 200_000);
const changes = Number(process.argv[3] ?? features * 3);
const folder = process.argv[4] ?? `out/bench-${features}-v${MANIFEST_VERSION}.snapshot`;
const defaults = { pageSize: 100, maxPageSize: 10_000, sort: [{ field: "id", descending: false }], sortable: [] };
const everything = { siteIds: undefined };
const rss = () => `${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`;

if (!existsSync(`${folder}/manifest.json`)) {
  const start = performance.now();
  await writeSnapshot(folder, {
    sites: sites(),
    datasets: datasets(),
    layerFeatures: layerFeatures(),
    propertyChanges: propertyChanges(),
  });
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `write    ${seconds.toFixed(1)} s, ${Math.round((features + changes) / seconds)} records/s, resident ${rss()}`,
  );
}

const opening = performance.now();
const store = await openStore(folder);
console.log(
  `open     ${(performance.now() - opening).toFixed(0)} ms, ${(performance.now()).toFixed(0)} ms since the process began, resident ${rss()}`,
);

const first = [];
for (const sort of ["", "&_sortBy=%2Bid"]) {
  for (const page of [1, Math.min(9000, Math.floor(features / 100))])
    first.push(`site_id=1&site_id=2&site_id=3&site_id=4&_page=${page}&_pageSize=100${sort}`);
}
for (const query of first) await report("layerFeatures", query);
for (const scope of ["site_id=1&site_id=2&site_id=3&site_id=4", "dataset_id=17"]) {
  for (const sort of ["", "&_sortBy=%2Bid", "&_sortBy=-id"]) {
    const bytes = await report("layerFeatures", `${scope}&_page=2&_pageSize=10000${sort}`);
    if (bytes.length > 1000)
      console.log(`         node:http sends the same from a buffer in ${(await sendTime(bytes)).toFixed(1)} ms`);
  }
}
await report("layerFeatures", "dataset_id=17&_page=1&_pageSize=100&_sortBy=properties.VOLUME");
await report("layerFeatures", "site_id=1&_page=1&_pageSize=100&_sortBy=visible_id");
await report("layerFeatures", "site_id=1&_page=1&_pageSize=100&_sortBy=-properties.STATUS");
const ids = (step) =>
  Array.from({ length: 200 }, (_, index) => `layer_feature_id=${1 + ((index * step) % features)}`).join("&");
await report("propertyChanges", `${ids(1)}&_pageSize=10000`);
await report("propertyChanges", `${ids(4999)}&_pageSize=10000`);
await report("propertyChanges", `${ids(1)}&_pageSize=10000`, { siteIds: [1, 2] });
console.log(`resident ${rss()}`);
await store.close();

async function report(resource, query, access = everything) {
  const parsed = parseQuery(endpoints[resource], query, defaults);
  const times = [];
  let page;
  for (let run = 0; run < 8; run++) {
    const start = performance.now();
    page = await store.page(endpoints[resource], { ...parsed, page: Math.max(1, parsed.page - (run % 2)) }, access);
    times.push(performance.now() - start);
  }
  const [cold] = times;
  const warm = times.slice(1).sort((a, b) => a - b)[3];
  const short = query.length > 90 ? `${query.slice(0, 87)}…` : query;
  console.log(
    `${cold.toFixed(1).padStart(8)} ms first, ${warm.toFixed(1).padStart(6)} ms again  ${(page.data.length / 1e6).toFixed(1)} MB of ${page.rowCount}  ${resource}?${short}`,
  );
  return page.data;
}

async function sendTime(bytes) {
  const server = createServer((_, response) => response.end(bytes));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fetchOnce = () =>
    new Promise((resolve) =>
      get({ port: server.address().port, host: "127.0.0.1" }, (response) => response.resume().on("end", resolve)),
    );
  await fetchOnce();
  const start = performance.now();
  for (let run = 0; run < 8; run++) await fetchOnce();
  server.close();
  return (performance.now() - start) / 8;
}

function* sites() {
  for (let id = 1; id <= 4; id++) yield site(id);
}

function* datasets() {
  for (let id = 1; id <= 40; id++) yield { ...dataset(id, 1 + (id % 4), "SOLAR_PANELS"), type: "geojson-layer" };
}

function* layerFeatures() {
  const filler = Array.from({ length: 16 }, (_, index) => `aaaaaaaa-bbbb-4ccc-8ddd-${String(index).padStart(12, "0")}`);
  for (let id = 1; id <= features; id++) {
    // Scattered over the files: the hardest case for a page in the default order.
    const updated = (id * 7919) % 31_536_000;
    yield {
      id,
      visible_id: `P-${id}`,
      properties: {
        STATUS: ["OPEN", "DONE", "HOLD"][id % 3],
        VOLUME: (id * 31) % 1000,
        ...Object.fromEntries(filler.map((key) => [key, `v${id % 97}`])),
      },
      geometry: {
        type: "Polygon",
        coordinates: [
          [
            [8.5, 47.1],
            [8.6, 47.1],
            [8.6, 47.2],
            [8.5, 47.2],
            [8.5, 47.1],
          ],
        ],
      },
      dataset_id: 1 + Math.floor((id * 40 - 1) / features),
      site_id: 1 + ((Math.floor((id * 40 - 1) / features) + 1) % 4),
      operation_id: null,
      company_id: 1,
      semantic_type: "SOLAR_PANELS",
      description: "A panel of the south field, second row, seen from the road that leads to the inverter.",
      created_at: "2024-01-01T08:00:00.000Z",
      updated_at: new Date(1_704_096_000_000 + updated * 1000).toISOString(),
    };
  }
}

function* propertyChanges() {
  for (let index = 0; index < changes; index++) {
    yield {
      id: `0190${(index >>> 16).toString(16).padStart(4, "0")}-${(index & 0xffff).toString(16).padStart(4, "0")}-7${((index * 2654435761) >>> 20).toString(16).padStart(3, "0")}-8000-${((index * 40503) % 2 ** 40).toString(16).padStart(12, "0")}`,
      layer_feature_id: 1 + ((index * 13) % features),
      property_key: index % 2 ? "STATUS" : "VOLUME",
      new_value: index % 2 ? "DONE" : index % 1000,
      system: false,
      user_id: 1 + (index % 40),
      caused_by_change_id: null,
      created_at: new Date(1_704_096_000_000 + index * 1000).toISOString(),
    };
  }
}
