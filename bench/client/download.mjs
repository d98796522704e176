// One way of reading every feature of a service: `node download.mjs bytes|ideal|siteframe URL ROWS`. Prints milliseconds.
import { performance } from "node:perf_hooks";
import { Pool } from "undici";
import { liveReader } from "../../modules/client/live-reader.js";

const [, , way, url, count] = process.argv;
const rows = Number(count);
const [concurrency, pageSize] = [6, 10_000];

/** What no reader can beat: it knows the number of pages beforehand, and checks nothing. */
async function ideal(use) {
  const pool = new Pool(url);
  const pages = Array.from({ length: Math.ceil(rows / pageSize) }, (_, index) => index + 1);
  const results = [];
  const work = async () => {
    for (let page = pages.shift(); page; page = pages.shift()) {
      const path = `/layerFeatures?site_id=12&_page=${page}&_pageSize=${pageSize}&_sortBy=%2Bid`;
      const { body } = await pool.request({ path, method: "GET" });
      results[page - 1] = use(new Uint8Array(await body.arrayBuffer()));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await pool.close();
  return results.flat();
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const ways = {
  bytes: async () => {
    await ideal((body) => body.length);
    return rows;
  },
  ideal: async () => (await ideal((body) => JSON.parse(utf8.decode(body)).data)).length,
  siteframe: async () => {
    const reader = liveReader({ baseUrl: url, apiKey: "bench", concurrency });
    const read = await reader.all("layerFeatures", new Map([["site_id", [12]]]));
    await reader.close();
    return read.rows.length;
  },
};

const started = performance.now();
const came = await ways[way]();
if (came !== rows) throw new Error(`${came} of ${rows} rows`);
console.log(performance.now() - started);
