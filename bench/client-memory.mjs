// Heap and resident memory while `records()` goes through 1,000,000 features of a kilobyte. Build first.
// Run with `--expose-gc`, so that what is held can be told from what waits to be collected.
import { liveReader } from "../modules/client/live-reader.js";
import { startServer } from "./client/start-server.mjs";

const rows = 1_000_000;
const server = await startServer(rows, 5);
const reader = liveReader({ baseUrl: server.url, apiKey: "bench" });
const mb = (bytes) => Math.round(bytes / 1e6);

let count = 0;
let peak = 0;
const started = Date.now();
for await (const record of reader.records("layerFeatures", new Map([["site_id", [12]]]))) {
  count += 1;
  if (record.id !== count) throw new Error(`row ${record.id} instead of ${count}`);
  if (count % 10_000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
  if (count % 100_000 !== 0) continue;
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  console.log(`${count} rows: held ${mb(heapUsed)} MB of heap and ${mb(external)} MB outside, peak RSS ${mb(peak)} MB`);
}
console.log(`${count} rows in ${((Date.now() - started) / 1000).toFixed(1)} s`);
await reader.close();
server.stop();
