import { SiteframeError } from "../../core/errors.js";
import type { RequestEvent } from "../ask/read-options.js";
import type { ResolvedReadOptions } from "../ask/resolve-read-options.js";
import type { Effects } from "../progress/effects.js";
import type { AdaptiveLimiter } from "./adaptive-limiter.js";
import { AnswerSlip } from "./answer-slip.js";
import type { Attempt, Failure } from "./attempt.js";
import type { BodyBuffers } from "./body-buffers.js";
import { BodyTooLarge } from "./body-too-large.js";
import { childSignal } from "./child-signal.js";
import type { Connection } from "./connection.js";
import { decodeContent } from "./decode-content.js";
import { htmlFailure, isHtml } from "./html-failure.js";
import { type NetworkProblem, networkFailure } from "./network-failure.js";
import { refusal } from "./refusal.js";
import { retry } from "./retry.js";
import { sendGet } from "./send-get.js";
import type { Answer } from "./send-request.js";
import { sizeFailure } from "./size-failure.js";
import type { Transport } from "./transport.js";

/** What all requests of one reader share. */
export interface Service {
  readonly connection: Connection;
  readonly transport: Transport;
  readonly limiter: AdaptiveLimiter;
  readonly bodies: BodyBuffers;
  readonly effects: Effects;
}

/** One request, however often it is sent. */
export interface Request<T> {
  /** Path below the base URL, and query. */
  readonly target: string;
  /**
   * May throw a SiteframeError, which is final, an AnswerSlip, or any other error, which are reasons to ask again. The
   * body's memory is used again afterwards: whoever keeps part of it copies that.
   */
  readonly decode: (body: Uint8Array, url: string) => T;
  readonly options: ResolvedReadOptions;
  readonly signal: AbortSignal;
}

/** Sends one GET, repeated as the options allow, and decodes its body. */
export function request<T>(service: Service, asked: Request<T>): Promise<T> {
  const { connection, effects } = service;
  const path = `${connection.prefix}${asked.target}`;
  const url = `${connection.origin}${path}`;
  const attempt = async (number: number): Promise<Attempt<T>> => {
    const sent = await inSlot(service, asked, () => send(service, asked, path, url, number));
    return sent.ok ? readAnswer(service, asked, sent.value, url) : sent;
  };
  return retry(attempt, asked.options.retries, effects, asked.signal);
}

async function inSlot(
  service: Service,
  { options, signal }: Request<unknown>,
  task: () => Promise<Attempt<Answer>>,
): Promise<Attempt<Answer>> {
  const slot = await service.limiter.acquire(options.concurrency, signal);
  let sent: Attempt<Answer> | undefined;
  try {
    sent = await task();
    return sent;
  } finally {
    const status = sent?.ok ? sent.value.status : undefined;
    slot.release(status === 429 || status === 503 ? "throttled" : status && status < 500 ? "ok" : "failed");
  }
}

async function send(
  service: Service,
  { options, signal }: Request<unknown>,
  path: string,
  url: string,
  attempt: number,
): Promise<Attempt<Answer>> {
  const late = new Error(`no complete answer within ${options.timeoutMs} ms`);
  const limit = childSignal(signal);
  const timer = setTimeout(() => limit.abort(late), options.timeoutMs);
  const start = service.effects.elapsed();
  let answer: Answer | undefined;
  try {
    const dispatcher = options.dispatcher ?? (await service.transport.dispatcher());
    answer = await sendGet(service.connection, dispatcher, service.bodies, path, limit.signal, options.maxBodyBytes);
    return { ok: true, value: answer };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.reason === late) return failed(options, "timeout", late, url);
    return failed(options, "connection", error, url);
  } finally {
    clearTimeout(timer);
    limit.detach();
    const durationMs = service.effects.elapsed() - start;
    const event: RequestEvent = { method: "GET", url, attempt, status: answer?.status, durationMs };
    report(service, options, event, answer);
  }
}

/** A callback that throws ends the read: nobody will look at the answer then, so its memory is given back. */
function report(
  service: Service,
  { onRequest }: ResolvedReadOptions,
  event: RequestEvent,
  answer: Answer | undefined,
): void {
  try {
    onRequest?.(service.connection.withoutKey(event));
  } catch (error) {
    if (answer) service.bodies.give(answer.body);
    throw error;
  }
}

async function readAnswer<T>(
  service: Service,
  { decode, options }: Request<T>,
  answer: Answer,
  url: string,
): Promise<Attempt<T>> {
  let body = answer.body;
  try {
    body = await decodeContent(answer.body, answer.headers["content-encoding"], options.maxBodyBytes);
    if (answer.status < 200 || answer.status > 299) {
      return { ok: false, failure: refusal({ ...answer, body }, url) };
    }
    return { ok: true, value: decode(body, url) };
  } catch (error) {
    if (error instanceof SiteframeError) throw error;
    if (error instanceof SyntaxError && isHtml(body, answer.headers["content-type"])) {
      return { ok: false, failure: htmlFailure(url) };
    }
    return failed(options, "body", error, url);
  } finally {
    service.bodies.give(answer.body);
  }
}

function failed(
  { maxBodyBytes }: ResolvedReadOptions,
  problem: NetworkProblem,
  error: unknown,
  url: string,
): Attempt<never> {
  if (error instanceof AnswerSlip) return { ok: false, failure: slipFailure(error) };
  if (error instanceof BodyTooLarge) return { ok: false, failure: sizeFailure(maxBodyBytes, url) };
  return { ok: false, failure: networkFailure(problem, error, url) };
}

function slipFailure({ error }: AnswerSlip): Failure {
  return { retryable: true, throttled: false, retryAfter: undefined, toError: () => error };
}
