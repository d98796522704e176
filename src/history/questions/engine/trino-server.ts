import { keyScrub } from "../../../client/http/key-scrub.js";
import { withoutKey } from "../../../client/http/without-key.js";
import { ArgumentError } from "../../../core/errors.js";
import { isLoopback } from "../../../core/is-loopback.js";
import { showValue } from "../../../core/show-value.js";
import type { ResolvedTrinoOptions, TrinoAuth, TrinoOptions } from "./trino-options.js";

/** A checked address with its secret. The secret sits in closures, so no inspection, JSON or spread can show it. */
export interface TrinoServer {
  /** What provenance and errors call it: `Trino at https://trino.example.com`. */
  readonly name: string;
  readonly origin: string;
  /** Path before Trino's own, without a trailing slash. */
  readonly prefix: string;
  /** Headers of every request: who asks, and how he is let in. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Headers that a query begins with: where its tables are. */
  readonly sessionHeaders: Readonly<Record<string, string>>;
  /** A value without the secret in any of its texts, should an engine or proxy have repeated it. */
  readonly withoutSecret: <T>(value: T) => T;
}

/**
 * Checks an address and how a user is let in.
 *
 * @throws ArgumentError that shows neither
 */
export function resolveTrinoServer(
  { server, auth }: Pick<TrinoOptions, "server" | "auth">,
  options: ResolvedTrinoOptions,
): TrinoServer {
  const url = resolveAddress(server);
  const secret = resolveAuth(auth, url);
  const authorization = secret === undefined ? {} : authorizationOf(auth, secret, options.user);
  const scrub = secret === undefined ? (text: string) => text : keyScrub(secret);
  const prefix = url.pathname.replace(/\/+$/, "");
  return {
    name: scrub(`Trino at ${url.origin}${prefix}`),
    origin: url.origin,
    prefix,
    headers: () => ({ "x-trino-user": options.user, "x-trino-source": options.source, ...authorization }),
    sessionHeaders: sessionHeaders(options),
    withoutSecret: (value) => withoutKey(value, scrub),
  };
}

function sessionHeaders({ catalog, schema, session }: ResolvedTrinoOptions): Readonly<Record<string, string>> {
  const properties = Object.entries(session).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return {
    "content-type": "text/plain; charset=utf-8",
    "x-trino-catalog": catalog,
    "x-trino-schema": schema,
    // No answer depends on the zone in which an engine stands.
    "x-trino-time-zone": "UTC",
    // Without it Trino rounds instants to milliseconds.
    "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
    ...(properties.length === 0 ? {} : { "x-trino-session": properties.join(",") }),
  };
}

function resolveAddress(server: string | URL | undefined): URL {
  const hint = "Pass the address of Trino's coordinator: https://trino.example.com.";
  if (server === undefined || server === "") throw new ArgumentError("trino() needs the option server.", { hint });
  const url = URL.canParse(String(server)) ? new URL(server) : undefined;
  // The text is not repeated where it may hold a password.
  if (!url) throw new ArgumentError("trino(): server is not a URL.", { hint });
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ArgumentError(`trino(): server is ${showValue(url.protocol)}, not http: or https:.`, { hint });
  }
  if (url.username || url.password) {
    throw new ArgumentError("trino(): server holds a user name or password.", {
      hint: "Pass them as the options user and auth.",
    });
  }
  if (url.search || url.hash) {
    throw new ArgumentError("trino(): server holds a query or fragment.", {
      hint: "Catalog, schema and session are options of their own.",
    });
  }
  return url;
}

function resolveAuth(auth: TrinoAuth | undefined, url: URL): string | undefined {
  if (auth === undefined) return undefined;
  const secret = secretOf(auth);
  const hint = "Pass { password } or { token }.";
  if (secret === undefined) throw new ArgumentError("trino(): auth is neither a password nor a token.", { hint });
  // Anything else could break out of the header.
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(secret)) {
    throw new ArgumentError("trino(): auth is empty, or holds line breaks or characters outside ASCII.", { hint });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ArgumentError("trino(): auth would travel over http:, where others can read it.", {
      hint: "Use the https: address of the engine.",
    });
  }
  return secret;
}

function secretOf(auth: unknown): string | undefined {
  if (typeof auth !== "object" || auth === null) return undefined;
  const [[name, value] = [], ...others] = Object.entries(auth);
  const isKnown = (name === "password" || name === "token") && others.length === 0;
  return isKnown && typeof value === "string" ? value : undefined;
}

function authorizationOf(auth: TrinoAuth | undefined, secret: string, user: string): { authorization: string } {
  const isToken = auth !== undefined && "token" in auth;
  const basic = () => `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
  return { authorization: isToken ? `Bearer ${secret}` : basic() };
}
