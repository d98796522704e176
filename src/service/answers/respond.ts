import type { IncomingMessage, ServerResponse } from "node:http";
import { ParameterError } from "../../api/parse-query.js";
import { clientSignal } from "../requests/connection.js";
import { type Answer, bodyLength, errorAnswer, HttpError } from "./answer.js";
import type { Handler, Store } from "./page-handler.js";

/** One completed or aborted request, for logging. Contains no key. */
export interface ServedRequest {
  readonly method: string;
  /** The request target as received. */
  readonly target: string;
  /** HTTP status; 499 if the client disconnected before the response. */
  readonly status: number;
  /** Length of the body, compressed. */
  readonly bytes: number;
  readonly durationMs: number;
  /** The error, if the status is 500 or above. */
  readonly error?: unknown;
}

/** Dependencies of responses. */
export interface Serving {
  readonly handler: Handler;
  readonly store: Store;
  readonly onRequest: (request: ServedRequest) => void;
  /** Interval for checking whether a client that may have disconnected is still there. */
  readonly probeMs: number;
}

const CLIENT_LEFT = 499;

/** Responds to one request, whatever happens. */
export async function respond(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const started = performance.now();
  const { method = "", url: target = "", headers } = request;
  const signal = clientSignal(request, response, serving.probeMs);
  const { answer, ...outcome } = await serving.handler({ method, target, headers, signal }, serving.store).then(
    (answer) => ({ answer }),
    (error: unknown) => refuse(error),
  );
  const durationMs = () => performance.now() - started;
  if (signal.aborted) {
    serving.onRequest({ method, target, status: CLIENT_LEFT, bytes: 0, durationMs: durationMs() });
    return;
  }
  sendAnswer(response, answer);
  const { status } = answer;
  serving.onRequest({ method, target, status, bytes: bodyLength(answer), durationMs: durationMs(), ...outcome });
}

function refuse(error: unknown): { readonly answer: Answer; readonly error?: unknown } {
  if (error instanceof HttpError) return { answer: errorAnswer(error), ...(error.status < 500 ? {} : { error }) };
  if (error instanceof ParameterError)
    return { answer: errorAnswer(new HttpError(400, "invalid_query", error.message)) };
  return { answer: errorAnswer(new HttpError(500, "internal", "The service failed.")), error };
}

/** Writes a response. For a HEAD request, Node sends the headers only. */
function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (answer.cut === "before-headers") {
    response.req.socket.resetAndDestroy();
    return;
  }
  // By then the system has every byte, or the connection is gone.
  if (answer.release) response.once("close", answer.release);
  const length = answer.status === 304 ? {} : { "Content-Length": String(bodyLength(answer)) };
  response.writeHead(answer.status, { ...answer.headers, ...length });
  if (answer.cut) {
    cutAnswer(response, answer);
    return;
  }
  for (const chunk of answer.body) response.write(chunk);
  response.end();
}

function cutAnswer(response: ServerResponse, answer: Answer): void {
  response.flushHeaders();
  const whole = Buffer.concat(answer.body);
  const sent = answer.cut === "half-way" ? whole.subarray(0, Math.ceil(whole.byteLength / 2)) : Buffer.alloc(0);
  // The written bytes must be sent before the connection is destroyed.
  response.write(sent, () => response.req.socket.destroySoon());
}
