/** Runs one variant once: `node variant.mjs NAME URL PAGES` prints time, CPU time and peak memory; loading modules does not count. */
import { definitions } from "./pages.mjs";

const [name, url, pageCount] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const CONCURRENCY = 6;

/** Fetches all pages, six at a time, and hands each to `use` in order. */
async function eachPage(read, use) {
  const waiting = [];
  let next = 1;
  const ask = async (page) => read(await fetch(`${url}/layerFeatures?_page=${page}`));
  while (next <= pageCount || waiting.length > 0) {
    while (next <= pageCount && waiting.length < CONCURRENCY) waiting.push(ask(next++));
    use(await waiting.shift());
  }
}

const text = (response) => response.text();
const names = new Map(definitions.map((definition) => [definition.id, definition.name]));

async function flatRecords() {
  const rows = [];
  await eachPage(text, (body) => {
    for (const { properties, ...base } of JSON.parse(body).data) {
      const row = { ...base };
      for (const key in properties) row[names.get(key) ?? key] = properties[key];
      rows.push(row);
    }
  });
  return rows;
}

const variants = {
  bytes: async () => () =>
    eachPage(
      (response) => response.arrayBuffer(),
      () => {},
    ),
  "JSON.parse and drop": async () => () => eachPage(text, (body) => JSON.parse(body)),
  async "layer()"() {
    const { connect } = await import("../../modules/index.js");
    // They load with the first use.
    await Promise.all([
      import("undici"),
      import("arquero"),
      import("../../modules/client/live-reader.js"),
      import("../../modules/source/read-layer.js"),
    ]);
    return async () => {
      const layer = await connect({ baseUrl: url, apiKey: "bench" }).layer({ site_id: 12 });
      if (layer.table.numCols() < 20) throw new Error("the layer lacks columns");
    };
  },
  async "aq.from(flattened)"() {
    const { from } = await import("arquero");
    return async () => from(await flatRecords());
  },
  async "Danfo from records"() {
    const { default: danfo } = await import("danfojs-node");
    return async () => new danfo.DataFrame(await flatRecords());
  },
  async "changes into columns"() {
    const { liveReader } = await import("../../modules/client/live-reader.js");
    const { readChanges } = await import("../../modules/source/read-history.js");
    await import("undici");
    return async () => {
      const reader = liveReader({ baseUrl: url, apiKey: "bench" });
      const { columns } = await readChanges(reader, new Map([["layer_feature_id", [1]]]), {});
      const rows = columns.reduce((sum, { rowCount }) => sum + rowCount, 0);
      if (rows !== pageCount * 10_000) throw new Error("changes are missing");
    };
  },
};

const run = await variants[name]();
const cpu = process.cpuUsage();
const start = performance.now();
await run();
const ms = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, rssMb: process.resourceUsage().maxRSS / 1024 }));
process.exit(0);
