import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Dispatcher } from "undici";

/** A request for a page. */
export interface FakeRequest {
  readonly page: number;
  readonly pageSize: number;
  /** From 1, over all requests. */
  readonly number: number;
}

export interface FakeTransport {
  readonly dispatcher: Dispatcher;
  /** Requests that were sent. */
  readonly requests: number;
}

/**
 * A service without sockets, for reads of very many pages: each request takes one turn of the event loop.
 *
 * @param answer returns the body of a page as a JSON value
 */
export function fakeTransport(answer: (request: FakeRequest) => unknown): FakeTransport {
  let requests = 0;
  const dispatcher = {
    async request({ path, signal }: { readonly path: string; readonly signal: AbortSignal }) {
      requests += 1;
      const number = requests;
      const query = new URL(path, "http://fake").searchParams;
      await setImmediate();
      signal.throwIfAborted();
      const page = Number(query.get("_page"));
      const body = Buffer.from(JSON.stringify(answer({ page, pageSize: Number(query.get("_pageSize")), number })));
      return { statusCode: 200, headers: {}, body: Readable.from([body]) };
    },
  };
  return {
    dispatcher: dispatcher as unknown as Dispatcher,
    get requests() {
      return requests;
    },
  };
}
