import { ApiError } from "../../core/errors.js";
import { IdList } from "../page/id-list.js";
import type { PageAddress, SentPage } from "./listing.js";
import type { OpenListing } from "./open-listing.js";

const TRIES = 3;

/**
 * Fetches a page. When rows vanish it may lie beyond the end by now, which some services refuse instead of sending an
 * empty page: then the first page tells how many rows are left, and an empty page is given.
 */
export async function fetchPage<T>(
  listing: Pick<OpenListing<T>, "fetch">,
  planned: Omit<PageAddress, "sort">,
  signal: AbortSignal,
): Promise<SentPage<T>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await listing.fetch(planned, signal);
    } catch (error) {
      if (planned.page === 1 || !isRefusedPage(error)) throw error;
      const first = await listing.fetch({ ...planned, page: 1 }, signal);
      const offset = (planned.page - 1) * first.pagination.pageSize;
      if (first.pagination.rowCount <= offset) {
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
