import { createHash, timingSafeEqual } from "node:crypto";
import { ArgumentError } from "../../core/errors.js";
import type { Access } from "../../snapshot/serve/snapshot-store.js";
import { type ApiKey, checkApiKey } from "./api-key.js";
import { HttpError } from "./http-error.js";

/** Tells what the sender of an `Authorization` header may read, or throws HttpError 401. */
export type Authenticator = (authorization: string | undefined) => Access;

/**
 * Authentication by `Authorization: ApiKey <key>`. Specification: Authentication.
 *
 * @throws ArgumentError for no key, a key given twice, or one that cannot be sent
 */
export function authenticator(apiKeys: readonly ApiKey[]): Authenticator {
  const known = apiKeys.map((apiKey) => ({
    digest: sha256(checkApiKey(apiKey).key),
    access: { siteIds: apiKey.siteIds && sortedIds(apiKey.siteIds) },
  }));
  if (known.length === 0) throw new ArgumentError("The service needs at least one API key.");
  if (new Set(apiKeys.map(({ key }) => key)).size < known.length) {
    throw new ArgumentError("An API key is given twice.", { hint: "Name all sites of a key in one place." });
  }
  return (authorization) => {
    const digest = sha256(readKey(authorization));
    // Every key is compared, in constant time, so that the time of an answer tells nothing about any of them.
    const [match] = known.filter((candidate) => timingSafeEqual(candidate.digest, digest));
    if (match) return match.access;
    throw unauthorized("The API key is not valid.");
  };
}

function readKey(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw unauthorized("An API key is required. Send the header Authorization: ApiKey <key>.");
  }
  const key = /^ApiKey +(\S+)$/i.exec(authorization.trim())?.[1];
  if (key !== undefined) return key;
  throw unauthorized("The Authorization header must be the word ApiKey, a space and the key.");
}

function unauthorized(message: string): HttpError {
  return new HttpError(401, "unauthorized", message, { "WWW-Authenticate": 'ApiKey realm="siteframe"' });
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function sortedIds(siteIds: readonly number[]): readonly number[] {
  return [...new Set(siteIds)].sort((a, b) => a - b);
}
