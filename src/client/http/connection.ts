import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { keyScrub, withoutKey } from "./key-scrub.js";

/** Where the service is and how to be let in, as a caller gives it. */
export interface ConnectionOptions {
  /** Address of the service, for example `https://api.example.com/v1`; a path is kept as prefix. */
  readonly baseUrl?: string | URL | undefined;
  readonly apiKey?: string | undefined;
}

/** A checked address with its key. The key sits in closures, so no inspection, JSON or spread can show it. */
export interface Connection {
  readonly origin: string;
  /** Path before the endpoints' own, without a trailing slash. */
  readonly prefix: string;
  /** The address as text, without a trailing slash and without the key. */
  readonly baseUrl: string;
  /** Value of the `Authorization` header. */
  readonly authorization: () => string;
  /** A value without the key in any of its texts, should a service or proxy have repeated it. Errors stay themselves. */
  readonly withoutKey: <T>(value: T) => T;
}

/**
 * Checks an address and a key.
 *
 * @throws ArgumentError naming the environment variable that `connect()` reads instead
 */
export function resolveConnection(options: ConnectionOptions): Connection {
  const url = resolveBaseUrl(options.baseUrl);
  const key = resolveKey(options.apiKey);
  const prefix = url.pathname.replace(/\/+$/, "");
  const scrub = keyScrub(key);
  return {
    origin: url.origin,
    prefix,
    baseUrl: scrub(`${url.origin}${prefix}`),
    authorization: () => `ApiKey ${key}`,
    withoutKey: (value) => withoutKey(value, scrub),
  };
}

function resolveBaseUrl(baseUrl: string | URL | undefined): URL {
  const hint = "Pass baseUrl, or set SITEFRAME_BASE_URL, to the address of the service: https://api.example.com.";
  if (baseUrl === undefined || baseUrl === "") throw new ArgumentError("No base URL is given.", { hint });
  const url = URL.canParse(String(baseUrl)) ? new URL(baseUrl) : undefined;
  // The text is not repeated where it may hold a password.
  if (!url) throw new ArgumentError("The base URL is not a URL.", { hint });
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ArgumentError(`The base URL is ${showValue(url.protocol)}, not http: or https:.`, { hint });
  }
  if (url.username || url.password) {
    throw new ArgumentError("The base URL holds a user name or password.", {
      hint: "Set SITEFRAME_API_KEY, or pass the key to connect() as apiKey.",
    });
  }
  if (url.search || url.hash) {
    throw new ArgumentError("The base URL holds a query or fragment.", {
      hint: "Filters are parameters of each read. Set SITEFRAME_BASE_URL to the address alone.",
    });
  }
  return url;
}

function resolveKey(apiKey: string | undefined): string {
  const hint = "Set SITEFRAME_API_KEY, or pass apiKey to connect().";
  if (apiKey === undefined || apiKey === "") throw new ArgumentError("No API key is given.", { hint });
  // Anything else could break out of the header.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ArgumentError("The API key holds white space or characters outside ASCII.", { hint });
  }
  return apiKey;
}
