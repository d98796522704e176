import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that returns one page for each endpoint, regardless of the query. */
export interface RecordServer {
  readonly url: string;
  close(): void;
}

/** @param bodies JSON arrays by endpoint */
export async function serveRecords(bodies: Readonly<Record<string, string>>): Promise<RecordServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const data = bodies[pathname.slice(1)] ?? "[]";
    const rowCount = (JSON.parse(data) as unknown[]).length;
    const pagination = { page: 1, pageSize: Math.max(10, rowCount), rowCount, pageCount: Math.sign(rowCount) };
    response.end(`{"data":${data},"pagination":${JSON.stringify(pagination)}}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
