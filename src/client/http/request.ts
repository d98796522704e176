import { childSignal } from "../../core/abort-signal.js";
import { counted } from "../../core/counted.js";
import type { Effects } from "../../core/effects.js";
import {
  ApiError,
  AuthError,
  BadRequestError,
  NetworkError,
  ProtocolError,
  RateLimitError,
  type Refusal,
  ServerError,
  SiteframeError,
} from "../../core/errors.js";
import { formatSignificant } from "../../core/format/format-number.js";
import { isLoopback } from "../../core/url-checks.js";
import type { ReadOptions, RequestEvent, ResolvedReadOptions } from "../read-options.js";
import type { AdaptiveLimiter } from "./adaptive-limiter.js";
import type { Connection } from "./connection.js";
import { type BodyBuffers, BodyTooLarge, decodeContent } from "./response-body.js";
import { type Attempt, type Failure, isRetryable, isThrottled, retry } from "./retry.js";
import { networkReason, type Transport } from "./transport.js";

const EXCERPT = 500;

/** Problems below HTTP: a `timeout` may succeed with smaller pages; a `body` arrived but could not be read. */
type NetworkProblem = "timeout" | "body" | "connection";

const hints: Readonly<Record<NetworkProblem, string>> = {
  timeout: "Increase the option timeoutMs, or reduce pageSize.",
  body: "Check that the base URL is the API's address, not that of a page or proxy.",
  connection: "Check the base URL and the network.",
};

/** State shared by all requests of a reader. */
export interface Service {
  readonly connection: Connection;
  readonly transport: Transport;
  readonly limiter: AdaptiveLimiter;
  readonly bodies: BodyBuffers;
  readonly effects: Effects;
}

/** A request, with all its attempts. */
interface Request<T> {
  /** Path below the base URL, and query. */
  readonly target: string;
  /**
   * Decodes a body. A SiteframeError is final; a ResponseError or any other error is a reason to retry. The body's
   * memory is reused afterwards, so copy the parts that you keep.
   */
  readonly decode: (body: Uint8Array, url: string) => T;
  readonly options: ResolvedReadOptions;
  readonly signal: AbortSignal;
}

/** Sends a GET request, with retries as the options allow, and decodes its body. */
export function request<T>(service: Service, call: Request<T>): Promise<T> {
  const { connection, effects } = service;
  const path = `${connection.prefix}${call.target}`;
  const url = `${connection.origin}${path}`;
  const attempt = async (number: number): Promise<Attempt<T>> => {
    const sent = await inSlot(service, call, () => send(service, call, path, url, number));
    return sent.ok ? readAnswer(service, call, sent.value, url) : sent;
  };
  return retry(attempt, call.options.retries, effects, call.signal);
}

const LONGEST_URL = 300;

/** A request in error messages: `GET https://…/sites?_page=1 (3 attempts)`. */
export function requestText(url: string, attempts: number): string {
  const short = url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
  return `GET ${short}${attempts > 1 ? ` (${attempts} attempts)` : ""}`;
}

