import { fetchRange } from "../listing/fetch-range.js";
import type { SentPage } from "../listing/listing.js";
import type { OpenListing } from "../listing/open-listing.js";
import { isShort } from "../listing/page-end.js";
import { type PlannedPage, pageAround, plainPages, planPages } from "../listing/plan-pages.js";
import { protocolError } from "../page/protocol-error.js";
import { BarrenRun } from "./barren-run.js";
import { Coverage, type Gap } from "./coverage.js";
import { driftError } from "./drift-error.js";
import { type Lookahead, orderedLookahead } from "./ordered-lookahead.js";
import type { Slice } from "./slice.js";
import { StatedCounts } from "./stated-counts.js";

/**
 * Reads a listing that is in ascending order of id.
 *
 * First the planned pages, which overlap. What they cover is proved (see Coverage). If rows moved, gaps may remain
 * between pages: each is read again by a page laid around it, until none is left. That needs no moment of calm.
 *
 * A gap that no page can show both sides of is accepted if nothing moved: every page stated the same count of rows,
 * and as many rows came. There are such gaps where the service's largest page has less than ten rows, and where it is
 * stubborn: it cuts pages of one size whatever is asked for, or hides rows after cutting them.
 */
export async function* sweepById<T>(
  listing: OpenListing<T>,
  lookahead: Lookahead,
  signal: AbortSignal,
): AsyncGenerator<Slice<T>, void> {
  const { first } = listing;
  const largest = first.pagination.pageSize;
  const coverage = new Coverage();
  const counts = new StatedCounts();
  const barren = new BarrenRun();
  let rows = 0;
  let requests = 0;
  let stubborn = false;
  const take = (page: SentPage<T>): Slice<T>[] => {
    requireAscending(page);
    requests += 1;
    counts.add(page.pagination);
    stubborn ||= isShort(page) || (page !== first && page.resized);
    const slices = coverage.fill(page).map(([start, end]) => ({ content: page.content, ids: page.ids, start, end }));
    rows += slices.reduce((sum, slice) => sum + slice.end - slice.start, 0);
    return slices;
  };
  const read = async function* (plan: Iterable<PlannedPage>) {
    for await (const pages of orderedLookahead(plan, lookahead, (planned) => fetchRange(listing, planned, signal))) {
      yield pages.flatMap(take);
    }
  };
  const drift = (why: string) => driftError(listing.resource, why, rows, requests, counts);

  yield* take(first);
  for await (const slices of read(planPages(first.pagination))) {
    yield* slices;
    const why = barren.add(slices.length === 0);
    if (why) throw drift(why);
  }
  if (stubborn && !counts.allAre(rows)) for await (const slices of read(plainPages(first.pagination))) yield* slices;
  const budget = 2 * requests + 20;
  for (;;) {
    if (stubborn && counts.allAre(rows)) break;
    const around = pagesAround(coverage.gaps, largest, lookahead.tasks);
    if (around.length === 0) break;
    if (requests >= budget) throw drift(`${coverage.gaps.length} gaps between pages would not close`);
    for await (const slices of read(around)) yield* slices;
  }
  const calm = counts.allAre(rows) && (stubborn || !coverage.moved);
  if (coverage.gaps.length > 0 && !calm) throw drift(`${coverage.gaps.length} gaps between pages cannot be closed`);
  if (rows < counts.least) throw drift("fewer rows came than any page counted");
}

/** Pages to lay around the first gaps that a page can span. */
function pagesAround(gaps: readonly Gap[], largest: number, most: number): readonly PlannedPage[] {
  const pages: PlannedPage[] = [];
  for (const { low, high } of gaps) {
    if (pages.length === most) break;
    const page = pageAround(Math.floor((low + high) / 2), largest);
    if (page) pages.push(page);
  }
  return pages;
}

function requireAscending({ ids, url }: SentPage<unknown>): void {
  if (ids.isAscending(0, ids.length)) return;
  throw protocolError(url, "$.data", "is not in the order of id that was asked for and that earlier pages had");
}
