/** Serves made-up pages from memory: `node server.mjs KIND COUNT` prints its address. */
import { createServer } from "node:http";
import { datasets, definitions, makePages } from "./pages.mjs";

const [kind, count] = [process.argv[2], Number(process.argv[3])];
const pages = [...makePages(kind, count)];
const small = (records) =>
  Buffer.from(
    JSON.stringify({
      data: records,
      pagination: { page: 1, pageSize: 10_000, rowCount: records.length, pageCount: 1 },
    }),
  );
const others = { "/datasets": small(datasets), "/propertyDefinitions": small(definitions) };

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  const body = others[url.pathname] ?? pages[Number(url.searchParams.get("_page") ?? 1) - 1];
  if (body) response.setHeader("content-type", "application/json").end(body);
  else response.writeHead(404).end();
});
// A client that is busy parsing must not lose its connection meanwhile.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  console.log(
    JSON.stringify({
      url: `http://127.0.0.1:${server.address().port}`,
      bytes: pages.reduce((sum, page) => sum + page.length, 0),
      pages: pages.length,
    }),
  );
});
