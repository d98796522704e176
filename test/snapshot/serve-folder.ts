import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A folder on a web server. Paths are relative to the folder. */
export interface ServedFolder extends AsyncDisposable {
  readonly url: string;
  readonly requests: IncomingMessage[];
  /** The files that were sent, in order. */
  readonly sent: string[];
  /** The number of bytes that were sent of each file. */
  readonly bytes: Map<string, number>;
  /** Answers a request itself, or returns false. */
  instead: (path: string, response: ServerResponse, request: IncomingMessage) => boolean;
}

/** Serves a folder on this machine, also in ranges. */
export async function serveFolder(folder: string): Promise<ServedFolder> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname).slice(1);
    served.requests.push(request);
    if (served.instead(path, response, request)) return;
    const file = join(folder, path);
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) {
      response.writeHead(404).end("<h1>Not found</h1>");
      return;
    }
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    const start = Number(first ?? 0);
    const end = last ? Math.min(Number(last), found.size - 1) : found.size - 1;
    response.writeHead(first === undefined ? 200 : 206, {
      "Accept-Ranges": "bytes",
      "Content-Length": end - start + 1,
      ...(first === undefined ? {} : { "Content-Range": `bytes ${start}-${end}/${found.size}` }),
    });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    served.sent.push(path);
    served.bytes.set(path, (served.bytes.get(path) ?? 0) + end - start + 1);
    createReadStream(file, { start, end }).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const served: ServedFolder = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    sent: [],
    bytes: new Map(),
    instead: () => false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return served;
}
