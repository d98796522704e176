import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { ReadOptions } from "./read-options.js";

type Optional = "pageSize" | "signal" | "onProgress" | "onRequest" | "onFinding" | "dispatcher";

/** Complete options of one read. */
export type ResolvedReadOptions = {
  readonly [K in Exclude<keyof ReadOptions, Optional>]-?: NonNullable<ReadOptions[K]>;
} & {
  readonly [K in Optional]: ReadOptions[K];
};

/**
 * Options of one read, those of the call before those of the connection before the defaults.
 *
 * @throws ArgumentError for a number out of range
 */
export function resolveReadOptions(base: ReadOptions, call: ReadOptions = {}): ResolvedReadOptions {
  const pick = <K extends keyof ReadOptions>(name: K) => call[name] ?? base[name];
  const pageSize = pick("pageSize");
  return {
    timeoutMs: integer("timeoutMs", pick("timeoutMs") ?? 60_000, 1),
    retries: integer("retries", pick("retries") ?? 5, 0),
    concurrency: integer("concurrency", pick("concurrency") ?? 6, 1),
    progress: pick("progress") ?? false,
    strict: pick("strict") ?? true,
    redact: pick("redact") ?? false,
    pageSize: pageSize === undefined ? undefined : integer("pageSize", pageSize, 1),
    signal: pick("signal"),
    onProgress: pick("onProgress"),
    onRequest: pick("onRequest"),
    onFinding: pick("onFinding"),
    dispatcher: pick("dispatcher"),
  };
}

function integer(name: string, value: number, least: number): number {
  // setTimeout counts in 31 bits.
  if (Number.isInteger(value) && value >= least && value < 2 ** 31) return value;
  throw new ArgumentError(`${name} takes an integer from ${least}, but got ${showValue(value)}.`, {
    facts: { option: name },
  });
}
