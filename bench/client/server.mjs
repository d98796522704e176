// A service of made-up layer features, as many as asked for: `node server.mjs ROWS LATENCY_MS`. Prints its URL.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const rowCount = Number(process.argv[2]);
const latencyMs = Number(process.argv[3]);
const largest = 10_000;

const words = "inspection found slight corrosion at north eastern joint between module string and cabinet".split(" ");
const uuid = (n) => `${(0x10000000 + n * 0x1234567).toString(16)}-75a1-4c3e-9b10-0123456789ab`;

/** Everything of a record after its id, about a kilobyte. */
function tail(n) {
  const [x, y] = [11 + n / 1e5, 48 + n / 1e5];
  const ring = [x, y, x + 2e-5, y, x + 2e-5, y + 2e-5, x, y + 2e-5, x, y].map((value) => Math.round(value * 1e7) / 1e7);
  const values = Array.from({ length: 12 }, (_, key) => {
    const kind = (n + key) % 4;
    const note = words.slice(n % 7, (n % 7) + (key % 7)).join(" ");
    return [uuid(key), [note, (n * key) / 8, n % 2 === 0, null][kind]];
  });
  const record = {
    visible_id: `PNL-${n}`,
    properties: Object.fromEntries(values),
    geometry: { type: "Polygon", coordinates: [ring.flatMap((_, i) => (i % 2 ? [] : [ring.slice(i, i + 2)]))] },
    dataset_id: 1,
    site_id: 12,
    operation_id: null,
    company_id: 3,
    semantic_type: "SOLAR_PANELS",
    description: `Panel in row ${n % 400}`,
    created_at: `2024-0${1 + (n % 9)}-11T10:00:00.${100000 + (n % 1000)}Z`,
    updated_at: `2025-0${1 + (n % 9)}-11T10:00:00.${100000 + (n % 1000)}Z`,
  };
  return `,${JSON.stringify(record).slice(1)}`;
}

const tails = Array.from({ length: 10_000 }, (_, n) => tail(n));

function body(page, pageSize) {
  const first = (page - 1) * pageSize;
  const size = Math.max(0, Math.min(pageSize, rowCount - first));
  const rows = Array.from({ length: size }, (_, n) => `{"id":${first + n + 1}${tails[(first + n) % tails.length]}`);
  const pagination = { page, pageSize, rowCount, pageCount: Math.ceil(rowCount / pageSize) };
  return Buffer.from(`{"data":[${rows.join(",")}],"pagination":${JSON.stringify(pagination)}}`, "latin1");
}

/** Pages are kept while they are few, so that making them takes no part in what is measured. */
const pages = new Map();

function page(number, pageSize) {
  const name = `${number} ${pageSize}`;
  const made = pages.get(name) ?? body(number, pageSize);
  if (rowCount <= 200_000) pages.set(name, made);
  return made;
}

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url, "http://localhost");
  await sleep(latencyMs);
  const sent = page(Number(searchParams.get("_page")), Math.min(largest, Number(searchParams.get("_pageSize"))));
  response.writeHead(200, { "content-type": "application/json", "content-length": sent.length });
  response.end(sent);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
