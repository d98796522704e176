import { lazyLiveReader } from "../client/lazy-live-reader.js";
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
