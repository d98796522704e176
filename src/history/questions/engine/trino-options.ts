import { constants } from "node:buffer";
import type { Dispatcher } from "undici";
import { defaultTransport, type RequestEvent } from "../../../client/read-options.js";
import { ArgumentError } from "../../../core/errors.js";
import {
  anything,
  callback,
  checkOptions,
  integerFrom,
  type OptionRule,
  type OptionRules,
} from "../../../core/options.js";

/** How a user of Trino is let in: by password, or by token (JWT, OAuth 2.0). */
export type TrinoAuth =
  | {
      /** Of the user, sent as basic authentication. */
      readonly password: string;
    }
  | {
      /** Sent as a bearer token. */
      readonly token: string;
    };

/** Where Trino is, where the tables are declared, and how it is asked. */
export interface TrinoOptions {
  /** Address of the coordinator, or of what stands before it: `https://trino.example.com`. A path is kept as prefix. */
  readonly server: string | URL;
  /** Catalog of the tables. */
  readonly catalog: string;
  /** Schema of the tables. */
  readonly schema: string;
  /** Who asks. Default `siteframe`. */
  readonly user?: string | undefined;
  /** How the user is let in; nothing for a Trino that asks for nothing. */
  readonly auth?: TrinoAuth | undefined;
  /** What asks, as the engine's list of queries shows it. Default `siteframe`. */
  readonly source?: string | undefined;
  /** Session properties: `{ query_max_run_time: "10m" }`. */
  readonly session?: Readonly<Record<string, string>> | undefined;
  /** Longest time for one request, body included, in milliseconds. A query is many requests. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Longest time that one query may keep its reader waiting, over all requests, in milliseconds. The time in which the
   * reader is busy with rows does not count. Default 3,600,000: an hour.
   */
  readonly queryTimeoutMs?: number | undefined;
  /** Largest result of one query in bytes, as its answers have it, decompressed. Default 4,000,000,000. */
  readonly maxResultBytes?: number | undefined;
  /** How often a failed request is sent again. Default 5. */
  readonly retries?: number | undefined;
  /** Largest body of one answer in bytes. Default 256,000,000. */
  readonly maxBodyBytes?: number | undefined;
  /** Called with each request that has ended, for logging. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** An undici dispatcher to send requests with: a proxy, or certificates of your own. It is not closed by us. */
  readonly dispatcher?: Dispatcher | undefined;
}

type Optional = "auth" | "onRequest" | "dispatcher";

/** Complete options; of the address and the secret only `TrinoServer` knows. */
export type ResolvedTrinoOptions = {
  readonly [K in Exclude<keyof TrinoOptions, Optional | "server">]-?: NonNullable<TrinoOptions[K]>;
} & Pick<TrinoOptions, Exclude<Optional, "auth">>;

const defaultQuery = { queryTimeoutMs: 3_600_000, maxResultBytes: 4_000_000_000 } as const;

/** What travels in a header: ASCII that can be seen, and spaces within. */
const headerText: OptionRule = {
  takes: "a string of ASCII characters",
  accepts: (value) => typeof value === "string" && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value),
};

const sessionProperties: OptionRule = {
  takes: "an object of texts, named as Trino's session properties",
  accepts: (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(([name, one]) => /^\w+(\.\w+)?$/.test(name) && typeof one === "string"),
};

const rules: OptionRules<TrinoOptions> = {
  // Looked at by themselves: an address or a key may hold what no error may show.
  server: anything,
  auth: anything,
  catalog: headerText,
  schema: headerText,
  user: headerText,
  source: headerText,
  session: sessionProperties,
  timeoutMs: integerFrom(1),
  queryTimeoutMs: integerFrom(1),
  maxResultBytes: integerFrom(1, Number.MAX_SAFE_INTEGER),
  retries: integerFrom(0),
  maxBodyBytes: integerFrom(1, constants.MAX_STRING_LENGTH),
  onRequest: callback,
  dispatcher: anything,
};

/**
 * Options with their defaults.
 *
 * @throws ArgumentError for an option that is missing, unknown or out of range
 */
export function resolveTrinoOptions(options: TrinoOptions): ResolvedTrinoOptions {
  checkOptions("trino()", options, rules);
  for (const name of ["catalog", "schema"] as const) {
    if (options[name] === undefined) {
      throw new ArgumentError(`trino() needs the option ${name}.`, {
        hint: "Catalog and schema are where siteframe ddl trino declared the tables.",
        facts: { option: name },
      });
    }
  }
  return {
    catalog: options.catalog,
    schema: options.schema,
    user: options.user ?? "siteframe",
    source: options.source ?? "siteframe",
    session: options.session ?? {},
    timeoutMs: options.timeoutMs ?? defaultTransport.timeoutMs,
    queryTimeoutMs: options.queryTimeoutMs ?? defaultQuery.queryTimeoutMs,
    maxResultBytes: options.maxResultBytes ?? defaultQuery.maxResultBytes,
    retries: options.retries ?? defaultTransport.retries,
    maxBodyBytes: options.maxBodyBytes ?? defaultTransport.maxBodyBytes,
    onRequest: options.onRequest,
    dispatcher: options.dispatcher,
  };
}
