import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach } from "vitest";

/** A request as it arrived. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A page of a query without its id and the address of the next page. */
export type PlayedPage = Readonly<Record<string, unknown>>;

export interface Played {
  readonly server: string;
  readonly heard: readonly Heard[];
  /** Paths of queries that were cancelled. */
  readonly cancelled: () => readonly string[];
}

/** Answers one request; true if it did. */
export type Fault = (heard: Heard, response: ServerResponse, count: number) => boolean | undefined;

const open: (() => void)[] = [];

afterEach(() => {
  for (const close of open.splice(0)) close();
});

export function refuse(response: ServerResponse, status: number, body: string | Buffer, headers = {}): true {
  response.writeHead(status, headers).end(body);
  return true;
}

/**
 * A server that speaks Trino's protocol and plays one query: its pages in order.
 *
 * @param fault asked before each answer, with the number of requests so far
 */
export async function playedTrino(pages: readonly PlayedPage[], fault: Fault = () => undefined): Promise<Played> {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    const one = { method, path, headers, body: await text(request) };
    heard.push(one);
    if (fault(one, response, heard.length)) return;
    if (method === "DELETE") {
      response.writeHead(204).end();
      return;
    }
    const index = method === "POST" ? 0 : Number(path.split("/").pop());
    const next = index + 1 < pages.length ? { nextUri: `${origin}/v1/statement/executing/q1/${index + 1}` } : {};
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "q1", ...next, stats: {}, ...pages[index] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const cancelled = () => heard.filter(({ method }) => method === "DELETE").map(({ path }) => path);
  return { server: origin, heard, cancelled };
}
