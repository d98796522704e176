import type { SortKey } from "../../api/form/endpoint.js";
import { BadRequestError } from "../../core/errors.js";
import { isTooMuch } from "./is-too-much.js";
import type { Listing, PageAddress, SentPage } from "./listing.js";
import { isShort } from "./page-end.js";
import { humblerPaging, type Paging, rungsBelow, smallerPaging } from "./paging.js";

/** A listing whose first page has come, and with it the terms that the service accepts. */
export interface OpenListing<T> {
  readonly resource: string;
  readonly first: SentPage<T>;
  readonly paging: Paging;
  /** Whether the service sends rows in ascending order of id. */
  readonly ordered: boolean;
  readonly fetch: (page: Omit<PageAddress, "sort">, signal: AbortSignal) => Promise<SentPage<T>>;
}

interface Opening<T> {
  readonly first: SentPage<T>;
  readonly paging: Paging;
}

const BY_ID: readonly SortKey[] = [{ field: "id", descending: false }];

/** Fetches the first page of a listing, on humbler terms as often as the service refuses. */
export async function openListing<T>(
  listing: Listing<T>,
  wanted: Paging,
  signal: AbortSignal,
): Promise<OpenListing<T>> {
  const opening = await climb(listing, wanted, await negotiate(listing, wanted, signal), signal);
  const sort = sortOf(opening.paging);
  const again = isShort(opening.first) ? await fetchFirst(listing, opening.paging, signal) : opening.first;
  return {
    resource: listing.endpoint.resource,
    first: again,
    paging: opening.paging,
    ordered: opening.paging.byId && again.ids.isAscending(0, again.ids.length),
    fetch: (planned, pageSignal) => listing.fetch({ ...planned, sort }, pageSignal),
  };
}

/** Fetches the first page on the best terms that the service accepts. */
export async function negotiate<T>(listing: Listing<T>, wanted: Paging, signal: AbortSignal): Promise<Opening<T>> {
  for (let paging = wanted; ; ) {
    try {
      return { first: await fetchFirst(listing, paging, signal), paging };
    } catch (error) {
      const next = isTooMuch(error)
        ? smallerPaging(paging)
        : error instanceof BadRequestError && humblerPaging(paging, listing.endpoint, error);
      if (!next) throw error;
      paging = next;
    }
  }
}

/** After the service refused our page size without saying so and was given the choice, look for a larger one. */
async function climb<T>(
  listing: Listing<T>,
  wanted: Paging,
  opening: Opening<T>,
  signal: AbortSignal,
): Promise<Opening<T>> {
  const { pageSize, rowCount } = opening.first.pagination;
  if (wanted.pageSize === undefined || opening.paging.pageSize !== undefined || rowCount <= pageSize) return opening;
  for (const rung of rungsBelow(wanted.pageSize).filter((size) => size > pageSize)) {
    const paging = { ...opening.paging, pageSize: rung };
    try {
      return { first: await fetchFirst(listing, paging, signal), paging };
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
    }
  }
  return opening;
}

function fetchFirst<T>(listing: Listing<T>, paging: Paging, signal: AbortSignal): Promise<SentPage<T>> {
  return listing.fetch({ page: 1, pageSize: paging.pageSize, sort: sortOf(paging) }, signal);
}

function sortOf(paging: Paging): readonly SortKey[] {
  return paging.byId ? BY_ID : [];
}
