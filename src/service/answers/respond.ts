import type { IncomingMessage, ServerResponse } from "node:http";
import { QueryError } from "../../api/parse-query.js";
import { HttpError } from "../requests/http-error.js";
import type { Store } from "../store/store.js";
import { type Answer, bodyLength } from "./answer.js";
import { errorAnswer } from "./error-answer.js";
import type { Handler } from "./page-handler.js";
import { sendAnswer } from "./send-answer.js";

/** One request that was answered, for logging. Holds no key. */
export interface ServedRequest {
  readonly method: string;
  /** The request target as it came. */
  readonly target: string;
  readonly status: number;
  /** Length of the body, compressed. */
  readonly bytes: number;
  readonly durationMs: number;
  /** What went wrong, where the answer is 500. */
  readonly error?: unknown;
}

/** What every request is answered with. */
export interface Serving {
  readonly handler: Handler;
  readonly store: Store;
  readonly onRequest: (request: ServedRequest) => void;
}

/** Answers one request, whatever happens. */
export async function respond(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const started = performance.now();
  const { method = "", url: target = "", headers } = request;
  const { answer, ...outcome } = await serving.handler({ method, target, headers }, serving.store).then(
    (answer) => ({ answer }),
    (error: unknown) => refuse(error),
  );
  sendAnswer(response, answer);
  const durationMs = performance.now() - started;
  serving.onRequest({ method, target, status: answer.status, bytes: bodyLength(answer), durationMs, ...outcome });
}

function refuse(error: unknown): { readonly answer: Answer; readonly error?: unknown } {
  if (error instanceof HttpError) return { answer: errorAnswer(error) };
  if (error instanceof QueryError) return { answer: errorAnswer(new HttpError(400, "invalid_query", error.message)) };
  return { answer: errorAnswer(new HttpError(500, "internal", "The service failed.")), error };
}
