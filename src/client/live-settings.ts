import type { Origin } from "../core/provenance.js";
import { type Connection, type ConnectionOptions, resolveConnection } from "./http/connection.js";
import { type ReadOptions, type ResolvedReadOptions, resolveReadOptions } from "./read-options.js";

/** Address, key, and options of every read. */
export type LiveOptions = ConnectionOptions & ReadOptions;

/** Checked settings of a live reader. */
export interface LiveSettings {
  readonly connection: Connection;
  readonly origin: Origin;
  /** Options of every read, which a call can override. */
  readonly defaults: ReadOptions;
  readonly resolved: ResolvedReadOptions;
}

/**
 * Checks the address, the key and the options of a live reader.
 *
 * @throws ArgumentError if one of them is invalid
 */
export function liveSettings({ baseUrl, apiKey, ...defaults }: LiveOptions): LiveSettings {
  const connection = resolveConnection({ baseUrl, apiKey });
  const origin: Origin = { kind: "live", name: connection.baseUrl };
  return { connection, origin, defaults, resolved: resolveReadOptions(defaults) };
}
