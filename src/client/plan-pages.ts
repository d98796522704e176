import type { Pagination } from "../api/page.js";

/** Number and size of a page to ask for. */
export interface PlannedPage {
  readonly page: number;
  readonly pageSize: number;
}

/**
 * The pages after the first, as few as can hold the rows.
 *
 * Where the last page has room to spare, the room is spent on overlaps: page p is asked for with p - 1 rows less than
 * the largest size, so that it begins p - 1 rows before its forerunner ended. A page in order of id holds every row
 * between its first and its last id, so pages that overlap prove that no row between them is missing, even if rows
 * came and went without changing the count. The proof costs no request.
 *
 * @param overlap whether rows are in order of id, so that overlaps prove something
 */
export function planPages(first: Pagination, overlap: boolean): readonly PlannedPage[] {
  const { rowCount, pageSize, pageCount } = first;
  const least = Math.ceil(rowCount / pageSize);
  const pages = Math.max(least, pageCount);
  const room = overlap && pages === least ? pages * pageSize - rowCount : 0;
  const overlaps = Math.min(pages - 1, Math.floor(room / pages));
  return Array.from({ length: Math.max(0, pages - 1) }, (_, index) => ({
    page: index + 2,
    pageSize: pageSize - Math.min(index + 1, overlaps),
  }));
}

/** The pages of a smaller size that hold the rows of one page. */
export function splitPage({ page, pageSize }: PlannedPage, smaller: number): readonly PlannedPage[] {
  const first = Math.floor(((page - 1) * pageSize) / smaller) + 1;
  const last = Math.ceil((page * pageSize) / smaller);
  return Array.from({ length: last - first + 1 }, (_, index) => ({ page: first + index, pageSize: smaller }));
}

/** A page of at most `largest` rows that has an offset near its middle, so that it shows what is on both sides. */
export function pageAround(offset: number, largest: number): PlannedPage {
  const page = Math.ceil(offset / largest + 0.5);
  const sizes =
    largest > SMALL ? [Math.floor(offset / (page - 0.5))] : Array.from({ length: largest }, (_, i) => i + 1);
  const pages = page === 1 ? [{ page, pageSize: largest }] : sizes.map((size) => pageWith(offset, size));
  return pages.reduce((best, next) => (margin(next, offset) > margin(best, offset) ? next : best));
}

/** Up to this size, rounding matters and every size is tried. */
const SMALL = 64;

function pageWith(offset: number, pageSize: number): PlannedPage {
  return { page: Math.floor(offset / pageSize) + 1, pageSize };
}

function margin({ page, pageSize }: PlannedPage, offset: number): number {
  return Math.min(offset - (page - 1) * pageSize, page * pageSize - offset);
}
