import { setTimeout as sleepMs } from "node:timers/promises";
import type { Answer } from "../answers/answer.js";
import type { Handler } from "../answers/page-handler.js";
import { HttpError } from "../requests/http-error.js";
import { readTarget } from "../requests/request-target.js";
import type { Random } from "../sample/base/random.js";
import type { Store } from "../store/store.js";
import { faultMatcher } from "./fault-matcher.js";
import type { CountsFault, DelayFault, Fault, Faults, StatusFault, TruncateFault } from "./faults.js";

/** What faults need of the world. */
export interface FaultEffects {
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const realEffects: FaultEffects = { sleep: sleepMs, now: Date.now };

/** A handler whose answers go wrong by the rules of `faults`. */
export function withFaults(handler: Handler, faults: Faults, effects: FaultEffects = realEffects): Handler {
  const rules = (faults.rules ?? []).map((rule, index) => ({
    rule,
    strike: faultMatcher(rule, faults.seed ?? 1, `rule ${index}`),
  }));
  return (request, store) => {
    const { path } = readTarget(request.target);
    // Every rule sees every request, so that no rule's count depends on another's.
    const struck = rules.map(({ rule, strike }) => ({ rule, random: strike(path) }));
    const faulty = struck.reduceRight(
      (next, { rule, random }) => (random ? withFault(next, rule, random, effects) : next),
      handler,
    );
    return faulty(request, store);
  };
}

function withFault(next: Handler, fault: Fault, random: Random, effects: FaultEffects): Handler {
  switch (fault.fault) {
    case "delay":
      return async (request, store) => {
        await effects.sleep(delayMs(fault, random));
        return next(request, store);
      };
    case "status":
      return async () => {
        throw statusError(fault, effects.now());
      };
    case "reset":
      return async (request, store) => ({ ...(await next(request, store)), cut: fault.at });
    case "truncate":
      return async (request, store) => truncated(await next(request, store), fault);
    case "garble":
      return async (request, store) => garbled(await next(request, store));
    case "counts":
      return (request, store) => next(request, miscounting(store, fault));
  }
}

function delayMs({ latencyMs, jitterMs = 0 }: DelayFault, random: Random): number {
  return latencyMs + random.next() * jitterMs;
}

function statusError({ status, retryAfterS, retryAfterAs }: StatusFault, now: number): HttpError {
  const message = `The service was asked to answer ${status}.`;
  if (retryAfterS === undefined) return new HttpError(status, "fault", message);
  const date = new Date(now + retryAfterS * 1000).toUTCString();
  return new HttpError(status, "fault", message, {
    "Retry-After": retryAfterAs === "date" ? date : String(retryAfterS),
  });
}

function truncated(answer: Answer, { end }: TruncateFault): Answer {
  if (end === "abrupt") return { ...answer, cut: "half-way" };
  const whole = Buffer.concat(answer.body);
  return { ...answer, body: [whole.subarray(0, whole.byteLength >> 1)] };
}

/** 0xFF begins no UTF-8 text and no compressed stream of ours. */
function garbled(answer: Answer): Answer {
  return { ...answer, body: [Buffer.concat(answer.body).fill(0xff, 0, 16)] };
}

/** A store of another version, so that no client keeps a wrong page under the tag of the right one. */
function miscounting(store: Store, { by }: CountsFault): Store {
  return {
    version: `${store.version} counts ${by}`,
    page: async (endpoint, query, access, signal) => {
      const stored = await store.page(endpoint, query, access, signal);
      return { ...stored, rowCount: Math.max(0, stored.rowCount + by) };
    },
  };
}
