import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { ReadOptions } from "./read-options.js";
import { readRules } from "./read-rules.js";

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
    timeoutMs: checked("timeoutMs", pick("timeoutMs") ?? 60_000),
    retries: checked("retries", pick("retries") ?? 5),
    concurrency: checked("concurrency", pick("concurrency") ?? 6),
    maxBodyBytes: checked("maxBodyBytes", pick("maxBodyBytes") ?? 256_000_000),
    progress: pick("progress") ?? false,
    strict: pick("strict") ?? true,
    redact: pick("redact") ?? false,
    pageSize: pageSize === undefined ? undefined : checked("pageSize", pageSize),
    signal: pick("signal"),
    onProgress: pick("onProgress"),
    onRequest: pick("onRequest"),
    onFinding: pick("onFinding"),
    dispatcher: pick("dispatcher"),
  };
}

/** Options that are numbers. */
type Counted = "timeoutMs" | "retries" | "concurrency" | "maxBodyBytes" | "pageSize";

function checked(name: Counted, value: number): number {
  const rule = readRules[name];
  if (rule.accepts(value)) return value;
  throw new ArgumentError(`${name} takes ${rule.takes}, but got ${showValue(value)}.`, {
    facts: { option: name },
  });
}
