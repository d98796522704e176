import { buildQuery } from "../../api/build-query.js";
import type { SortKey } from "../../api/contract.js";
import type { Endpoint } from "../../api/endpoints.js";
import type { ResolvedFilters } from "../../api/filters.js";
import { NetworkError, ProtocolError, ServerError } from "../../core/errors.js";
import { ResponseError, request, type Service } from "../http/request.js";
import type { ResolvedReadOptions } from "../read-options.js";
import type { DecodeContext, DecodedPage, PageDecoder } from "./page-decoder.js";
import { protocolError } from "./protocol-error.js";

/** Number, size and order of a page. */
export interface PageAddress {
  readonly page: number;
  /** Undefined leaves it to the service. */
  readonly pageSize: number | undefined;
  readonly sort: readonly SortKey[];
}

/** A page as it came. */
export interface SentPage<T> extends DecodedPage<T> {
  readonly url: string;
  /** Size of the body after decompression. */
  readonly bytes: number;
  /** Rows of the query before this page, by the page size that the service says it used. */
  readonly offset: number;
  /** Whether the service cut the page to another size than was asked for. */
  readonly resized: boolean;
}

/** The rows of one endpoint that some filters select: few enough filters for one URL. */
export interface PagedQuery<T> {
  readonly endpoint: Endpoint;
  readonly fetch: (address: PageAddress, signal: AbortSignal) => Promise<SentPage<T>>;
}

/** What a query needs besides its filters. */
interface QueryContext<T> {
  readonly service: Service;
  readonly decoder: PageDecoder<T>;
  readonly options: ResolvedReadOptions;
  readonly pseudonym: DecodeContext["pseudonym"];
  readonly onViolation: (url: string, path: string, message: string) => void;
  /** Called with each page that arrives. */
  readonly onPage: (page: SentPage<T>) => void;
}

/** A query that is read over HTTP. Every page is checked against what was asked for. */
export function pagedQuery<T>(endpoint: Endpoint, filters: ResolvedFilters, context: QueryContext<T>): PagedQuery<T> {
  const { decoder, options, pseudonym } = context;
  const { resource } = endpoint;
  return {
    endpoint,
    async fetch(address, signal) {
      const page = await request(context.service, {
        target: `${endpoint.path}?${buildQuery(filters, address)}`,
        decode(body, url) {
          const onViolation = (path: string, message: string) => context.onViolation(url, path, message);
          const decoded = decoder(body, { resource, url, pseudonym, onViolation });
          const resized = decoded.pagination.pageSize !== address.pageSize;
          return { ...decoded, url, bytes: body.length, offset: checkedOffset(decoded, address, url), resized };
        },
        options,
        signal,
      });
      context.onPage(page);
      return page;
    },
  };
}

function checkedOffset({ ids, pagination }: DecodedPage<unknown>, address: PageAddress, url: string): number {
  const { page, pageSize } = pagination;
  if (page !== address.page) {
    const message = `is ${page}, but page ${address.page} was asked for`;
    throw new ResponseError(protocolError(url, "$.pagination.page", message));
  }
  if (ids.length > pageSize) {
    throw protocolError(url, "$.data", `has ${ids.length} rows, more than the page size of ${pageSize} that it states`);
  }
  return (page - 1) * pageSize;
}

/** Whether a page has fewer rows than its size and the count of rows let expect. */
export function isShort({ ids, offset, pagination }: SentPage<unknown>): boolean {
  return ids.length < Math.min(pagination.pageSize, pagination.rowCount - offset);
}

/**
 * Whether a page shows that no row comes after it. Its count of rows alone would not do: a count can be stale, but a
 * page with room to spare would have held a further row.
 */
export function reachesEnd({ ids, offset, pagination }: SentPage<unknown>): boolean {
  return (
    ids.length < pagination.pageSize &&
    offset + ids.length >= pagination.rowCount &&
    // A service that hides rows after cutting pages has short pages before the last.
    pagination.page >= pagination.pageCount
  );
}

/**
 * Whether a request failed to the end in a way that a smaller page may mend: with 5xx, by taking too long, or by an
 * answer beyond the limit. A service that asks to be left alone is not asked for smaller ones.
 */
export function isTooMuch(error: unknown): boolean {
  if (error instanceof NetworkError) return error.facts["problem"] === "timeout";
  if (error instanceof ServerError) return error.facts["retryAfterMs"] === undefined;
  return error instanceof ProtocolError && error.facts["problem"] === "size";
}
