import type { Dispatcher } from "undici";
import { isLoopback } from "../../core/is-loopback.js";
import type { BodyBuffers } from "./body-buffers.js";

/** One request as it goes out. */
export interface Sending {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** One answer, as it came. */
export interface Answer {
  readonly status: number;
  /** A header that came several times is an array. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** In memory of the reader's: to be given back to its `BodyBuffers`. */
  readonly body: Uint8Array;
}

/**
 * Sends one request and reads the whole answer. Redirects are not followed: the key would travel with them.
 *
 * @throws BodyTooLarge
 */
export async function sendRequest(
  dispatcher: Dispatcher,
  bodies: BodyBuffers,
  sending: Sending,
  signal: AbortSignal,
  maxBodyBytes: number,
): Promise<Answer> {
  const { statusCode, headers, body } = await dispatcher.request({
    origin: sending.origin,
    path: sending.path,
    method: sending.method,
    headers: { ...sending.headers, accept: "application/json", "accept-encoding": codingsFor(sending.origin) },
    body: sending.body ?? null,
    signal,
    // The caller's deadline covers headers and body together.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const length = Number(headers["content-length"]);
  const announced = length >= 0 ? length : undefined;
  return { status: statusCode, headers, body: await bodies.read(body, announced, signal, maxBodyBytes) };
}

/** Over loopback a body comes faster than it is packed and unpacked, by cores that have other work. */
function codingsFor(origin: string): string {
  return isLoopback(new URL(origin).hostname) ? "identity, br;q=0.5, gzip;q=0.5" : "br, gzip";
}
