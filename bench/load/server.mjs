/** Serves made-up pages from memory, of the size that is asked for: `node server.mjs KIND COUNT` prints its address. */
import { createServer } from "node:http";
import { datasets, definitions, MadeListing, PAGE_SIZE } from "./pages.mjs";

const [kind, count] = [process.argv[2], Number(process.argv[3])];
const listing = new MadeListing(kind, count);
const small = (records) => [
  Buffer.from(
    JSON.stringify({
      data: records,
      pagination: { page: 1, pageSize: 10_000, rowCount: records.length, pageCount: 1 },
    }),
  ),
];
const others = { "/datasets": small(datasets), "/propertyDefinitions": small(definitions) };

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  const asked = (name, usual) => Number(url.searchParams.get(name) ?? usual);
  const parts = others[url.pathname] ?? listing.page(asked("_page", 1), asked("_pageSize", PAGE_SIZE));
  if (!parts) {
    response.writeHead(404).end();
    return;
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  response.writeHead(200, { "content-type": "application/json", "content-length": length });
  for (const part of parts) response.write(part);
  response.end();
});
// A client that is busy parsing must not lose its connection meanwhile.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  console.log(
    JSON.stringify({
      url: `http://127.0.0.1:${server.address().port}`,
      bytes: listing.bytes,
      pages: Math.ceil(listing.rowCount / PAGE_SIZE),
    }),
  );
});