/** Matches text that is JSON or contains JSON. */
const MAYBE_JSON = /[[{]|^\s*"/;

/** The failure of a response other than success. */
function refusal(answer: Answer, url: string): Failure {
  const { status } = answer;
  const body = new TextDecoder().decode(answer.body.subarray(0, 64_000));
  return {
    retryable: isRetryable(status),
    retryAfter: answer.headers["retry-after"],
    toError: (attempts, retryAfterMs) => {
      const reason = serviceError(body);
      const message = `${requestText(url, attempts)} failed with status ${status}${reason?.message ? `: ${reason.message}` : "."}`;
      const hint = retryAfterMs === undefined ? hintFor(status, answer) : comeBackHint(retryAfterMs);
      return refusalError(message, {
        status,
        method: "GET",
        url,
        body: MAYBE_JSON.test(body) ? (reason?.text ?? "") : excerpt(body),
        facts: { attempts, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
        ...(hint ? { hint } : {}),
      });
    },
  };
}

/** The error of a response other than success, by its status. */
export function refusalError(message: string, facts: Refusal): ApiError {
  if (facts.status === 400) return new BadRequestError(message, facts);
  if (facts.status === 401) return new AuthError(message, facts);
  if (facts.status === 429) return new RateLimitError(message, facts);
  if (facts.status >= 500) return new ServerError(message, facts);
  return new ApiError(message, facts);
}

/** Hint if the service asks for a longer wait than Siteframe's limit. */
export function comeBackHint(retryAfterMs: number): string {
  return `Retry in ${counted(Math.ceil(retryAfterMs / 60_000), "minute")}, as the service requests.`;
}

function hintFor(status: number, { headers }: Answer): string | undefined {
  if (status >= 300 && status < 400) return redirectHint(String(headers["location"] ?? ""), "the base URL");
  if (status === 401) return "Check the API key (apiKey or SITEFRAME_API_KEY).";
  if (status === 404) return "Check the base URL (baseUrl or SITEFRAME_BASE_URL), including its path.";
  if (status === 429) return "Send fewer requests at once: reduce the option concurrency.";
  return undefined;
}

/** Hint for a redirect, which is never followed. */
export function redirectHint(location: string, setting: string): string {
  const target = URL.canParse(location) ? ` It points to ${new URL(location).origin}.` : "";
  return `Redirects are not followed, to protect the key.${target} Set ${setting} to the final address.`;
}

/**
 * Message and code of a body `{ error: { status, code, message } }`; the specification does not define errors. Other
 * JSON may contain records with personal data.
 */
function serviceError(body: string): { readonly message: string | undefined; readonly text: string } | undefined {
  try {
    const parsed: { error?: Readonly<Record<string, unknown>> } | null = JSON.parse(body);
    if (!parsed?.error) return undefined;
    const { status, code, message } = parsed.error;
    return {
      message: typeof message === "string" ? excerpt(message) : undefined,
      text: excerpt(JSON.stringify({ error: { status, code, message } })),
    };
  } catch {
    return undefined;
  }
}

/** The ellipsis also marks the cut for the key scrubber. */
function excerpt(text: string): string {
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1)}…` : text;
}

/** The failure of a request without a usable response. */
function networkFailure(problem: NetworkProblem, error: unknown, url: string): Failure {
  const { code, reason, isFinal, cause } = networkReason(error);
  return {
    retryable: !isFinal,
    toError: (attempts) =>
      new NetworkError(`${requestText(url, attempts)} failed: ${reason}.`, {
        cause,
        facts: { method: "GET", url, attempts, problem, code },
        hint: hints[problem],
      }),
  };
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
    const status = sent?.ok ? sent.value.status : Number.POSITIVE_INFINITY;
    slot.release(isThrottled(status) ? "throttled" : status < 500 ? "ok" : "failed");
  }
}

async function send(
  service: Service,
  { options, signal }: Request<unknown>,
  path: string,
  url: string,
  attempt: number,
): Promise<Attempt<Answer>> {
  const { connection } = service;
  const late = new Error(`no complete response within ${options.timeoutMs} ms`);
  const limit = childSignal(signal);
  const timer = setTimeout(() => limit.abort(late), options.timeoutMs);
  const start = service.effects.elapsed();
  let answer: Answer | undefined;
  try {
    // The key is sent only to the service's own origin.
    const headers = { authorization: connection.authorization() };
    const sending = { origin: connection.origin, path, method: "GET", headers } as const;
    answer = await sendRequest(service, sending, limit.signal, options);
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

/** Reports a request. A callback that throws ends the read, so the response's memory is released. */
function report(
  service: Service,
  { onRequest }: ResolvedReadOptions,
  event: RequestEvent,
  answer: Answer | undefined,
): void {
  try {
    onRequest?.(service.connection.redactSecret(event));
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
  const isRefusal = answer.status < 200 || answer.status > 299;
  let body = answer.body;
  try {
    body = await decodeContent(answer.body, answer.headers["content-encoding"], options.maxBodyBytes).catch((error) => {
      // The status alone describes a refusal; the bodies of some proxies do not match their headers.
      if (isRefusal) return new Uint8Array();
      throw error;
    });
    if (isRefusal) return { ok: false, failure: refusal({ ...answer, body }, url) };
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
  if (error instanceof ResponseError) return { ok: false, failure: { retryable: true, toError: () => error.error } };
  if (error instanceof BodyTooLarge) return { ok: false, failure: sizeFailure(maxBodyBytes, url) };
  return { ok: false, failure: networkFailure(problem, error, url) };
}

/** The failure of a body that is too large. A retry would not help, but a smaller page may fit. */
function sizeFailure(maxBodyBytes: number, url: string): Failure {
  const limit = `${formatSignificant(maxBodyBytes / 1e6, 4)} MB`;
  return {
    retryable: false,
    toError: (attempts) =>
      new ProtocolError(`${requestText(url, attempts)} returned more than ${limit}.`, "$", {
        facts: { method: "GET", url, attempts, problem: "size", maxBodyBytes },
        hint: "Increase the option maxBodyBytes if the service has such large records.",
      }),
  };
}

/** Whether an unreadable response is an HTML page. */
export function isHtml(body: Uint8Array, type?: unknown): boolean {
  if (/\bx?html\b/i.test(String(type ?? ""))) return true;
  return /^\s*<(!doctype html|html|head|body)\b/i.test(new TextDecoder().decode(body.subarray(0, 1000)));
}

/** The failure of an HTML response. A proxy may send one once; a wrong address sends one every time. */
function htmlFailure(url: string): Failure {
  return {
    retryable: true,
    toError: (attempts) =>
      new ProtocolError(`${requestText(url, attempts)} returned an HTML page instead of JSON.`, "$", {
        facts: { method: "GET", url, attempts, problem: "html" },
        hint: "Check the base URL (baseUrl or SITEFRAME_BASE_URL), including its path.",
      }),
  };
}

/** A request to send. */
interface Sending {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A response. */
export interface Answer {
  readonly status: number;
  /** A repeated header is an array. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, in memory to be returned to its `BodyBuffers`. */
  readonly body: Uint8Array;
}

/**
 * Sends a request and reads the whole response. Redirects are not followed, since the key would be sent along.
 *
 * @throws BodyTooLarge
 */
export async function sendRequest(
  { transport, bodies }: Pick<Service, "transport" | "bodies">,
  sending: Sending,
  signal: AbortSignal,
  { dispatcher, maxBodyBytes }: Pick<ReadOptions, "dispatcher"> & Pick<ResolvedReadOptions, "maxBodyBytes">,
): Promise<Answer> {
  // A user's dispatcher may lack the guard of `safeConnector()`: undici does not pause a body that fits its buffer.
  const buffer = dispatcher && { highWaterMark: maxBodyBytes + 1 };
  const { statusCode, headers, body } = await (dispatcher ?? (await transport.dispatcher())).request({
    ...buffer,
    origin: sending.origin,
    path: sending.path,
    method: sending.method,
    headers: { ...sending.headers, accept: "application/json", "accept-encoding": codingsFor(sending.origin) },
    body: sending.body ?? null,
    signal,
    // The caller's deadline covers headers and body.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const length = Number(headers["content-length"]);
  const announced = length >= 0 ? length : undefined;
  return { status: statusCode, headers, body: await bodies.read(body, announced, signal, maxBodyBytes) };
}

/** Compression costs more time than it saves over loopback. */
function codingsFor(origin: string): string {
  return isLoopback(new URL(origin).hostname) ? "identity, br;q=0.5, gzip;q=0.5" : "br, gzip";
}

/**
 * Thrown by a decoder for a response that may be a temporary mistake of the service. The request is repeated; if the
 * response stays the same, this is the error.
 */
export class ResponseError extends Error {
  readonly error: ProtocolError;

  constructor(error: ProtocolError) {
    super(error.message);
    this.error = error;
  }
}
