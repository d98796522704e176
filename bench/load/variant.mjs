/**
 * Reads pages in one way: `node variant.mjs NAME URL PAGES` reports time, CPU time and peak memory, and then the CPU time of
 * showing what was read. Loading modules does not count.
 */
import { report } from "../programs.mjs";
import { definitions, PAGE_SIZE } from "./pages.mjs";

const [name, url, pageCount] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const CONCURRENCY = 6;

/** Fetches all pages, six at a time, and hands the text of each to `use` in order. */
async function eachPage(use) {
  const waiting = [];
  let next = 1;
  const ask = async (page) => (await fetch(`${url}/layerFeatures?_page=${page}`)).text();
  while (next <= pageCount || waiting.length > 0) {
    while (next <= pageCount && waiting.length < CONCURRENCY) waiting.push(ask(next++));
    use(await waiting.shift());
  }
}

const names = new Map(definitions.map((definition) => [definition.id, definition.name]));

async function flatRecords() {
  const rows = [];
  await eachPage((body) => {
    for (const { properties, ...base } of JSON.parse(body).data) {
      const row = { ...base };
      for (const key in properties) row[names.get(key) ?? key] = properties[key];
      rows.push(row);
    }
  });
  return rows;
}

const variants = {
  "JSON.parse": async () => () => eachPage((body) => JSON.parse(body)),
  async "layer()"() {
    const { connect } = await import("../../modules/index.js");
    const { toMimeBundle } = await import("../../modules/tables/display/to-mime-bundle.js");
    // They load with the first use.
    await Promise.all([
      import("undici"),
      import("arquero"),
      import("../../modules/client/live-reader.js"),
      import("../../modules/source/read-layer.js"),
    ]);
    return async () => {
      const layer = await connect({ baseUrl: url, apiKey: "bench" }).layer({ site_id: 12 });
      if (layer.table.numCols() < 20) throw new Error("The layer lacks columns.");
      return () => toMimeBundle(layer);
    };
  },
  async "aq.from"() {
    const { from } = await import("arquero");
    return async () => from(await flatRecords());
  },
  async Danfo() {
    const { default: danfo } = await import("danfojs-node");
    return async () => new danfo.DataFrame(await flatRecords());
  },
  async changes() {
    const { liveReader } = await import("../../modules/client/live-reader.js");
    const { readChanges } = await import("../../modules/source/read-history.js");
    await import("undici");
    return async () => {
      const reader = liveReader({ baseUrl: url, apiKey: "bench" });
      const { columns } = await readChanges(reader, new Map([["layer_feature_id", [1]]]), {});
      const rows = columns.reduce((sum, { rowCount }) => sum + rowCount, 0);
      if (rows <= (pageCount - 1) * PAGE_SIZE) throw new Error("Changes are missing.");
    };
  },
};

const read = await variants[name]();
const { result: show, ...figures } = await timed(read);
const rssMb = process.resourceUsage().maxRSS / 1024;
const shown = typeof show === "function" ? { shownCpuMs: (await timed(show)).cpuMs } : {};
report({ ...figures, rssMb, ...shown });

async function timed(work) {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}
