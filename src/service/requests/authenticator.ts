import { createHash, timingSafeEqual } from "node:crypto";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { Access } from "../../snapshot/serve/snapshot-store.js";
import { HttpError } from "../answers/answer.js";

/** Returns the access of the sender of an `Authorization` header, or throws HttpError 401. */
export type Authenticator = (authorization: string | undefined) => Access;

/**
 * Authentication by `Authorization: ApiKey <key>`. Specification: Authentication.
 *
 * @throws ArgumentError if the list is empty, a key is repeated, or a key cannot be sent
 */
export function authenticator(apiKeys: readonly ApiKey[]): Authenticator {
  const users = apiKeys.map((apiKey) => ({
    digest: sha256(checkApiKey(apiKey, '{ key: "…", siteIds: [12, 15] }').key),
    access: { siteIds: apiKey.siteIds && sortedIds(apiKey.siteIds) },
  }));
  if (users.length === 0)
    throw new ArgumentError("startService(): apiKeys is empty.", { hint: 'Pass a key: apiKeys: [{ key: "…" }].' });
  if (new Set(apiKeys.map(({ key }) => key)).size < users.length) {
    throw new ArgumentError("startService(): apiKeys contains a key twice.", {
      hint: 'Pass each key once, with all its sites: apiKeys: [{ key: "…", siteIds: [12, 15] }].',
    });
  }
  return (authorization) => {
    const digest = sha256(readKey(authorization));
    // Every key is compared, in constant time, so that response times reveal no information about the keys.
    const [match] = users.filter((candidate) => timingSafeEqual(candidate.digest, digest));
    if (match) return match.access;
    throw unauthorized("Invalid API key.");
  };
}

function readKey(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw unauthorized("Missing API key. Send the header Authorization: ApiKey <key>.");
  }
  const key = /^ApiKey +(\S+)$/i.exec(authorization.trim())?.[1];
  if (key !== undefined) return key;
  throw unauthorized("Invalid Authorization header. Send Authorization: ApiKey <key>.");
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

/** A key that the service accepts. */
export interface ApiKey {
  /** The key itself: visible ASCII without `=`. */
  readonly key: string;
  /** Sites that the key is limited to; every site if absent. */
  readonly siteIds?: readonly number[];
}

/**
 * Parses a key in the form of the command line: `KEY`, or `KEY=12,15` for a key limited to sites 12 and 15.
 *
 * @throws ArgumentError; its message does not contain the key
 */
export function parseApiKey(text: string): ApiKey {
  const equals = text.indexOf("=");
  const siteIds =
    equals < 0
      ? undefined
      : text
          .slice(equals + 1)
          .split(",")
          .map(readSiteId);
  const apiKey = { key: equals < 0 ? text : text.slice(0, equals), ...(siteIds && { siteIds }) };
  return checkApiKey(apiKey, "KEY=12,15");
}

/**
 * Returns the key if it can be sent in a header and its site ids are integers.
 *
 * @param limited a key with sites, in the form that the caller accepts
 * @throws ArgumentError; its message does not contain the key
 */
function checkApiKey(apiKey: ApiKey, limited: string): ApiKey {
  if (!/^[!-<>-~]+$/.test(apiKey.key)) {
    throw new ArgumentError("Invalid API key. Use visible ASCII characters other than =.", {
      hint: `Limit a key to sites with ${limited}.`,
    });
  }
  const bad = apiKey.siteIds?.find((siteId) => !Number.isSafeInteger(siteId));
  if (bad === undefined) return apiKey;
  throw new ArgumentError(`Site ids of an API key must be integers, but got ${showValue(bad)}.`);
}

function readSiteId(text: string): number {
  const siteId = /^\d{1,16}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(siteId)) return siteId;
  // A key that contains a = would be shown in part, so the text is omitted.
  throw new ArgumentError("Invalid site ids after the = of an API key.", {
    hint: "Write KEY=12,15. The key itself must not contain a =.",
  });
}
