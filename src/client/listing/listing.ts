import { buildQuery } from "../../api/build-query.js";
import type { Endpoint } from "../../api/endpoints.js";
import type { SortKey } from "../../api/form/endpoint.js";
import type { ResolvedFilters } from "../../api/params.js";
import type { ResolvedReadOptions } from "../ask/resolve-read-options.js";
import { AnswerSlip } from "../http/answer-slip.js";
import { request, type Service } from "../http/request.js";
import type { DecodeContext, DecodedPage, PageDecoder } from "../page/page-decoder.js";
import { protocolError } from "../page/protocol-error.js";

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
  /** Rows of the listing before this page, by the page size that the service says it used. */
  readonly offset: number;
  /** Whether the service cut the page to another size than was asked for. */
  readonly resized: boolean;
}

/** The rows of one endpoint that some filters select: few enough filters for one URL. */
export interface Listing<T> {
  readonly endpoint: Endpoint;
  readonly fetch: (address: PageAddress, signal: AbortSignal) => Promise<SentPage<T>>;
}

/** What a listing needs besides its filters. */
export interface ListingContext<T> {
  readonly service: Service;
  readonly decoder: PageDecoder<T>;
  readonly options: ResolvedReadOptions;
  readonly pseudonym: DecodeContext["pseudonym"];
  readonly onViolation: (url: string, path: string, message: string) => void;
  /** Called with each page that arrives. */
  readonly onPage: (page: SentPage<T>) => void;
}

/** A listing that is read over HTTP. Every page is checked against what was asked for. */
export function listing<T>(endpoint: Endpoint, filters: ResolvedFilters, context: ListingContext<T>): Listing<T> {
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
    throw new AnswerSlip(protocolError(url, "$.pagination.page", message));
  }
  if (ids.length > pageSize) {
    throw protocolError(url, "$.data", `has ${ids.length} rows, more than the page size of ${pageSize} that it states`);
  }
  return (page - 1) * pageSize;
}
