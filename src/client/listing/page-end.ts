import type { SentPage } from "./listing.js";

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
