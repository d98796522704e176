import type { Attempt, Failure } from "../../../client/http/attempt.js";
import { BodyTooLarge } from "../../../client/http/body-too-large.js";
import { childSignal } from "../../../client/http/child-signal.js";
import { decodeContent } from "../../../client/http/decode-content.js";
import { retry } from "../../../client/http/retry.js";
import { type Answer, sendRequest } from "../../../client/http/send-request.js";
import { SiteframeError } from "../../../core/errors.js";
import { bodyFailure, noAnswer, refusedRequest, tooLong, tooSlow } from "./trino-failure.js";
import { parseExactly } from "./trino-json.js";
import type { TrinoRequest, TrinoService } from "./trino-service.js";

/**
 * Sends one request, repeated as the options allow.
 *
 * @returns its answer as JSON; undefined where it has no body
 * @throws EngineError, ProtocolError, or the signal's reason
 */
export async function askTrino(service: TrinoService, request: TrinoRequest): Promise<unknown> {
  const { effects, options, server } = service;
  try {
    const attempt = (number: number) => attemptOnce(service, request, number);
    return await retry(attempt, request.retries ?? options.retries, effects, request.signal);
  } catch (error) {
    if (error instanceof SiteframeError && error !== request.signal.reason) throw server.withoutSecret(error);
    throw error;
  }
}

async function attemptOnce(service: TrinoService, request: TrinoRequest, number: number): Promise<Attempt<unknown>> {
  const { options, bodies, server } = service;
  const late = new Error(`no complete answer within ${options.timeoutMs} ms`);
  const limit = childSignal(request.signal);
  const timer = setTimeout(() => limit.abort(late), options.timeoutMs);
  const start = service.effects.elapsed();
  let answer: Answer | undefined;
  try {
    const dispatcher = options.dispatcher ?? (await service.transport.dispatcher());
    const sending = {
      origin: server.origin,
      path: request.path,
      method: request.method,
      headers: { ...server.headers(), ...request.headers },
      body: request.body,
    };
    answer = await sendRequest(dispatcher, bodies, sending, limit.signal, options.maxBodyBytes);
    const body = await decodeContent(answer.body, answer.headers["content-encoding"], options.maxBodyBytes);
    return read(service, request, answer, body);
  } catch (error) {
    request.signal.throwIfAborted();
    return { ok: false, failure: failureOf(service, request, limit.signal.reason === late, error, answer) };
  } finally {
    clearTimeout(timer);
    limit.detach();
    if (answer) bodies.give(answer.body);
    const url = `${server.origin}${request.path}`;
    const durationMs = service.effects.elapsed() - start;
    const event = { method: request.method, url, attempt: number, status: answer?.status, durationMs };
    options.onRequest?.(server.withoutSecret(event));
  }
}

function failureOf(
  service: TrinoService,
  request: TrinoRequest,
  isLate: boolean,
  error: unknown,
  answer: Answer | undefined,
): Failure {
  if (error instanceof BodyTooLarge) return tooLong(service, request);
  if (isLate) return tooSlow(service, request);
  return answer ? bodyFailure(service, request, error) : noAnswer(service, request, error);
}

function read(service: TrinoService, request: TrinoRequest, answer: Answer, body: Uint8Array): Attempt<unknown> {
  const text = new TextDecoder().decode(body);
  if (answer.status < 200 || answer.status > 299) {
    return { ok: false, failure: refusedRequest(service, request, answer, text) };
  }
  return { ok: true, value: text === "" ? undefined : parseExactly(text) };
}
