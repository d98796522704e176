import { LARGEST_PAGE } from "../../api/contract.js";
import type { Endpoint } from "../../api/endpoints.js";
import type { Pagination } from "../../api/page.js";
import type { BadRequestError } from "../../core/errors.js";

/** Number and size of a page to ask for. */
export interface PlannedPage {
  readonly page: number;
  readonly pageSize: number;
}

/** Sizes that are tried for a page at most: the service's word alone must not make work. */
const MOST_SIZES = 10_000;

/**
 * The pages after the first: as few as hold every row, share a row with their forerunner, and leave room for one row
 * more. Pages that share a row prove that no row between them is missing, whatever came and went meanwhile; a last
 * page that is not full proves that no row comes after it, whatever the count says. Planned as they are asked for.
 */
export function planPages({ rowCount, pageSize, pageCount }: Pagination): Iterable<PlannedPage> {
  // A service that hides rows after cutting pages has more pages than its count of rows lets expect.
  const hidden = pageCount > Math.ceil(rowCount / pageSize);
  return overlappingPages(pageSize, hidden ? pageCount * pageSize : rowCount + 1, pageSize);
}

/** The pages after the first one after the other, for a service that cuts pages of one size only. */
export function* plainPages({ pageSize, pageCount }: Pagination): Generator<PlannedPage, void> {
  for (let page = 2; page <= pageCount; page += 1) yield { page, pageSize };
}

/** The pages of a smaller size that hold the rows of one page. */
export function splitPage({ page, pageSize }: PlannedPage, smaller: number): Iterable<PlannedPage> {
  const start = (page - 1) * pageSize;
  return overlappingPages(start + 1, start + pageSize, smaller);
}

/**
 * The fewest pages that reach from `covered` rows to `needed` rows, each beginning before its forerunner ends.
 *
 * A page begins at a multiple of its size, so one that is to begin a row early has to be a little smaller: of all
 * sizes the one that reaches furthest is taken. Who has come further also gets further with the next page, so taking
 * the furthest each time makes the shortest plan.
 *
 * There is no such page where `covered` is a multiple of every size: each 2,520 rows with pages of 10, each
 * 232,792,560 rows with pages of 20. There the next page begins where its forerunner ends.
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
 * The page of at most `largest` rows, and at most 10,000, that shows most of both sides of an offset.
 *
 * @returns undefined if every page begins or ends there
 */
export function pageAround(offset: number, largest: number): PlannedPage | undefined {
  let best: PlannedPage | undefined;
  let widest = 0;
  for (let pageSize = Math.min(largest, MOST_SIZES); pageSize > widest; pageSize -= 1) {
    const page = Math.floor(offset / pageSize) + 1;
    const after = page * pageSize - offset;
    // Before the first page there is nothing to see.
    const width = page === 1 ? after : Math.min(after, pageSize - after);
    if (width > widest) {
      best = { page, pageSize };
      widest = width;
    }
  }
  return best;
}

/** Of the pages that hold a row, the one that ends last. */
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

/** What is asked of an endpoint besides its filters. */
export interface Paging {
  /** Rows in one page; undefined leaves it to the service. */
  readonly pageSize: number | undefined;
  /** Whether rows are asked for in ascending order of id. */
  readonly byId: boolean;
}

const LADDER = [5000, 2000, 1000, 500, 200, 100, 50, 20, 10];
/** Pages are not cut smaller than this for being too much for the service. */
const SMALLEST = 100;

/** The paging to begin with: the largest page allowed or imaginable, in order of id. */
export function firstPaging(endpoint: Endpoint, pageSize: number | undefined): Paging {
  return {
    pageSize: Math.min(pageSize ?? LARGEST_PAGE, endpoint.pageSize.max ?? Number.POSITIVE_INFINITY),
    byId: true,
  };
}

/**
 * Humbler paging after the service refused these with 400, where the specification leaves room: it may refuse a
 * page size whose maximum it does not show, and an order by id that it does not list.
 *
 * A body that blames neither and names no filter leaves open what was wrong; then the order is given up first, the
 * page size last.
 *
 * @returns undefined if the query itself is at fault
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

/** What to remember of terms that the service accepted: a page size only if it is not the one that was wanted. */
export function acceptedPaging(accepted: Paging, wanted: Paging): Paging {
  return accepted.pageSize === wanted.pageSize ? { ...accepted, pageSize: LARGEST_PAGE } : accepted;
}

/** Smaller pages after these were too much for the service; undefined if they are small already. */
export function smallerPaging(paging: Paging): Paging | undefined {
  if (paging.pageSize === undefined || paging.pageSize <= SMALLEST) return undefined;
  return { ...paging, pageSize: Math.max(SMALLEST, Math.ceil(paging.pageSize / 4)) };
}

/** Page sizes to try after one was refused, largest first. */
export function smallerSizes(pageSize: number): readonly number[] {
  return LADDER.filter((rung) => rung < pageSize);
}

function blame(endpoint: Endpoint, body: string): "pageSize" | "sort" | "filter" | "nothing" {
  if (/page_?\s?size/i.test(body)) return "pageSize";
  if (/sort/i.test(body)) return "sort";
  return Object.keys(endpoint.filters).some((name) => body.includes(name)) ? "filter" : "nothing";
}
