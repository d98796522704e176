import type { SortKey } from "../../api/contract.js";
import { ApiError, BadRequestError } from "../../core/errors.js";
import { IdList } from "./page-decoder.js";
import { fallbackPaging, type Paging, type PlannedPage, smallerPaging, smallerSizes, splitPage } from "./page-plan.js";
import { isShort, isTooMuch, type PageAddress, type PagedQuery, type SentPage } from "./paged-query.js";

/** A query after its first page, with the terms that the service accepts. */
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

/** Fetches the first page of a query, with reduced terms as often as the service refuses. */
export async function openQuery<T>(
  query: PagedQuery<T>,
  requested: Paging,
  signal: AbortSignal,
): Promise<OpenQuery<T>> {
  const opening = await climb(query, requested, await negotiate(query, requested, signal), signal);
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
export async function negotiate<T>(query: PagedQuery<T>, requested: Paging, signal: AbortSignal): Promise<Opening<T>> {
  for (let paging = requested; ; ) {
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

/** Searches for a larger page size after the service refused ours without stating a maximum and used its own. */
async function climb<T>(
  query: PagedQuery<T>,
  requested: Paging,
  opening: Opening<T>,
  signal: AbortSignal,
): Promise<Opening<T>> {
  const { pageSize, rowCount } = opening.first.pagination;
  if (requested.pageSize === undefined || opening.paging.pageSize !== undefined || rowCount <= pageSize) return opening;
  for (const rung of smallerSizes(requested.pageSize).filter((size) => size > pageSize)) {
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
 * Fetches a page. After rows have vanished, it may be beyond the end, and some services refuse it instead of sending an
 * empty page. Then the first page gives the remaining row count, and an empty page is returned.
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
        // Content needs a decoder and a body, so the first page's content is used, without ids.
        return { ...first, ids: new IdList([]), offset, pagination: { ...first.pagination, page: planned.page } };
      }
      // Rows may have returned meanwhile.
      if (tries === TRIES) throw error;
    }
  }
}

function isRefusedPage(error: unknown): boolean {
  return error instanceof ApiError && [400, 404, 416].includes(error.status);
}

/** Fetches a page, or several smaller ones if it is too much for the service. */
export async function fetchRange<T>(
  query: OpenQuery<T>,
  planned: PlannedPage,
  signal: AbortSignal,
): Promise<readonly SentPage<T>[]> {
  try {
    const page = await fetchPage(query, planned, signal);
    // A short page before the end may be a mistake of the service, so it is requested twice.
    return [isShort(page) ? await fetchPage(query, planned, signal) : page];
  } catch (error) {
    const smaller = isTooMuch(error) ? smallerPaging({ ...query.paging, pageSize: planned.pageSize }) : undefined;
    if (smaller?.pageSize === undefined) throw error;
    const pages: SentPage<T>[] = [];
    for (const part of splitPage(planned, smaller.pageSize)) pages.push(...(await fetchRange(query, part, signal)));
    return pages;
  }
}
