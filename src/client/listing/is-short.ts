import type { SentPage } from "./listing.js";

/** Whether a page has fewer rows than its size and the count of rows let expect. */
export function isShort({ ids, offset, pagination }: SentPage<unknown>): boolean {
  return ids.length < Math.min(pagination.pageSize, pagination.rowCount - offset);
}
