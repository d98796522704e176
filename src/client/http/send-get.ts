import type { Dispatcher } from "undici";
import type { BodyBuffers } from "./body-buffers.js";
import type { Connection } from "./connection.js";
import { type Answer, sendRequest } from "./send-request.js";

/**
 * Sends one GET with the key to the service's own origin and reads the whole answer.
 *
 * @param target path and query
 * @throws BodyTooLarge
 */
export function sendGet(
  connection: Connection,
  dispatcher: Dispatcher,
  bodies: BodyBuffers,
  target: string,
  signal: AbortSignal,
  maxBodyBytes: number,
): Promise<Answer> {
  const headers = { authorization: connection.authorization() };
  const sending = { origin: connection.origin, path: target, method: "GET", headers } as const;
  return sendRequest(dispatcher, bodies, sending, signal, maxBodyBytes);
}
