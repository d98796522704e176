import type { SortKey } from "../../api/contract.js";
import type { Endpoint } from "../../api/endpoints.js";
import type { FilterValue, ResolvedFilters } from "../../api/filters.js";
import { NetworkError, ProtocolError, ServerError } from "../../core/errors.js";
import { ResponseError, request, type Service } from "../http/request.js";
import type { ResolvedReadOptions } from "../read-options.js";
import type { DecodeContext, DecodedPage, PageDecoder } from "./page-decoder.js";
import { protocolError } from "./protocol-error.js";

/** Number, size and order of a page. */
export interface PageAddress {
  readonly page: number;
  /** Rows per page; undefined for the service's default. */
  readonly pageSize: number | undefined;
  readonly sort: readonly SortKey[];
}

/** A received page. */
export interface SentPage<T> extends DecodedPage<T> {
  readonly url: string;
  /** Size of the body after decompression. */
  readonly bytes: number;
  /** Rows of the query before this page, by the page size stated by the service. */
  readonly offset: number;
  /** Whether the service used another page size than requested. */
  readonly resized: boolean;
}

/** The rows of an endpoint for filters that fit into one URL. */
export interface PagedQuery<T> {
  readonly endpoint: Endpoint;
  readonly fetch: (address: PageAddress, signal: AbortSignal) => Promise<SentPage<T>>;
}

/** Context of a query in addition to its filters. */
interface QueryContext<T> {
  readonly service: Service;
  readonly decoder: PageDecoder<T>;
  readonly options: ResolvedReadOptions;
  readonly pseudonym: DecodeContext["pseudonym"];
  readonly onViolation: (url: string, path: string, message: string) => void;
  /** Called with each received page. */
  readonly onPage: (page: SentPage<T>) => void;
}

/** Returns a query over HTTP. Every page is checked against its request. */
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
    const message = `is ${page}, but page ${address.page} was requested`;
    throw new ResponseError(protocolError(url, "$.pagination.page", message));
  }
  if (ids.length > pageSize) {
    throw protocolError(url, "$.data", `has ${ids.length} rows, more than its stated page size of ${pageSize}`);
  }
  return (page - 1) * pageSize;
}

/** Whether a page has fewer rows than expected from its size and the row count. */
export function isShort({ ids, offset, pagination }: SentPage<unknown>): boolean {
  return ids.length < Math.min(pagination.pageSize, pagination.rowCount - offset);
}

/**
 * Whether a page shows that no row follows. Its row count alone does not: a count can be outdated, but a page with room
 * would have contained a further row.
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
 * Whether a request failed in a way that a smaller page may fix: with 5xx, a timeout, or a response beyond the limit.
 * It is false if the service asked for a wait.
 */
export function isTooMuch(error: unknown): boolean {
  if (error instanceof NetworkError) return error.facts["problem"] === "timeout";
  if (error instanceof ServerError) return error.facts["retryAfterMs"] === undefined;
  return error instanceof ProtocolError && error.facts["problem"] === "size";
}

/** Page and order of one request. */
export interface Paging {
  readonly page: number;
  readonly pageSize?: number | undefined;
  readonly sort?: readonly SortKey[] | undefined;
}

/**
 * Returns the query string of one request, without the question mark.
 *
 * Arrays repeat their name. If null is among the values, all use the bracketed form and null is the empty value
 * (`operation_id[]=7&operation_id[]=`). An ascending sort is sent as `%2B`, since a literal `+` decodes to a space.
 * Specification: Common conventions.
 */
export function buildQuery(filters: ResolvedFilters, paging: Paging): string {
  const pairs: string[] = [];
  for (const [name, values] of filters) {
    const key = encodeURIComponent(values.includes(null) ? `${name}[]` : name);
    for (const value of values) pairs.push(`${key}=${encodeValue(value)}`);
  }
  pairs.push(`_page=${paging.page}`);
  if (paging.pageSize !== undefined) pairs.push(`_pageSize=${paging.pageSize}`);
  for (const { field, descending } of paging.sort ?? []) {
    pairs.push(`_sortBy=${descending ? "-" : "%2B"}${encodeURIComponent(field)}`);
  }
  return pairs.join("&");
}

function encodeValue(value: FilterValue): string {
  return value === null ? "" : encodeURIComponent(value);
}
