import type { SortKey } from "../../api/form/endpoint.js";
import type { Page } from "../../api/page.js";
import { fetchPage } from "../listing/fetch-page.js";
import type { PageAddress, SentPage } from "../listing/listing.js";
import { negotiate } from "../listing/open-listing.js";
import type { Paging } from "../listing/paging.js";
import type { Read } from "./read.js";

/**
 * The pages of a read as the service sends them, one after the other. Nothing is repaired: on data that moves, rows
 * can come twice or not at all.
 *
 * @param sort empty for the service's default order
 */
export async function* readPages<T>(
  read: Read<readonly T[]>,
  wanted: Paging,
  sort: readonly SortKey[],
): AsyncGenerator<Page<T>, void> {
  for (const listing of read.listings) {
    const sorted = {
      ...listing,
      fetch: (address: Omit<PageAddress, "sort">, signal: AbortSignal) => listing.fetch({ ...address, sort }, signal),
    };
    const { first, paging } = await negotiate(sorted, { ...wanted, byId: false }, read.signal);
    yield arrived(read, first);
    let { page, pageCount } = first.pagination;
    while (page < pageCount) {
      read.signal.throwIfAborted();
      const next = await fetchPage(sorted, { page: page + 1, pageSize: paging.pageSize }, read.signal);
      // The rows have vanished that this page was to hold.
      if (next.ids.length === 0 && next.pagination.page > next.pagination.pageCount) break;
      yield arrived(read, next);
      ({ page, pageCount } = next.pagination);
    }
  }
}

function arrived<T>(read: Read<readonly T[]>, { content, pagination }: SentPage<readonly T[]>): Page<T> {
  read.tally.rows(content.length);
  return { data: content, pagination };
}
