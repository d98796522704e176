import { constants } from "node:buffer";
import type { Dispatcher } from "undici";
import type { SortKey } from "../api/contract.js";
import { endpointOf, sortableNames } from "../api/endpoints.js";
import { type Params, type ResolvedFilters, resolveFilters } from "../api/filters.js";
import type { ResourceName } from "../api/resources.js";
import { sortedProperty, unsortable } from "../api/select-records.js";
import { cellSignal } from "../core/abort-signal.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { ArgumentError } from "../core/errors.js";
import { abortSignal, anything, callback, flag, integerFrom, type OptionRules } from "../core/options.js";
import { showValue } from "../core/show-value.js";

/** Progress of a read. */
export interface ReadProgress {
  /** The resource. */
  readonly resource: ResourceName;
  /** Rows received so far. */
  readonly rows: number;
  /** Expected rows; undefined until every part of the read has stated its count. */
  readonly total: number | undefined;
  /** Finished share from 0 to 1: by rows, or by parts until all of them have stated their counts. */
  readonly share: number;
  /** Bytes of response bodies so far, after decompression. */
  readonly bytes: number;
}

/** A sent request, for logging. Never contains the key. */
export interface RequestEvent {
  /** Method of the request: GET. */
  readonly method: string;
  /** Address of the request, with its parameters. */
  readonly url: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Status of the response; undefined without response. */
  readonly status: number | undefined;
  /** Time from sending the request to the end of the body or to the failure, in milliseconds. */
  readonly durationMs: number;
}

/** Options of a read: passed to `connect()` for all reads, or to a call for one. */
export interface ReadOptions {
  /** Maximum time for one request, including its body, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum retries of a failed request. Default: 5. */
  readonly retries?: number | undefined;
  /** Maximum requests at once. Default: 6. */
  readonly concurrency?: number | undefined;
  /** Rows per page. Default: the largest page that the service allows. */
  readonly pageSize?: number | undefined;
  /**
   * Maximum size of a response body, compressed and decompressed, in bytes. A larger response is replaced by smaller
   * pages; if that is impossible, the read ends with a `ProtocolError`. Default: 256,000,000; at most 536,870,888.
   */
  readonly maxBodyBytes?: number | undefined;
  /** Signal to stop the read at once; it rejects with the signal's reason. Default in a notebook: that of the cell. */
  readonly signal?: AbortSignal | undefined;
  /** Callback for each received page. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  /**
   * Whether to show a progress bar on a terminal (stderr) or below the notebook cell for reads longer than a second.
   * Default: true for `connect()`, unless `onProgress` is passed.
   */
  readonly showProgress?: boolean | undefined;
  /** Callback for each finished request, for logging. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /**
   * Callback for each diagnostic of a read, a layer or its log; the only way to get the diagnostics of `records` and
   * `pages`.
   */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Whether a record that violates the contract is an error instead of a diagnostic. Default: true. */
  readonly strict?: boolean | undefined;
  /** Whether person data is replaced with stable pseudonyms. Default: false. */
  readonly redact?: boolean | undefined;
  /** An undici dispatcher for requests: a proxy, or a mock in tests. Siteframe does not close it. */
  readonly dispatcher?: Dispatcher | undefined;
}

/** Default for the maximum requests at once. */
export const CONCURRENCY = 6;

/** Rules of the options of every read. */
export const readRules: OptionRules<ReadOptions> = {
  timeoutMs: integerFrom(1),
  retries: integerFrom(0),
  concurrency: integerFrom(1),
  // V8 cannot hold longer strings and would end the process.
  maxBodyBytes: integerFrom(1, constants.MAX_STRING_LENGTH),
  pageSize: integerFrom(1),
  signal: abortSignal,
  onProgress: callback,
  showProgress: flag,
  onRequest: callback,
  onDiagnostic: callback,
  strict: flag,
  redact: flag,
  dispatcher: anything,
};

type Optional = "pageSize" | "signal" | "onProgress" | "onRequest" | "onDiagnostic" | "dispatcher";

/** Default options for sending requests. */
export const defaultTransport = { timeoutMs: 60_000, retries: 5, maxBodyBytes: 256_000_000 } as const;

/** Complete options of a read. */
export type ResolvedReadOptions = {
  readonly [K in Exclude<keyof ReadOptions, Optional>]-?: NonNullable<ReadOptions[K]>;
} & {
  readonly [K in Optional]: ReadOptions[K];
};

/**
 * Returns the options of a read: of the call, else of the connection, else the defaults.
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
    showProgress: pick("showProgress") ?? false,
    strict: pick("strict") ?? true,
    redact: pick("redact") ?? false,
    pageSize: pageSize === undefined ? undefined : checked("pageSize", pageSize),
    signal: pick("signal") ?? cellSignal(),
    onProgress: pick("onProgress"),
    onRequest: pick("onRequest"),
    onDiagnostic: pick("onDiagnostic"),
    dispatcher: pick("dispatcher"),
  };
}

/** Options that are numbers. */
type Counted = "timeoutMs" | "retries" | "concurrency" | "maxBodyBytes" | "pageSize";

function checked(name: Counted, value: number): number {
  const rule = readRules[name];
  if (rule.accepts(value)) return value;
  throw new ArgumentError(`The option ${name} must be ${rule.takes}, got ${showValue(value)}.`, {
    facts: { option: name },
  });
}

/** Filters of an endpoint, and an order: `"-date_captured"`, or an array of several. */
export type PageParams<R extends ResourceName> = Params<R> & {
  /** Field to sort by, with the prefix `-` for descending order. */
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
 * @throws ArgumentError also for a field that is not in the specification's list of sortable fields
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
    throw new ArgumentError(`pages(): invalid _sortBy ${showValue(text)} for ${resource}.`, {
      hint: 'Pass a field with an optional sign, for example "-date_captured".',
    });
  }
  const { sort } = endpointOf(resource);
  const isProperty = sort.properties && sortedProperty(field) !== undefined;
  if (sort.complete && !sort.fields.includes(field) && !isProperty) {
    throw unsortable(resource, field, `Sort by one of: ${sortableNames(sort.fields, sort.properties)}.`);
  }
  return { field, descending: parsed?.[1] === "-" };
}
