import { constants } from "node:buffer";
import type { Dispatcher } from "undici";
import type { SortKey } from "../api/contract.js";
import { endpointOf, sortableNames } from "../api/endpoints.js";
import { type Params, type ResolvedFilters, resolveFilters } from "../api/filters.js";
import type { ResourceName } from "../api/resources.js";
import { sortedProperty, unsortable } from "../api/select-records.js";
import { ArgumentError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { abortSignal, anything, callback, flag, integerFrom, type OptionRules } from "../core/options.js";
import { showValue } from "../core/show-value.js";

/** How far a read has come. */
export interface Progress {
  /** What is read. */
  readonly resource: ResourceName;
  /** Rows that have arrived. */
  readonly rows: number;
  /** Rows to expect; undefined until every part of the read has told its count. */
  readonly total: number | undefined;
  /** How much of the read is done, from 0 to 1: by its rows, or by its parts while not all of them have told their counts. */
  readonly share: number;
  /** Bytes of response bodies so far, after decompression. */
  readonly bytes: number;
}

/** One request that was sent, for logging. Holds no key. */
export interface RequestEvent {
  /** Method of the request: GET. */
  readonly method: string;
  /** Its address, with its parameters. */
  readonly url: string;
  /** From 1; higher when the request was repeated. */
  readonly attempt: number;
  /** Status of the answer; undefined when none came. */
  readonly status: number | undefined;
  /** Time from sending it to the end of the body, or to the failure, in milliseconds. */
  readonly durationMs: number;
}

/** Options of a read: given to `connect()` for all reads, and to a call for one. */
export interface ReadOptions {
  /** Longest time for one request, body included, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed request is sent again. Default 5. */
  readonly retries?: number | undefined;
  /** Requests under way at once. Default 6. */
  readonly concurrency?: number | undefined;
  /** Rows to ask for in one page; the largest that the service allows if absent. */
  readonly pageSize?: number | undefined;
  /**
   * Largest body of one answer, as it comes and unpacked, in bytes. Beyond it a smaller page is asked for, and where
   * there is none the read ends in a `ProtocolError`. Default 256,000,000; at most 536,870,888.
   */
  readonly maxBodyBytes?: number | undefined;
  /** Stops the read at once; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each page that arrives. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Whether a read that takes longer than a second shows a bar, on a terminal (stderr) or below the cell of a
   * notebook. Default true for `connect()`, unless `onProgress` is given.
   */
  readonly progress?: boolean | undefined;
  /** Called with each request that has ended, for logging. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called with each finding as it is made: the way to see those of `records` and `pages`. */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
  /** Whether a record that breaks the contract is an error (default) or a finding. */
  readonly strict?: boolean | undefined;
  /** Whether person data is replaced with stable pseudonyms. Default false. */
  readonly redact?: boolean | undefined;
  /** An undici dispatcher to send requests with: a proxy, or a mock in tests. It is not closed by us. */
  readonly dispatcher?: Dispatcher | undefined;
}

/** Requests under way at once, unless the caller says otherwise. */
export const CONCURRENCY = 6;

/** What every read takes. */
export const readRules: OptionRules<ReadOptions> = {
  timeoutMs: integerFrom(1),
  retries: integerFrom(0),
  concurrency: integerFrom(1),
  // Longer bodies are no texts for V8: it ends the process.
  maxBodyBytes: integerFrom(1, constants.MAX_STRING_LENGTH),
  pageSize: integerFrom(1),
  signal: abortSignal,
  onProgress: callback,
  progress: flag,
  onRequest: callback,
  onFinding: callback,
  strict: flag,
  redact: flag,
  dispatcher: anything,
};

type Optional = "pageSize" | "signal" | "onProgress" | "onRequest" | "onFinding" | "dispatcher";

/** How requests are sent where nobody says it. */
export const defaultTransport = { timeoutMs: 60_000, retries: 5, maxBodyBytes: 256_000_000 } as const;

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
    timeoutMs: checked("timeoutMs", pick("timeoutMs") ?? defaultTransport.timeoutMs),
    retries: checked("retries", pick("retries") ?? defaultTransport.retries),
    concurrency: checked("concurrency", pick("concurrency") ?? CONCURRENCY),
    maxBodyBytes: checked("maxBodyBytes", pick("maxBodyBytes") ?? defaultTransport.maxBodyBytes),
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

/** Filters of an endpoint, and an order: `"-date_captured"`, or several for tie-breaks. */
export type PageParams<R extends ResourceName> = Params<R> & {
  /** Field to sort by, with `-` before it for descending order. */
  readonly _sortBy?: string | readonly string[] | undefined;
};

/** Complete parameters of `pages`. */
export interface ResolvedPageParams {
  readonly filters: ResolvedFilters;
  /** Empty for the service's default order. */
  readonly sort: readonly SortKey[];
}

/**
 * Checks filters and order.
 *
 * @throws ArgumentError also for a field that the specification's complete list of sortable fields lacks
 */
export function resolvePageParams(resource: ResourceName, params: object): ResolvedPageParams {
  const { _sortBy, ...filters } = params as { readonly _sortBy?: unknown };
  return {
    filters: resolveFilters(resource, filters),
    sort: [_sortBy ?? []].flat().map((text) => sortKey(resource, text)),
  };
}

function sortKey(resource: ResourceName, text: unknown): SortKey {
  const parsed = typeof text === "string" ? /^([+-]?)([^+\s-].*)$/.exec(text) : null;
  const field = parsed?.[2];
  if (field === undefined) {
    throw new ArgumentError(`${resource}: _sortBy takes "+field" or "-field", but got ${showValue(text)}.`);
  }
  const { sort } = endpointOf(resource);
  const isProperty = sort.properties && sortedProperty(field) !== undefined;
  if (sort.complete && !sort.fields.includes(field) && !isProperty) {
    throw unsortable(resource, field, `It sorts by: ${sortableNames(sort.fields, sort.properties)}.`);
  }
  return { field, descending: parsed?.[1] === "-" };
}
