import { once } from "node:events";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A folder over HTTP, as a web server gives out files. */
export interface ServedFolder extends AsyncDisposable {
  readonly url: string;
  /** How many bytes of each file were sent, by its path below the folder. */
  readonly bytes: Map<string, number>;
}

/** Serves a folder on this machine, also in ranges. */
export async function serveFolder(folder: string): Promise<ServedFolder> {
  const bytes = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    const file = join(folder, path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const { size } = statSync(file);
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    const start = Number(first ?? 0);
    const end = last ? Math.min(Number(last), size - 1) : size - 1;
    response.writeHead(first === undefined ? 200 : 206, {
      "Accept-Ranges": "bytes",
      "Content-Length": end - start + 1,
      ...(first === undefined ? {} : { "Content-Range": `bytes ${start}-${end}/${size}` }),
    });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    bytes.set(path, (bytes.get(path) ?? 0) + end - start + 1);
    createReadStream(file, { start, end }).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bytes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
