import { DriftError } from "../../core/errors.js";
import { childSignal } from "../http/child-signal.js";
import type { Listing } from "../listing/listing.js";
import { type Lookahead, orderedLookahead } from "../sweep/ordered-lookahead.js";
import { PageGate } from "../sweep/page-gate.js";
import type { Slice } from "../sweep/slice.js";
import { sweep } from "../sweep/sweep.js";
import type { Read } from "./read.js";

/** How often a listing is begun anew when it will not settle. */
const PASSES = 3;

/** Tasks for each request that may be under way: while one page is decoded, the next is on its way. */
const AT_ONCE = 2;
/** The same, with pages that are there and wait for an earlier one, which may be asked for again and again. */
const AHEAD = 50;

/**
 * Everything that a read selects: slices of pages, in whatever order; a row may be in two of them.
 *
 * @param keep is given the slices of each listing when it has settled
 * @returns how many slices there are
 */
export async function gatherSlices<T>(read: Read<T>, keep: (slice: Slice<T>) => void): Promise<number> {
  const child = childSignal(read.signal);
  try {
    let count = 0;
    const atOnce = AT_ONCE * read.options.concurrency;
    const ahead = { tasks: AHEAD * read.options.concurrency, gate: new PageGate(atOnce) };
    const collected = orderedLookahead(read.listings, { tasks: atOnce }, (listing) =>
      collectListing(read, listing, ahead, child.signal),
    );
    for await (const part of collected) {
      for (const slice of part) keep(slice);
      count += part.length;
    }
    return count;
  } finally {
    child.detach();
    child.abort(new Error("the read has ended"));
  }
}

async function collectListing<T>(
  read: Read<T>,
  listing: Listing<T>,
  ahead: Lookahead,
  signal: AbortSignal,
): Promise<readonly Slice<T>[]> {
  for (let pass = 1; ; pass += 1) {
    const slices: Slice<T>[] = [];
    try {
      const opened = await read.open(listing, signal);
      for await (const slice of sweep(opened, ahead, signal)) {
        slices.push(slice);
        read.tally.rows(slice.end - slice.start);
      }
      return slices;
    } catch (error) {
      if (!(error instanceof DriftError) || pass === PASSES) throw error;
      read.tally.rows(-slices.reduce((sum, slice) => sum + slice.end - slice.start, 0));
    }
  }
}
