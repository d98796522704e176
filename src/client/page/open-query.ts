import type { SortKey } from "../../api/contract.js";
import { ApiError, BadRequestError } from "../../core/errors.js";
import { IdList } from "./page-decoder.js";
import { fallbackPaging, type Paging, type PlannedPage, smallerPaging, smallerSizes, splitPage } from "./page-plan.js";
import { isShort, isTooMuch, type PageAddress, type PagedQuery, type SentPage } from "./paged-query.js";

/** A query whose first page has come, and with it the terms that the service accepts. */
export interface OpenQuery<T> {
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

/** Fetches the first page of a query, on humbler terms as often as the service refuses. */
export async function openQuery<T>(query: PagedQuery<T>, wanted: Paging, signal: AbortSignal): Promise<OpenQuery<T>> {
  const opening = await climb(query, wanted, await negotiate(query, wanted, signal), signal);
  const sort = sortOf(opening.paging);
  const again = isShort(opening.first) ? await fetchFirst(query, opening.paging, signal) : opening.first;
  return {
    resource: query.endpoint.resource,
    first: again,
    paging: opening.paging,
    ordered: opening.paging.byId && again.ids.isAscending(0, again.ids.length),
    fetch: (planned, pageSignal) => query.fetch({ ...planned, sort }, pageSignal),
  };
}

/** Fetches the first page on the best terms that the service accepts. */
export async function negotiate<T>(query: PagedQuery<T>, wanted: Paging, signal: AbortSignal): Promise<Opening<T>> {
  for (let paging = wanted; ; ) {
    try {
      return { first: await fetchFirst(query, paging, signal), paging };
    } catch (error) {
      const next = isTooMuch(error)
        ? smallerPaging(paging)
        : error instanceof BadRequestError && fallbackPaging(paging, query.endpoint, error);
      if (!next) throw error;
      paging = next;
    }
  }
}

/** After the service refused our page size without saying so and was given the choice, look for a larger one. */
async function climb<T>(
  query: PagedQuery<T>,
  wanted: Paging,
  opening: Opening<T>,
  signal: AbortSignal,
): Promise<Opening<T>> {
  const { pageSize, rowCount } = opening.first.pagination;
  if (wanted.pageSize === undefined || opening.paging.pageSize !== undefined || rowCount <= pageSize) return opening;
  for (const rung of smallerSizes(wanted.pageSize).filter((size) => size > pageSize)) {
    const paging = { ...opening.paging, pageSize: rung };
    try {
      return { first: await fetchFirst(query, paging, signal), paging };
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
    }
  }
  return opening;
}

function fetchFirst<T>(query: PagedQuery<T>, paging: Paging, signal: AbortSignal): Promise<SentPage<T>> {
  return query.fetch({ page: 1, pageSize: paging.pageSize, sort: sortOf(paging) }, signal);
}

function sortOf(paging: Paging): readonly SortKey[] {
  return paging.byId ? BY_ID : [];
}

const TRIES = 3;

/**
 * Fetches a page. When rows vanish it may lie beyond the end by now, which some services refuse instead of sending an
 * empty page: then the first page tells how many rows are left, and an empty page is given.
 */
export async function fetchPage<T>(
  query: Pick<OpenQuery<T>, "fetch">,
  planned: Omit<PageAddress, "sort">,
  signal: AbortSignal,
): Promise<SentPage<T>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await query.fetch(planned, signal);
    } catch (error) {
      if (planned.page === 1 || !isRefusedPage(error)) throw error;
      const first = await query.fetch({ ...planned, page: 1 }, signal);
      const offset = (planned.page - 1) * first.pagination.pageSize;
      if (first.pagination.rowCount <= offset) {
        // No decoder makes content without a body: that of the first page stands there, and no id says that it counts.
        return { ...first, ids: new IdList([]), offset, pagination: { ...first.pagination, page: planned.page } };
      }
      // Rows may have come back in between.
      if (tries === TRIES) throw error;
    }
  }
}

function isRefusedPage(error: unknown): boolean {
  return error instanceof ApiError && [400, 404, 416].includes(error.status);
}

/** Fetches a page; in several smaller ones if it is too much for the service. */
export async function fetchRange<T>(
  query: OpenQuery<T>,
  planned: PlannedPage,
  signal: AbortSignal,
): Promise<readonly SentPage<T>[]> {
  try {
    const page = await fetchPage(query, planned, signal);
    // A page that is short without being the last may be a slip of the service: it is asked for twice.
    return [isShort(page) ? await fetchPage(query, planned, signal) : page];
  } catch (error) {
    const smaller = isTooMuch(error) ? smallerPaging({ ...query.paging, pageSize: planned.pageSize }) : undefined;
    if (smaller?.pageSize === undefined) throw error;
    const pages: SentPage<T>[] = [];
    for (const part of splitPage(planned, smaller.pageSize)) pages.push(...(await fetchRange(query, part, signal)));
    return pages;
  }
}
