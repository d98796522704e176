import { ArgumentError } from "../core/errors.js";
import { showValue } from "../core/show-value.js";
import type { ServedRequest } from "./answers/respond.js";
import type { Faults } from "./faults/faults.js";
import { checkFaults } from "./faults/parse-faults.js";
import { defaultLimits, type Limits } from "./limits.js";
import type { ApiKey } from "./requests/api-key.js";
import { type Authenticator, authenticator } from "./requests/authenticator.js";
import type { Store } from "./store/store.js";

/** Options of `startService`. */
export interface ServiceOptions {
  /** Where the rows are. It stays open when the service closes. */
  readonly store: Store;
  /** Keys that are accepted, at least one. */
  readonly apiKeys: readonly ApiKey[];
  /** Port to listen on; 0, the default, picks a free one. */
  readonly port?: number;
  /** Address to listen on; `127.0.0.1` by default, which other machines cannot reach. */
  readonly host?: string;
  /** Largest `_pageSize`, 10,000 by default. Where the specification states a lower one, that one holds. */
  readonly maxPageSize?: number;
  readonly limits?: Partial<Limits>;
  /** What goes wrong on purpose. */
  readonly faults?: Faults;
  readonly onRequest?: (request: ServedRequest) => void;
}

/** Checked options, with every default filled in. */
export interface ResolvedOptions {
  readonly store: Store;
  readonly authenticate: Authenticator;
  readonly port: number;
  readonly host: string;
  readonly maxPageSize: number;
  readonly limits: Limits;
  readonly faults: Faults;
  readonly onRequest: (request: ServedRequest) => void;
}

/** @throws ArgumentError naming the option and the value */
export function resolveOptions(options: ServiceOptions): ResolvedOptions {
  const { store, port = 0, host = "127.0.0.1", maxPageSize = 10_000, faults = {}, onRequest = () => {} } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ArgumentError(`port must be an integer from 0 to 65535, but got ${showValue(port)}.`);
  }
  if (!Number.isSafeInteger(maxPageSize) || maxPageSize < 1) {
    throw new ArgumentError(`maxPageSize must be a positive integer, but got ${showValue(maxPageSize)}.`);
  }
  return {
    store,
    authenticate: authenticator(options.apiKeys),
    port,
    host,
    maxPageSize,
    limits: { ...defaultLimits, ...options.limits },
    faults: checkFaults(faults),
    onRequest,
  };
}
