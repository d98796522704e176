import { ArgumentError } from "../../core/errors.js";
import type { Origin } from "../../core/provenance.js";
import { showValue } from "../../core/show-value.js";
import { type ReadOptions, type ResolvedReadOptions, resolveReadOptions } from "../read-options.js";
import { redactSecret, secretRedactor } from "./redact-secret.js";

/** Address and key of the service, as the caller passes them. */
export interface ConnectionOptions {
  /** Address of the service, for example `https://api.example.com/v1`; a path is kept as prefix. */
  readonly baseUrl?: string | URL | undefined;
  readonly apiKey?: string | undefined;
}

/** A checked address with its key. The key is in closures, so inspection, JSON and spread cannot show it. */
export interface Connection {
  readonly origin: string;
  /** Path before the endpoint paths, without a trailing slash. */
  readonly prefix: string;
  /** The address as a string, without a trailing slash and without the key. */
  readonly baseUrl: string;
  /** Value of the `Authorization` header. */
  readonly authorization: () => string;
  /**
   * Returns a value without the key in any string, in case a service or proxy has repeated it. Errors stay the same
   * objects.
   */
  readonly redactSecret: <T>(value: T) => T;
}

/**
 * Checks an address and a key.
 *
 * @throws ArgumentError with the environment variable that `connect()` reads
 */
export function resolveConnection(options: ConnectionOptions): Connection {
  const url = resolveBaseUrl(options.baseUrl);
  const key = resolveKey(options.apiKey);
  const prefix = url.pathname.replace(/\/+$/, "");
  const scrub = secretRedactor(key);
  return {
    origin: url.origin,
    prefix,
    baseUrl: scrub(`${url.origin}${prefix}`),
    authorization: () => `ApiKey ${key}`,
    redactSecret: (value) => redactSecret(value, scrub),
  };
}

function resolveBaseUrl(baseUrl: string | URL | undefined): URL {
  const hint = "Pass baseUrl, or set SITEFRAME_BASE_URL, to the address of the service: https://api.example.com.";
  if (baseUrl === undefined || baseUrl === "") throw new ArgumentError("connect(): `baseUrl` is missing.", { hint });
  const url = URL.canParse(String(baseUrl)) ? new URL(baseUrl) : undefined;
  // The message does not repeat the address, which may contain a password.
  if (!url) throw new ArgumentError("connect(): `baseUrl` is not a URL.", { hint });
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ArgumentError(`connect(): \`baseUrl\` has the unsupported protocol ${showValue(url.protocol)}.`, {
      hint,
    });
  }
  if (url.username || url.password) {
    throw new ArgumentError("connect(): `baseUrl` contains a user name or password.", {
      hint: "Pass the key as `apiKey`, or set SITEFRAME_API_KEY.",
    });
  }
  if (url.search || url.hash) {
    throw new ArgumentError("connect(): `baseUrl` contains a query or fragment.", {
      hint: "Set SITEFRAME_BASE_URL to the address only, and pass filters to each read: source.layer({ site_id: 12 }).",
    });
  }
  return url;
}

function resolveKey(apiKey: string | undefined): string {
  const hint = 'Pass { apiKey: "…" }, or set SITEFRAME_API_KEY.';
  if (apiKey === undefined || apiKey === "") throw new ArgumentError("connect(): `apiKey` is missing.", { hint });
  // Other characters could end the header.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ArgumentError("connect(): `apiKey` contains white space or characters outside ASCII.", { hint });
  }
  return apiKey;
}

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
