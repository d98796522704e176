import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Connection } from "./connection.js";

/** One answer of the service, as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/**
 * Sends one GET to the service's own origin and reads the whole answer. Redirects are not followed: the key would
 * travel with them.
 *
 * @param target path and query
 */
export async function exchange(
  connection: Connection,
  dispatcher: Dispatcher,
  target: string,
  signal: AbortSignal,
): Promise<Answer> {
  const { statusCode, headers, body } = await dispatcher.request({
    origin: connection.origin,
    path: target,
    method: "GET",
    headers: {
      authorization: connection.authorization(),
      accept: "application/json",
      "accept-encoding": "br, gzip",
    },
    signal,
    // The caller's deadline covers headers and body together.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { status: statusCode, headers, body: new Uint8Array(await body.arrayBuffer()) };
}
