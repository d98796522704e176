import { LARGEST_PAGE, type Pagination } from "../../api/contract.js";
import type { Endpoint } from "../../api/endpoints.js";
import type { BadRequestError } from "../../core/errors.js";

/** Number and size of a page to request. */
export interface PlannedPage {
  readonly page: number;
  readonly pageSize: number;
}

/** Maximum page sizes to try for a page, so that the service's response cannot cause unlimited work. */
const MOST_SIZES = 10_000;

/**
 * Plans the pages after the first: the fewest that contain every row, share a row with the previous page, and have room
 * for one more row. Pages that share a row prove that no row between them is missing, whatever changed meanwhile; a
 * last page that is not full proves that no row follows, whatever the count is. Pages are planned on demand.
 */
export function planPages({ rowCount, pageSize, pageCount }: Pagination): Iterable<PlannedPage> {
  // A service that hides rows after cutting pages has more pages than its row count implies.
  const hidden = pageCount > Math.ceil(rowCount / pageSize);
  return overlappingPages(pageSize, hidden ? pageCount * pageSize : rowCount + 1, pageSize);
}

/** The pages after the first in order, for a service with a fixed page size. */
export function* plainPages({ pageSize, pageCount }: Pagination): Generator<PlannedPage, void> {
  for (let page = 2; page <= pageCount; page += 1) yield { page, pageSize };
}

/** The pages of a smaller size that contain the rows of one page. */
export function splitPage({ page, pageSize }: PlannedPage, smaller: number): Iterable<PlannedPage> {
  const start = (page - 1) * pageSize;
  return overlappingPages(start + 1, start + pageSize, smaller);
}

/**
 * The fewest pages that reach from `covered` rows to `needed` rows, each beginning before the previous one ends.
 *
 * A page begins at a multiple of its size, so a page that must begin one row early has to be slightly smaller. The size
 * that reaches furthest is used; repeating that for each page makes the shortest plan.
 *
 * No such page exists if `covered` is a multiple of every size: each 2,520 rows with pages of 10, each 232,792,560 rows
 * with pages of 20. There the next page begins at the end of the previous one.
 */
export function* overlappingPages(covered: number, needed: number, largest: number): Generator<PlannedPage, void> {
  for (let end = covered; end < needed; ) {
    const overlapping = furthest(end - 1, largest);
    const next = endOf(overlapping) > end ? overlapping : furthest(end, largest);
    yield next;
    end = endOf(next);
  }
}

/**
 * The page of at most `largest` rows, and at most 10,000, that shows most rows on both sides of an offset.
 *
 * @returns undefined if every page begins or ends at the offset
 */
export function pageAround(offset: number, largest: number): PlannedPage | undefined {
  let best: PlannedPage | undefined;
  let widest = 0;
  for (let pageSize = Math.min(largest, MOST_SIZES); pageSize > widest; pageSize -= 1) {
    const page = Math.floor(offset / pageSize) + 1;
    const after = page * pageSize - offset;
    // The first page has no rows before it.
    const width = page === 1 ? after : Math.min(after, pageSize - after);
    if (width > widest) {
      best = { page, pageSize };
      widest = width;
    }
  }
  return best;
}

/** The page that ends last among those with a row. */
function furthest(row: number, largest: number): PlannedPage {
  let best: PlannedPage = { page: row + 1, pageSize: 1 };
  const smallest = largest - MOST_SIZES;
  for (let pageSize = largest; row + pageSize > endOf(best) && pageSize > smallest; pageSize -= 1) {
    const next = { page: Math.floor(row / pageSize) + 1, pageSize };
    if (endOf(next) > endOf(best)) best = next;
  }
  return best;
}

function endOf({ page, pageSize }: PlannedPage): number {
  return page * pageSize;
}

/** Request terms of an endpoint in addition to its filters. */
export interface Paging {
  /** Rows per page; undefined for the service's default. */
  readonly pageSize: number | undefined;
  /** Whether rows are requested in ascending order of id. */
  readonly byId: boolean;
}

const LADDER = [5000, 2000, 1000, 500, 200, 100, 50, 20, 10];
/** Minimum page size after reductions. */
const SMALLEST = 100;

/** The initial paging: the largest allowed or plausible page, in order of id. */
export function firstPaging(endpoint: Endpoint, pageSize: number | undefined): Paging {
  return {
    pageSize: Math.min(pageSize ?? LARGEST_PAGE, endpoint.pageSize.max ?? Number.POSITIVE_INFINITY),
    byId: true,
  };
}

/**
 * Returns reduced paging after the service refused these terms with 400, within the specification: it may refuse a page
 * size whose maximum it does not state, and an order by id that it does not list.
 *
 * If the body names neither and no filter, the cause is unknown; then the order is dropped first, the page size last.
 *
 * @returns undefined if the query itself is invalid
 */
export function fallbackPaging(paging: Paging, endpoint: Endpoint, refused: BadRequestError): Paging | undefined {
  const blamed = blame(endpoint, refused.body);
  const sortOpen = paging.byId && !endpoint.sort.complete;
  const sizeOpen = paging.pageSize !== undefined && endpoint.pageSize.max === null;
  if (blamed === "sort") return sortOpen ? { ...paging, byId: false } : undefined;
  if (blamed === "pageSize") return sizeOpen ? { ...paging, pageSize: smallerSizes(paging.pageSize)[0] } : undefined;
  if (blamed === "filter") return undefined;
  if (sortOpen) return { ...paging, byId: false };
  return sizeOpen ? { ...paging, pageSize: undefined } : undefined;
}

/** Terms to remember for later reads: the page size only if it differs from the requested one. */
export function acceptedPaging(accepted: Paging, requested: Paging): Paging {
  return accepted.pageSize === requested.pageSize ? { ...accepted, pageSize: LARGEST_PAGE } : accepted;
}

/** Smaller pages if these were too much for the service; undefined if they are already small. */
export function smallerPaging(paging: Paging): Paging | undefined {
  if (paging.pageSize === undefined || paging.pageSize <= SMALLEST) return undefined;
  return { ...paging, pageSize: Math.max(SMALLEST, Math.ceil(paging.pageSize / 4)) };
}

/** Page sizes to try after a refusal, largest first. */
export function smallerSizes(pageSize: number): readonly number[] {
  return LADDER.filter((rung) => rung < pageSize);
}

function blame(endpoint: Endpoint, body: string): "pageSize" | "sort" | "filter" | "nothing" {
  if (/page_?\s?size/i.test(body)) return "pageSize";
  if (/sort/i.test(body)) return "sort";
  return Object.keys(endpoint.filters).some((name) => body.includes(name)) ? "filter" : "nothing";
}
