import { childSignal } from "../../core/child-signal.js";
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
import { isLoopback } from "../../core/is-loopback.js";
import type { ReadOptions, RequestEvent, ResolvedReadOptions } from "../read-options.js";
import type { AdaptiveLimiter } from "./adaptive-limiter.js";
import type { Connection } from "./connection.js";
import { type BodyBuffers, BodyTooLarge, decodeContent } from "./response-body.js";
import { type Attempt, type Failure, isRetryable, isThrottled, retry } from "./retry.js";
import { networkReason, type Transport } from "./transport.js";

const EXCERPT = 500;

/** What went wrong below HTTP: `timeout` may pass with smaller pages, `body` arrived but could not be read. */
type NetworkProblem = "timeout" | "body" | "connection";

const hints: Readonly<Record<NetworkProblem, string>> = {
  timeout: "Raise the option timeoutMs, or lower pageSize.",
  body: "Check that the base URL is the service's, not that of a page or proxy in front of it.",
  connection: "Check the base URL and the network.",
};

/** What all requests of one reader share. */
export interface Service {
  readonly connection: Connection;
  readonly transport: Transport;
  readonly limiter: AdaptiveLimiter;
  readonly bodies: BodyBuffers;
  readonly effects: Effects;
}

/** One request, however often it is sent. */
interface Request<T> {
  /** Path below the base URL, and query. */
  readonly target: string;
  /**
   * May throw a SiteframeError, which is final, a ResponseError, or any other error, which are reasons to ask again. The
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

const LONGEST_URL = 300;

/** A request as error messages name it: `GET https://…/sites?_page=1 (3 attempts)`. */
export function requestText(url: string, attempts: number): string {
  const short = url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
  return `GET ${short}${attempts > 1 ? ` (${attempts} attempts)` : ""}`;
}

/** Texts that are JSON, or contain some. */
const MAYBE_JSON = /[[{]|^\s*"/;

/** Why an answer other than success brought nothing. */
function refusal(answer: Answer, url: string): Failure {
  const { status } = answer;
  const body = new TextDecoder().decode(answer.body.subarray(0, 64_000));
  return {
    retryable: isRetryable(status),
    retryAfter: answer.headers["retry-after"],
    toError: (attempts, retryAfterMs) => {
      const said = serviceError(body);
      const message = `${requestText(url, attempts)} was answered ${status}${said?.message ? `: ${said.message}` : "."}`;
      const hint = retryAfterMs === undefined ? hintFor(status, answer) : comeBackHint(retryAfterMs);
      return refusalError(message, {
        status,
        method: "GET",
        url,
        body: MAYBE_JSON.test(body) ? (said?.text ?? "") : excerpt(body),
        facts: { attempts, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
        ...(hint ? { hint } : {}),
      });
    },
  };
}

/** The error of an answer other than success, by its status. */
export function refusalError(message: string, facts: Refusal): ApiError {
  if (facts.status === 400) return new BadRequestError(message, facts);
  if (facts.status === 401) return new AuthError(message, facts);
  if (facts.status === 429) return new RateLimitError(message, facts);
  if (facts.status >= 500) return new ServerError(message, facts);
  return new ApiError(message, facts);
}

/** What to do where an answer asks to be left alone for longer than anybody waits. */
export function comeBackHint(retryAfterMs: number): string {
  return `It asks to be left alone for ${counted(Math.ceil(retryAfterMs / 60_000), "minute")}. Ask again then.`;
}

function hintFor(status: number, { headers }: Answer): string | undefined {
  if (status >= 300 && status < 400) return redirectHint(String(headers["location"] ?? ""), "the base URL");
  if (status === 401) return "Check the API key (apiKey or SITEFRAME_API_KEY).";
  if (status === 404) return "Check the base URL (baseUrl or SITEFRAME_BASE_URL), its path included.";
  if (status === 429) return "Ask for less at once: lower the option concurrency.";
  return undefined;
}

/** What to do about a redirect, which nothing here follows. */
export function redirectHint(location: string, setting: string): string {
  const target = URL.canParse(location) ? ` It points to ${new URL(location).origin}.` : "";
  return `Redirects are not followed, because the key would travel with them.${target} Set ${setting} to the address that answers itself.`;
}

/**
 * What a body `{ error: { status, code, message } }` says; the specification shows no shape of errors. Other JSON may have
 * records, with personal data.
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

/** The ellipsis also tells whoever looks for a key that the text was cut there. */
function excerpt(text: string): string {
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1)}…` : text;
}

/** Why no usable answer came. */
function networkFailure(problem: NetworkProblem, error: unknown, url: string): Failure {
  const { code, reason, isFinal, cause } = networkReason(error);
  return {
    retryable: !isFinal,
    toError: (attempts) =>
      new NetworkError(`${requestText(url, attempts)} brought no usable answer: ${reason}.`, {
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
  const late = new Error(`no complete answer within ${options.timeoutMs} ms`);
  const limit = childSignal(signal);
  const timer = setTimeout(() => limit.abort(late), options.timeoutMs);
  const start = service.effects.elapsed();
  let answer: Answer | undefined;
  try {
    // The key goes to the service's own origin alone.
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
  const isRefusal = answer.status < 200 || answer.status > 299;
  let body = answer.body;
  try {
    body = await decodeContent(answer.body, answer.headers["content-encoding"], options.maxBodyBytes).catch((error) => {
      // What a refusal says is in its status; proxies send some whose body is not what its headers say.
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

/** Why a body that is too large brought nothing. Another attempt would bring the same; a smaller page may fit. */
function sizeFailure(maxBodyBytes: number, url: string): Failure {
  const limit = `${(maxBodyBytes / 1e6).toLocaleString("en-US", { maximumSignificantDigits: 4 })} MB`;
  return {
    retryable: false,
    toError: (attempts) =>
      new ProtocolError(`${requestText(url, attempts)} was answered with more than ${limit}.`, "$", {
        facts: { method: "GET", url, attempts, problem: "size", maxBodyBytes },
        hint: "Raise the option maxBodyBytes if the service has such records.",
      }),
  };
}

/** Whether an answer that could not be read is a page for people. */
export function isHtml(body: Uint8Array, type?: unknown): boolean {
  if (/\bx?html\b/i.test(String(type ?? ""))) return true;
  return /^\s*<(!doctype html|html|head|body)\b/i.test(new TextDecoder().decode(body.subarray(0, 1000)));
}

/** Why a page for people brought nothing. It may come once from a proxy; from a wrong address it comes every time. */
function htmlFailure(url: string): Failure {
  return {
    retryable: true,
    toError: (attempts) =>
      new ProtocolError(
        `${requestText(url, attempts)} was answered with an HTML page: is this the API's address?`,
        "$",
        {
          facts: { method: "GET", url, attempts, problem: "html" },
          hint: "Check the base URL (baseUrl or SITEFRAME_BASE_URL), its path included.",
        },
      ),
  };
}

/** One request as it goes out. */
interface Sending {
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
  { transport, bodies }: Pick<Service, "transport" | "bodies">,
  sending: Sending,
  signal: AbortSignal,
  { dispatcher, maxBodyBytes }: Pick<ReadOptions, "dispatcher"> & Pick<ResolvedReadOptions, "maxBodyBytes">,
): Promise<Answer> {
  // A user's dispatcher may lack the guard of `safeConnector()`: undici does not pause a body that its buffer can hold.
  const buffer = dispatcher && { highWaterMark: maxBodyBytes + 1 };
  const { statusCode, headers, body } = await (dispatcher ?? (await transport.dispatcher())).request({
    ...buffer,
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

/** Thrown by a decoder: the answer may be a slip of the service. It is asked for again; if it stays, this is the error. */
export class ResponseError extends Error {
  readonly error: ProtocolError;

  constructor(error: ProtocolError) {
    super(error.message);
    this.error = error;
  }
}
