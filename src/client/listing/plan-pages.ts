import type { Pagination } from "../../api/page.js";
import { overlappingPages, type PlannedPage } from "./overlapping-pages.js";

/**
 * The pages after the first: as few as hold every row, share a row with their forerunner, and leave room for one row
 * more. Pages that share a row prove that no row between them is missing, whatever came and went meanwhile; a last
 * page that is not full proves that no row comes after it, whatever the count says.
 */
export function planPages({ rowCount, pageSize, pageCount }: Pagination): readonly PlannedPage[] {
  // A service that hides rows after cutting pages has more pages than its count of rows lets expect.
  const hidden = pageCount > Math.ceil(rowCount / pageSize);
  return overlappingPages(pageSize, hidden ? pageCount * pageSize : rowCount + 1, pageSize);
}

/** The pages after the first one after the other, for a service that cuts pages of one size only. */
export function plainPages({ pageSize, pageCount }: Pagination): readonly PlannedPage[] {
  return Array.from({ length: Math.max(0, pageCount - 1) }, (_, index) => ({ page: index + 2, pageSize }));
}

/** The pages of a smaller size that hold the rows of one page. */
export function splitPage({ page, pageSize }: PlannedPage, smaller: number): readonly PlannedPage[] {
  const start = (page - 1) * pageSize;
  return overlappingPages(start + 1, start + pageSize, smaller);
}
