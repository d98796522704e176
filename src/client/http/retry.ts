import type { Effects } from "../../core/effects.js";
import type { SiteframeError } from "../../core/errors.js";

/** Longest time from the first attempt to the start of the last, in milliseconds. */
const BUDGET_MS = 120_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 20_000;

/**
 * Makes attempts until one succeeds, with exponential backoff and full jitter; a `Retry-After` is honoured.
 * Ends when a failure is final, the retries are used up, or the next wait would go beyond the budget of two minutes.
 *
 * @param attempt gets the number of the attempt, from 1
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

/** How long to wait before another attempt: twice as long each time. */
export function backoffMs(attempts: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** (attempts - 1));
}

/** Whether an answer asks for fewer requests. */
export function isThrottled(status: number): boolean {
  return status === 429 || status === 503;
}

/**
 * Whether a service or a proxy may give another answer the next time. Trino's protocol names the statuses to ask again
 * after itself, and has a list of its own.
 */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/**
 * How long `Retry-After` headers ask to wait, in milliseconds: the longest, where a service and a proxy sent one each.
 *
 * @param header seconds, or an HTTP date
 * @param now milliseconds since 1970
 * @returns undefined if there is no header or none makes sense
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

/** Why an attempt brought nothing. */
export interface Failure {
  /** Whether another attempt may bring more. */
  readonly retryable: boolean;
  /** `Retry-After` headers as they came. */
  readonly retryAfter?: string | readonly string[] | undefined;
  /**
   * The error to throw if this was the last attempt.
   *
   * @param retryAfterMs for how long it asks to be left alone, where that is longer than anybody here waits
   */
  readonly toError: (attempts: number, retryAfterMs?: number) => SiteframeError;
}

/** What one attempt at a request came to. */
export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };
