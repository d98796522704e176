import type { Dispatcher } from "undici";
import type { BodyBuffers } from "./body-buffers.js";
import type { Connection } from "./connection.js";

/** One answer of the service, as it came. */
export interface Answer {
  readonly status: number;
  /** A header that came several times is an array. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** In memory of the reader's: to be given back to its `BodyBuffers`. */
  readonly body: Uint8Array;
}

/**
 * Sends one GET to the service's own origin and reads the whole answer. Redirects are not followed: the key would
 * travel with them.
 *
 * @param target path and query
 * @throws BodyTooLarge
 */
export async function sendGet(
  connection: Connection,
  dispatcher: Dispatcher,
  bodies: BodyBuffers,
  target: string,
  signal: AbortSignal,
  maxBodyBytes: number,
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
  const length = Number(headers["content-length"]);
  const announced = length >= 0 ? length : undefined;
  return { status: statusCode, headers, body: await bodies.read(body, announced, signal, maxBodyBytes) };
}
