import { Coverage } from "./coverage.js";
import { driftError } from "./drift-error.js";
import { fetchRange } from "./fetch-range.js";
import { inOrder } from "./in-order.js";
import { isAscending } from "./is-ascending.js";
import type { SentPage } from "./listing.js";
import type { OpenListing } from "./open-listing.js";
import { pageAround, planPages } from "./plan-pages.js";
import { protocolError } from "./protocol-error.js";
import { RowCounts } from "./row-counts.js";
import type { Slice } from "./sweep.js";

/** Smaller pages cannot be laid around every offset. */
const SMALLEST_PROOF = 10;

/**
 * Reads a listing that is in ascending order of id.
 *
 * First the planned pages. What they cover is proved (see Coverage). Gaps that remain between pages are accepted if
 * nothing moved: every page stated the same count of rows, as many rows came, and pages that should overlap did.
 * Otherwise each gap is read again by a page laid around it, until none is left: that is the proof, and it needs no
 * moment of calm.
 */
export async function* sweepById<T>(
  listing: OpenListing<T>,
  lookahead: number,
  signal: AbortSignal,
): AsyncGenerator<Slice<T>, void> {
  const { first } = listing;
  const coverage = new Coverage();
  const counts = new RowCounts();
  let rows = 0;
  let requests = 0;
  const take = (page: SentPage<T>): Slice<T>[] => {
    requireAscending(page);
    requests += 1;
    counts.add(page.pagination);
    const slices = coverage.fill(page).map(([start, end]) => ({ content: page.content, ids: page.ids, start, end }));
    rows += slices.reduce((sum, slice) => sum + slice.end - slice.start, 0);
    return slices;
  };

  yield* take(first);
  const plan = planPages(first.pagination, true);
  for await (const pages of inOrder(plan, lookahead, (planned) => fetchRange(listing, planned, signal))) {
    yield* pages.flatMap(take);
  }
  const calm = !coverage.moved && counts.allAre(rows);
  const budget = 2 * requests + 20;
  const largest = Math.max(SMALLEST_PROOF, first.pagination.pageSize);
  while (!calm && coverage.gaps.length > 0) {
    if (requests >= budget) {
      const open = coverage.gaps.length;
      throw driftError(listing.resource, `${open} gaps between pages would not close`, rows, requests, counts);
    }
    const around = coverage.gaps.slice(0, lookahead).map((gap) => pageAround((gap.low + gap.high) >>> 1, largest));
    for await (const pages of inOrder(around, lookahead, (planned) => fetchRange(listing, planned, signal))) {
      yield* pages.flatMap(take);
    }
  }
  if (rows < counts.least) {
    throw driftError(listing.resource, "fewer rows came than any page counted", rows, requests, counts);
  }
}

function requireAscending({ ids, url }: SentPage<unknown>): void {
  if (isAscending(ids)) return;
  throw protocolError(url, "$.data", "is not in the order of id that was asked for and that earlier pages had");
}
