/** Number and size of a page to ask for. */
export interface PlannedPage {
  readonly page: number;
  readonly pageSize: number;
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
export function overlappingPages(covered: number, needed: number, largest: number): readonly PlannedPage[] {
  const pages: PlannedPage[] = [];
  for (let end = covered; end < needed; ) {
    const overlapping = furthest(end - 1, largest);
    const next = endOf(overlapping) > end ? overlapping : furthest(end, largest);
    pages.push(next);
    end = endOf(next);
  }
  return pages;
}

/** Of the pages that hold a row, the one that ends last. */
function furthest(row: number, largest: number): PlannedPage {
  let best: PlannedPage = { page: row + 1, pageSize: 1 };
  for (let pageSize = largest; row + pageSize > endOf(best); pageSize -= 1) {
    const next = { page: Math.floor(row / pageSize) + 1, pageSize };
    if (endOf(next) > endOf(best)) best = next;
  }
  return best;
}

function endOf({ page, pageSize }: PlannedPage): number {
  return page * pageSize;
}
