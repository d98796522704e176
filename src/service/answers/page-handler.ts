import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Pagination } from "../../api/contract.js";
import type { Endpoint } from "../../api/endpoints.js";
import { type ParsedQuery, parseQuery } from "../../api/parse-query.js";
import type { SnapshotStore } from "../../snapshot/serve/snapshot-store.js";
import { type Access, type StoredPage, StoreMovedError } from "../../snapshot/serve/snapshot-store.js";
import type { Authenticator } from "../requests/authenticator.js";
import { queryDefaults, readTarget, route } from "../requests/route.js";
import type { Answer } from "./answer.js";

const head = Buffer.from('{"data":');

/** A request without its body, which is ignored. */
interface ServiceRequest {
  readonly method: string;
  /** The request target as received. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client no longer waits for the response. */
  readonly signal: AbortSignal;
}

/** Returns the response to a request from a store, or throws the HttpError or ParameterError that refuses it. */
export type Handler = (request: ServiceRequest, store: Store) => Promise<Answer>;

/** Smaller bodies are sent uncompressed: compression would save less than one packet. */
const MIN_COMPRESSED_BYTES = 1024;

/**
 * Handles the seven endpoints. A request is checked for its path first (404), then its method (405), its key (401), and
 * its query (400): an unknown path is reported to every client, and queries without a valid key are not parsed.
 */
export function pageHandler(authenticate: Authenticator, maxPageSize: number): Handler {
  return async (request, store) => {
    const { path, query } = readTarget(request.target);
    const endpoint = route(request.method, path);
    const access = authenticate(request.headers.authorization);
    const { headers, signal } = request;
    return answerAgain(() => answerPage({ endpoint, query, access, headers, signal, maxPageSize }, store));
  };
}

/** The body of a list response, around the unparsed bytes of the store. */
function pageBody(query: ParsedQuery, { data, rowCount }: StoredPage): readonly Uint8Array[] {
  return [head, data, Buffer.from(`,"pagination":${JSON.stringify(paginate(query, rowCount))}}`)];
}

function paginate({ page, pageSize }: ParsedQuery, rowCount: number): Pagination {
  return { page, pageSize, rowCount, pageCount: Math.ceil(rowCount / pageSize) };
}

/** An entity tag depends on the store's version, and is known before its page is read. */
async function answerAgain(answer: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await answer();
    } catch (error) {
      if (!(error instanceof StoreMovedError)) throw error;
    }
  }
}

interface PageRequest {
  readonly endpoint: Endpoint;
  readonly query: string;
  readonly access: Access;
  readonly headers: IncomingHttpHeaders;
  readonly signal: AbortSignal;
  readonly maxPageSize: number;
}

async function answerPage(request: PageRequest, store: Store): Promise<Answer> {
  const { endpoint, access, headers, signal } = request;
  const query = parseQuery(endpoint, request.query, queryDefaults(endpoint, request.maxPageSize));
  const coding = negotiateCoding(headers["accept-encoding"]);
  const tag = entityTag({ version: store.version, endpoint, query, access, coding });
  const common = { ETag: tag, "Cache-Control": "private, no-cache", Vary: "Accept-Encoding" };
  if (namesTag(headers["if-none-match"], tag)) return { status: 304, headers: common, body: [] };

  const stored = await store.page(endpoint, query, access, signal);
  const body = pageBody(query, stored);
  const typed = { ...common, "Content-Type": "application/json; charset=utf-8" };
  if (coding === "identity" || stored.data.byteLength < MIN_COMPRESSED_BYTES) {
    return { status: 200, headers: typed, body, release: stored.release };
  }
  const compressed = await compress(coding, body);
  stored.release?.();
  return { status: 200, headers: { ...typed, "Content-Encoding": coding }, body: [compressed] };
}

/** All inputs of a page's bytes. */
interface PageIdentity {
  readonly version: string;
  readonly endpoint: Endpoint;
  readonly query: ParsedQuery;
  readonly access: Access;
  readonly coding: ContentCoding;
}

/** A strong entity tag: pages with the same tag have the same bytes. It is known before the page is read. */
function entityTag({ version, endpoint, query, access, coding }: PageIdentity): string {
  const { filters, page, pageSize, sort } = query;
  const identity = [version, endpoint.path, [...filters], page, pageSize, sort, access.siteIds ?? null, coding];
  return `"${createHash("sha256").update(JSON.stringify(identity)).digest("base64url").slice(0, 22)}"`;
}

/** Whether an `If-None-Match` header names the tag, by weak comparison (RFC 9110, 13.1.2). */
function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) ?? false;
}

/** The store interface of the service. The code that opened a store closes it. */
export type Store = Omit<SnapshotStore, "close">;

const compressors = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
} as const;

/** How a body is compressed. */
type ContentCoding = "identity" | "gzip" | "br";

/** In order of preference among codings that the client likes equally. */
const preferred: readonly ContentCoding[] = ["br", "gzip", "identity"];

/**
 * Returns the preferred coding of an `Accept-Encoding` header. Identity if it accepts none of the service's codings: a
 * body that the client may still be able to read is more useful than a 406 (RFC 9110, 12.5.3).
 */
export function negotiateCoding(acceptEncoding: string | undefined): ContentCoding {
  if (acceptEncoding === undefined) return "identity";
  const weights = readWeights(acceptEncoding);
  const rest = weights.get("*");
  const weight = (coding: ContentCoding) => {
    const weightOfCoding = weights.get(coding) ?? (coding === "gzip" ? weights.get("x-gzip") : undefined);
    if (weightOfCoding !== undefined) return weightOfCoding;
    // Identity is acceptable without being listed, but any listed coding is preferred.
    return rest ?? (coding === "identity" ? Number.MIN_VALUE : 0);
  };
  const best = preferred.reduce((a, b) => (weight(b) > weight(a) ? b : a));
  return weight(best) > 0 ? best : "identity";
}

function readWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const weight = quality === undefined ? 1 : Number(quality.slice(quality.indexOf("=") + 1));
    if (coding !== "") weights.set(coding, weight >= 0 && weight <= 1 ? weight : 0);
  }
  return weights;
}

/** Compresses a body at the fastest level: the service is mostly read over loopback and local networks. */
async function compress(coding: Exclude<ContentCoding, "identity">, body: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = Buffer.concat(body);
  if (coding === "gzip") return compressors.gzip(whole, { level: constants.Z_BEST_SPEED });
  return compressors.br(whole, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: whole.byteLength },
  });
}
