import type { Effects } from "../../core/effects.js";
import type { SiteframeError } from "../../core/errors.js";

/** Longest time from the first attempt to the start of the last, in milliseconds. */
const BUDGET_MS = 120_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 20_000;

/**
 * Makes attempts until one succeeds, with exponential backoff and full jitter; respects `Retry-After`. Ends if a
 * failure is final, the retries are used up, or the next wait would exceed the budget of two minutes.
 *
 * @param attempt receives the number of the attempt, from 1
 */
export async function retry<T>(
  attempt: (number: number) => Promise<Attempt<T>>,
  retries: number,
  effects: Effects,
  signal: AbortSignal,
): Promise<T> {
  const start = effects.elapsed();
  for (let number = 1; ; number += 1) {
    const outcome = await attempt(number);
    if (outcome.ok) return outcome.value;
    const { failure } = outcome;
    const askedMs = retryAfterMs(failure.retryAfter, effects.now()) ?? 0;
    const wait = Math.max(effects.random() * backoffMs(number, FIRST_WAIT_MS, LONGEST_WAIT_MS), askedMs);
    const leftMs = BUDGET_MS - (effects.elapsed() - start);
    if (!failure.retryable || number > retries || wait > leftMs) {
      throw failure.toError(number, failure.retryable && askedMs > leftMs ? askedMs : undefined);
    }
    await effects.sleep(wait, signal);
  }
}

/** Wait before another attempt; doubles each time. */
export function backoffMs(attempts: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** (attempts - 1));
}

/** Whether a response asks for fewer requests. */
export function isThrottled(status: number): boolean {
  return status === 429 || status === 503;
}

/**
 * Whether a service or proxy may respond differently the next time. Trino's protocol defines its own list of retryable
 * statuses.
 */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/**
 * Wait in milliseconds from `Retry-After` headers; the longest if a service and a proxy sent one each.
 *
 * @param header seconds, or an HTTP date
 * @param now milliseconds since 1970
 * @returns undefined if the header is missing or invalid
 */
function retryAfterMs(header: string | readonly string[] | undefined, now: number): number | undefined {
  const waits = [header ?? []].flat().flatMap((text) => waitOf(text.trim(), now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function waitOf(text: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The failure of an attempt. */
export interface Failure {
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  /** Received `Retry-After` headers. */
  readonly retryAfter?: string | readonly string[] | undefined;
  /**
   * Returns the error to throw if this was the last attempt.
   *
   * @param retryAfterMs requested wait, if it exceeds Siteframe's limit
   */
  readonly toError: (attempts: number, retryAfterMs?: number) => SiteframeError;
}

/** Result of one attempt. */
export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };
