import { type LiveOptions, liveSettings } from "../client/http/connection.js";
import type { LiveReader } from "../client/live-reader.js";
import { type ReadOptions, readRules } from "../client/read-options.js";
import { anything, checkOptions, type OptionRules } from "../core/options.js";
import { type TimeZones, timeZonesRule } from "../core/time-zone.js";
import { Source } from "./source.js";

/** Options of `connect()`: the service, the key, and how to read. */
export interface ConnectOptions extends ReadOptions {
  /** Address of the service. Default: the environment variable `SITEFRAME_BASE_URL`. */
  readonly baseUrl?: string;
  /** API key. Default: the environment variable `SITEFRAME_API_KEY`. Sent to the base URL's own origin only. */
  readonly apiKey?: string;
  /** Time zone of the sites, in which times are shown: an IANA name, or names by site id. Default: `"UTC"`. */
  readonly timeZone?: TimeZones | undefined;
}

const connectRules: OptionRules<ConnectOptions> = {
  ...readRules,
  baseUrl: anything,
  apiKey: anything,
  timeZone: timeZonesRule,
};

/**
 * Returns a source that reads the live API. No request is sent before the first read.
 *
 * @example
 * ```ts
 * const source = connect({ timeoutMs: 60_000 }); // SITEFRAME_BASE_URL, SITEFRAME_API_KEY
 * (await source.sites()).select("id", "name", "type")
 * ```
 * @throws ArgumentError if `baseUrl` is invalid or missing, or `apiKey` is missing
 */
export function connect({ timeZone, ...options }: ConnectOptions = {}): Source {
  checkOptions<ConnectOptions>("connect()", { ...options, timeZone }, connectRules);
  const reader = lazyLiveReader({
    ...options,
    showProgress: options.showProgress ?? true,
    baseUrl: options.baseUrl ?? process.env["SITEFRAME_BASE_URL"],
    apiKey: options.apiKey ?? process.env["SITEFRAME_API_KEY"],
  });
  return new Source(reader, () => reader.close(), timeZone);
}

/**
 * Returns a live reader that is loaded with the first read: it is most of the code, and programs that only read files
 * do not need it.
 *
 * @throws ArgumentError if the address, the key or an option is invalid
 */
function lazyLiveReader(options: LiveOptions): LiveReader {
  const settings = liveSettings(options);
  const { strict, showProgress: progress, redact, onDiagnostic } = settings.resolved;
  let loaded: Promise<LiveReader> | undefined;
  const load = () => {
    loaded ??= import("../client/live-reader.js").then(({ readerWith }) => readerWith(settings));
    return loaded;
  };
  return {
    origin: settings.origin,
    strict,
    progress,
    redact,
    onDiagnostic,
    all: async (...args) => (await load()).all(...args),
    collect: async (...args) => (await load()).collect(...args),
    gather: async (...args) => (await load()).gather(...args),
    page: async (...args) => (await load()).page(...args),
    records: (...args) => laterRows(async () => (await load()).records(...args)),
    slices: (...args) => laterRows(async () => (await load()).slices(...args)),
    pages: (...args) => laterRows(async () => (await load()).pages(...args)),
    close: async () => (await loaded)?.close(),
  };
}

/** An explicit iterator: a nested generator takes twice as long per row. */
function laterRows<T>(open: () => Promise<AsyncIterable<T>>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<T> {
      let rows: AsyncIterator<T> | undefined;
      let opening: Promise<AsyncIterator<T>> | undefined;
      const opened = () => {
        opening ??= open().then((iterable) => {
          rows = iterable[Symbol.asyncIterator]();
          return rows;
        });
        return opening;
      };
      return {
        next: () => (rows ? rows.next() : opened().then((ready) => ready.next())),
        return: async (value?: unknown) => (await (await opening)?.return?.(value)) ?? { done: true, value },
      };
    },
  };
}
