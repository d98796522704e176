import { fetchRange } from "../listing/fetch-range.js";
import type { SentPage } from "../listing/listing.js";
import type { OpenListing } from "../listing/open-listing.js";
import { plainPages, planPages } from "../listing/plan-pages.js";
import type { Id } from "../page/page-decoder.js";
import { BarrenRun } from "./barren-run.js";
import { driftError } from "./drift-error.js";
import { type Lookahead, orderedLookahead } from "./ordered-lookahead.js";
import { PageChainCheck } from "./page-chain-check.js";
import type { Slice } from "./slice.js";
import { StatedCounts } from "./stated-counts.js";

const PASSES = 4;

/**
 * Reads a listing whose order says nothing: passes over all pages, until in one of them every page states the same
 * count, that many different rows come, and the pages form a chain. Rows of earlier passes are kept, so each pass can
 * only add.
 */
export async function* sweepUnordered<T>(
  listing: OpenListing<T>,
  lookahead: Lookahead,
  signal: AbortSignal,
): AsyncGenerator<Slice<T>, void> {
  const known = new Set<Id>();
  let requests = 0;
  let resized = false;
  for (let pass = 1; ; pass += 1) {
    const counts = new StatedCounts();
    const came = new Set<Id>();
    const chain = new PageChainCheck();
    const barren = new BarrenRun();
    const first =
      pass === 1 ? listing.first : await listing.fetch({ page: 1, pageSize: listing.paging.pageSize }, signal);
    const take = (page: SentPage<T>): Slice<T>[] => {
      requests += 1;
      resized ||= page !== first && page.resized;
      counts.add(page.pagination);
      chain.add(page);
      return newRows(page, came, known);
    };
    yield* take(first);
    const plan = (resized ? plainPages : planPages)(first.pagination);
    const drift = (why: string) => driftError(listing.resource, why, known.size, requests, counts);
    for await (const pages of orderedLookahead(plan, lookahead, (planned) => fetchRange(listing, planned, signal))) {
      const before = came.size;
      yield* pages.flatMap(take);
      const why = barren.add(came.size === before);
      if (why) throw drift(why);
    }
    if (counts.allAre(came.size) && chain.isWhole) return;
    if (pass === PASSES) throw drift(`${PASSES} passes disagreed`);
  }
}

/** Runs of rows that were not known; they are known from now on, and all rows have come. */
function newRows<T>({ content, ids }: SentPage<T>, came: Set<Id>, known: Set<Id>): Slice<T>[] {
  const slices: Slice<T>[] = [];
  let start = 0;
  for (let index = 0; index <= ids.length; index += 1) {
    const id = ids.at(index);
    if (id !== undefined) came.add(id);
    if (id !== undefined && !known.has(id)) {
      known.add(id);
      continue;
    }
    if (start < index) slices.push({ content, ids, start, end: index });
    start = index + 1;
  }
  return slices;
}
