import { childSignal } from "../http/child-signal.js";
import type { OpenListing } from "../listing/open-listing.js";
import type { Lookahead } from "./ordered-lookahead.js";
import type { Slice } from "./slice.js";
import { sweepById } from "./sweep-by-id.js";
import { sweepUnordered } from "./sweep-unordered.js";

/**
 * Reads a listing through: every row that existed from the first request to the last, each once.
 * Nothing is asked for ahead of the consumer beyond the pages of `lookahead`.
 *
 * @throws DriftError if that cannot be shown within a bounded number of requests
 */
export async function* sweep<T>(
  listing: OpenListing<T>,
  lookahead: Lookahead,
  outer: AbortSignal,
): AsyncGenerator<Slice<T>, void> {
  // Pages under way are stopped when the consumer leaves or one of them fails.
  const child = childSignal(outer);
  try {
    yield* (listing.ordered ? sweepById : sweepUnordered)(listing, lookahead, child.signal);
  } finally {
    child.detach();
    child.abort(new Error("the read has ended"));
  }
}
