import type { SortKey } from "../../api/endpoint.js";
import { BadRequestError } from "../../core/errors.js";
import { isShort } from "./is-short.js";
import { isTooMuch } from "./is-too-much.js";
import type { Listing, PageAddress, SentPage } from "./listing.js";
import { humblerTerms, rungsBelow, smallerTerms, type Terms } from "./paging.js";

/** A listing whose first page has come, and with it the terms that the service accepts. */
export interface OpenListing<T> {
  readonly resource: string;
  readonly first: SentPage<T>;
  readonly terms: Terms;
  /** Whether the service sends rows in ascending order of id. */
  readonly ordered: boolean;
  readonly fetch: (page: Omit<PageAddress, "sort">, signal: AbortSignal) => Promise<SentPage<T>>;
}

interface Opening<T> {
  readonly first: SentPage<T>;
  readonly terms: Terms;
}

const BY_ID: readonly SortKey[] = [{ field: "id", descending: false }];

/** Fetches the first page of a listing, on humbler terms as often as the service refuses. */
export async function openListing<T>(listing: Listing<T>, wanted: Terms, signal: AbortSignal): Promise<OpenListing<T>> {
  const opening = await climb(listing, wanted, await negotiate(listing, wanted, signal), signal);
  const sort = sortOf(opening.terms);
  const again = isShort(opening.first) ? await fetchFirst(listing, opening.terms, signal) : opening.first;
  return {
    resource: listing.endpoint.resource,
    first: again,
    terms: opening.terms,
    ordered: opening.terms.byId && again.ids.isAscending(0, again.ids.length),
    fetch: (planned, pageSignal) => listing.fetch({ ...planned, sort }, pageSignal),
  };
}

/** Fetches the first page on the best terms that the service accepts. */
export async function negotiate<T>(listing: Listing<T>, wanted: Terms, signal: AbortSignal): Promise<Opening<T>> {
  for (let terms = wanted; ; ) {
    try {
      return { first: await fetchFirst(listing, terms, signal), terms };
    } catch (error) {
      const next = isTooMuch(error)
        ? smallerTerms(terms)
        : error instanceof BadRequestError && humblerTerms(terms, listing.endpoint, error);
      if (!next) throw error;
      terms = next;
    }
  }
}

/** After the service refused our page size without saying so and was given the choice, look for a larger one. */
async function climb<T>(
  listing: Listing<T>,
  wanted: Terms,
  opening: Opening<T>,
  signal: AbortSignal,
): Promise<Opening<T>> {
  const { pageSize, rowCount } = opening.first.pagination;
  if (wanted.pageSize === undefined || opening.terms.pageSize !== undefined || rowCount <= pageSize) return opening;
  for (const rung of rungsBelow(wanted.pageSize).filter((size) => size > pageSize)) {
    const terms = { ...opening.terms, pageSize: rung };
    try {
      return { first: await fetchFirst(listing, terms, signal), terms };
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
    }
  }
  return opening;
}

function fetchFirst<T>(listing: Listing<T>, terms: Terms, signal: AbortSignal): Promise<SentPage<T>> {
  return listing.fetch({ page: 1, pageSize: terms.pageSize, sort: sortOf(terms) }, signal);
}

function sortOf(terms: Terms): readonly SortKey[] {
  return terms.byId ? BY_ID : [];
}
