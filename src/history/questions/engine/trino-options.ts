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

/** Authentication: password, or token (JWT, OAuth 2.0). */
export type TrinoAuth =
  | {
      /** Password of the user, sent with basic authentication. */
      readonly password: string;
    }
  | {
      /** Token, sent as a bearer token. */
      readonly token: string;
    };

/** Address of Trino, location of the tables, and limits of requests. */
export interface TrinoOptions {
  /** Address of the coordinator or of a proxy in front of it: `https://trino.example.com`. A path is kept as prefix. */
  readonly server: string | URL;
  /** Catalog of the tables. */
  readonly catalog: string;
  /** Schema of the tables. */
  readonly schema: string;
  /** Name of the user. Default: `siteframe`. */
  readonly user?: string | undefined;
  /** Authentication. Default: none. */
  readonly auth?: TrinoAuth | undefined;
  /** Name of the client in the engine's list of queries. Default: `siteframe`. */
  readonly source?: string | undefined;
  /** Session properties: `{ query_max_run_time: "10m" }`. */
  readonly session?: Readonly<Record<string, string>> | undefined;
  /** Timeout of one request including its body, in milliseconds. A query consists of many requests. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Maximum total time that a query may keep its reader waiting, in milliseconds. Time that the reader spends on rows
   * does not count. Default: 3,600,000 (an hour).
   */
  readonly queryTimeoutMs?: number | undefined;
  /** Maximum size of the result of one query in bytes, decompressed. Default: 4,000,000,000. */
  readonly maxResultBytes?: number | undefined;
  /** Number of retries of a failed request. Default: 5. */
  readonly retries?: number | undefined;
  /** Maximum size of one response body in bytes. Default: 256,000,000. */
  readonly maxBodyBytes?: number | undefined;
  /** Called for each finished request, for logging. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** An undici dispatcher for requests, for example a proxy or custom certificates. Siteframe does not close it. */
  readonly dispatcher?: Dispatcher | undefined;
}

type Optional = "auth" | "onRequest" | "dispatcher";

/** Complete options, except the address and the secret, which only `TrinoServer` has. */
export type ResolvedTrinoOptions = {
  readonly [K in Exclude<keyof TrinoOptions, Optional | "server">]-?: NonNullable<TrinoOptions[K]>;
} & Pick<TrinoOptions, Exclude<Optional, "auth">>;

const defaultQuery = { queryTimeoutMs: 3_600_000, maxResultBytes: 4_000_000_000 } as const;

/** Allowed header values: visible ASCII, with spaces inside. */
const headerText: OptionRule = {
  takes: "a string of ASCII characters",
  accepts: (value) => typeof value === "string" && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value),
};

const sessionProperties: OptionRule = {
  takes: "an object of strings, named as Trino's session properties",
  accepts: (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(([name, one]) => /^\w+(\.\w+)?$/.test(name) && typeof one === "string"),
};

const rules: OptionRules<TrinoOptions> = {
  // Checked separately: an address or a key may contain secrets that errors must not show.
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
 * Adds the defaults to options.
 *
 * @throws ArgumentError for an option that is missing, unknown or out of range
 */
export function resolveTrinoOptions(options: TrinoOptions): ResolvedTrinoOptions {
  checkOptions("trino()", options, rules);
  for (const name of ["catalog", "schema"] as const) {
    if (options[name] === undefined) {
      throw new ArgumentError(`trino(): \`${name}\` is missing.`, {
        hint: "Pass the catalog and schema in which `siteframe ddl trino` declared the tables.",
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
