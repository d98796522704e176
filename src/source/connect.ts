import { lazyLiveReader } from "../client/lazy-live-reader.js";
import { type ReadOptions, readRules } from "../client/read-options.js";
import { anything, checkOptions, type OptionRules } from "../core/options.js";
import { Source } from "./source.js";

/** Where the service is, who asks, and how. */
export interface ConnectOptions extends ReadOptions {
  /** Address of the service. Default: the environment variable `SITEFRAME_BASE_URL`. */
  readonly baseUrl?: string;
  /** API key. Default: the environment variable `SITEFRAME_API_KEY`. Sent to the base URL's own origin only. */
  readonly apiKey?: string;
}

const connectRules: OptionRules<ConnectOptions> = {
  ...readRules,
  baseUrl: anything,
  apiKey: anything,
};

/**
 * A source that reads the live API. Nothing is sent until something is read.
 *
 * @throws ArgumentError for an address that is none, or a missing address or key
 */
export function connect(options: ConnectOptions = {}): Source {
  checkOptions("connect()", options, connectRules);
  const reader = lazyLiveReader({
    ...options,
    progress: options.progress ?? true,
    baseUrl: options.baseUrl ?? process.env["SITEFRAME_BASE_URL"],
    apiKey: options.apiKey ?? process.env["SITEFRAME_API_KEY"],
  });
  return new Source(reader, () => reader.close());
}
