import type { PlannedPage } from "../listing/overlapping-pages.js";

/**
 * The page of at most `largest` rows that shows most of both sides of an offset.
 *
 * @returns undefined if every page begins or ends there
 */
export function pageAround(offset: number, largest: number): PlannedPage | undefined {
  let best: PlannedPage | undefined;
  let widest = 0;
  for (let pageSize = largest; pageSize > widest; pageSize -= 1) {
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
