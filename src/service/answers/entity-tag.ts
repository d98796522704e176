import { createHash } from "node:crypto";
import type { Endpoint } from "../../api/endpoints.js";
import type { ParsedQuery } from "../../api/parse-query.js";
import type { Access } from "../../snapshot/serve/snapshot-store.js";
import type { ContentCoding } from "../requests/content-coding.js";

/** What decides the bytes of a page. */
export interface PageIdentity {
  readonly version: string;
  readonly endpoint: Endpoint;
  readonly query: ParsedQuery;
  readonly access: Access;
  readonly coding: ContentCoding;
}

/** A strong entity tag: pages with the same tag have the same bytes. It is known before the page is read. */
export function entityTag({ version, endpoint, query, access, coding }: PageIdentity): string {
  const { filters, page, pageSize, sort } = query;
  const identity = [version, endpoint.path, [...filters], page, pageSize, sort, access.siteIds ?? null, coding];
  return `"${createHash("sha256").update(JSON.stringify(identity)).digest("base64url").slice(0, 22)}"`;
}

/** Whether an `If-None-Match` header names the tag, by weak comparison (RFC 9110, 13.1.2). */
export function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) ?? false;
}
