import type { Pagination } from "../../api/contract.js";
import { childSignal } from "../../core/abort-signal.js";
import { binarySearch } from "../../core/binary-search.js";
import { DriftError } from "../../core/errors.js";
import { fetchRange, type OpenQuery } from "../page/open-query.js";
import type { Id, Ids } from "../page/page-decoder.js";
import { type PlannedPage, pageAround, plainPages, planPages } from "../page/page-plan.js";
import { isShort, reachesEnd, type SentPage } from "../page/paged-query.js";
import { protocolError } from "../page/protocol-error.js";
import { type Lookahead, orderedLookahead, type Slice } from "./ordered-lookahead.js";

/** Row counts that the pages of a query stated. */
class StatedCounts {
  #least = Number.POSITIVE_INFINITY;
  #most = 0;

  add({ rowCount }: Pagination): void {
    this.#least = Math.min(this.#least, rowCount);
    this.#most = Math.max(this.#most, rowCount);
  }

  get least(): number {
    return this.#least;
  }

  get most(): number {
    return this.#most;
  }

  /** Whether every page stated this count. */
  allAre(count: number): boolean {
    return this.#least === count && this.#most === count;
  }
}

/** An interval of ids that are not known yet. */
interface Gap {
  /** Lower bound of the ids, exclusive; undefined at the beginning. */
  readonly after: Id | undefined;
  /** Upper bound of the ids, exclusive; undefined at the end. */
  readonly before: Id | undefined;
  /** Minimum and maximum count of rows before the gap, as known from pages. */
  readonly low: number;
  readonly high: number;
  /** Pages that were requested to fill the gap and did not touch it. */
  readonly misses: number;
}

/** Rows of a page: from the first index to before the second. */
type Range = readonly [start: number, end: number];

/**
 * The ids that a read has covered.
 *
 * A page in ascending order of id, read at one moment, contains every row of that moment between its first and its last
 * id; the first page every row from the beginning, the last page every row to the end. So a row that exists during the
 * whole read is missing only if its id is in a gap between pages. Covered ranges need no further proof, even if the
 * data changed, and only rows in gaps are used, so no row is used twice.
 */
class Coverage {
  readonly #gaps: Gap[] = [{ after: undefined, before: undefined, low: 0, high: 0, misses: 0 }];
  /** Highest possible rank of each gap and the gaps before it. */
  readonly #highest: number[] = [0];
  #moved = false;

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /** Whether rows were seen to have moved between pages. */
  get moved(): boolean {
    return this.#moved;
  }

  /** Adds the range of a page. @returns the rows of the page that are new */
  fill(page: SentPage<unknown>): readonly Range[] {
    const taken: Range[] = [];
    const kept = this.#before(page);
    this.#highest.length = kept;
    for (const gap of this.#gaps.splice(kept)) {
      for (const left of this.#fillGap(gap, page, taken)) {
        this.#gaps.push(left);
        this.#highest.push(Math.max(left.high, this.#highest.at(-1) ?? 0));
      }
    }
    return taken;
  }

  /** Count of gaps before a page by id and by rank. The page adds nothing to them, and there can be many. */
  #before({ ids, offset }: SentPage<unknown>): number {
    const from = offset === 0 ? undefined : ids.at(0);
    if (from === undefined) return 0;
    const byId = binarySearch(this.#gaps.length, (index) => {
      const before = this.#gaps[index]?.before;
      return before !== undefined && before <= from;
    });
    return binarySearch(byId, (index) => (this.#highest[index] as number) <= offset);
  }

  #fillGap(gap: Gap, page: SentPage<unknown>, taken: Range[]): readonly Gap[] {
    const { ids, offset } = page;
    // By rank: rows of a page other than the last can have been hidden after it was cut.
    const end = offset + page.pagination.pageSize;
    const from = offset === 0 ? undefined : ids.at(0);
    const to = reachesEnd(page) ? undefined : ids.at(ids.length - 1);
    if (ids.length === 0) return offset === 0 ? [] : [lower(gap, page.pagination.rowCount, page)];
    if (gap.after !== undefined && to !== undefined && to <= gap.after) return [higher(gap, end, page)];
    if (gap.before !== undefined && from !== undefined && from >= gap.before) return [lower(gap, offset, page)];
    const first = gap.after === undefined ? 0 : upperBound(ids, gap.after);
    const last = gap.before === undefined ? ids.length : lowerBound(ids, gap.before);
    // By rank, this many rows of the page were before the gap.
    if (first !== Math.max(0, gap.low - offset)) this.#moved = true;
    if (first < last) taken.push([first, last]);
    return [
      ...(from === undefined ? [] : gapBetween(gap.after, from, offset)),
      ...(to === undefined ? [] : gapBetween(to, gap.before, end)),
    ];
  }
}

/**
 * Maximum count of empty pages. A service can hide rows after cutting pages, so that some pages are empty, but its
 * statements must not keep a read going forever.
 */
const MOST_PAGES = 10_000;

/** Counts consecutive planned pages without new rows, and returns the reason to give up at the limit. */
function emptyPageCounter(): (isEmpty: boolean) => string | undefined {
  let pages = 0;
  return (isEmpty) => {
    pages = isEmpty ? pages + 1 : 0;
    return pages < MOST_PAGES ? undefined : `${MOST_PAGES} consecutive pages had no new row`;
  };
}

/**
 * Checks whether pages in an unknown order follow each other without a gap: each begins with a row of the previous one,
 * and the last one has room. If rows keep their order, a row that existed throughout is then on one of the pages,
 * before or after the shared row of two pages.
 */
class PageChainCheck {
  #last: SentPage<unknown> | undefined;
  #broken = false;

  /** Adds the next planned page. */
  add(page: SentPage<unknown>): void {
    if (this.#last && this.#isBroken(this.#last, page)) this.#broken = true;
    this.#last = page;
  }

  get isWhole(): boolean {
    return !this.#broken && this.#last !== undefined && (isShort(this.#last) || reachesEnd(this.#last));
  }

  #isBroken(last: SentPage<unknown>, page: SentPage<unknown>): boolean {
    const first = page.ids.at(0);
    // Pages of a few rows cannot always overlap, and shared rows of short pages may be hidden.
    const overlaps = page.offset < last.offset + last.pagination.pageSize;
    if (!overlaps || isShort(last) || isShort(page) || first === undefined) return false;
    for (let row = 0; row < last.ids.length; row += 1) if (last.ids.at(row) === first) return false;
    return true;
  }
}

const PASSES = 4;

/**
 * Reads a query completely: every row that existed from the first request to the last, once. At most `lookahead` pages
 * are requested ahead of the consumer.
 *
 * @throws DriftError if completeness cannot be proved within a bounded number of requests
 */
export async function* paginate<T>(
  query: OpenQuery<T>,
  lookahead: Lookahead,
  outer: AbortSignal,
): AsyncGenerator<Slice<T>, void> {
  // Pending pages are stopped when the consumer leaves or a page fails.
  const child = childSignal(outer);
  try {
    yield* (query.ordered ? paginateById : paginateUnordered)(query, lookahead, child.signal);
  } finally {
    child.detach();
    child.abort(new Error("the read has ended"));
  }
}

function gapBetween(after: Id | undefined, before: Id | undefined, rank: number): readonly Gap[] {
  if (after !== undefined && before !== undefined) {
    if (after >= before) return [];
    // Consecutive integers leave no room for a row.
    if (typeof after === "number" && typeof before === "number" && before - after === 1) return [];
  }
  return [{ after, before, low: rank, high: rank, misses: 0 }];
}

/** The gap is at this rank or after it. If that contradicts earlier pages, the range grows with each miss. */
function higher(gap: Gap, rank: number, page: SentPage<unknown>): Gap {
  if (rank <= gap.low) return gap;
  const high = rank <= gap.high ? gap.high : rank + reach(gap, page);
  return { ...gap, low: rank, high, misses: gap.misses + 1 };
}

/** The gap is at this rank or before it. */
function lower(gap: Gap, rank: number, page: SentPage<unknown>): Gap {
  if (rank >= gap.high) return gap;
  const low = rank >= gap.low ? gap.low : Math.max(0, rank - reach(gap, page));
  return { ...gap, low, high: rank, misses: gap.misses + 1 };
}

function reach(gap: Gap, page: SentPage<unknown>): number {
  return page.pagination.pageSize * 2 ** Math.min(gap.misses, 20);
}

/** Index of the first id above a bound. */
function upperBound(ids: Ids, bound: Id): number {
  return partition(ids, (id) => id <= bound);
}

/** Index of the first id at or above a bound. */
function lowerBound(ids: Ids, bound: Id): number {
  return partition(ids, (id) => id < bound);
}

function partition(ids: Ids, isBefore: (id: Id) => boolean): number {
  return binarySearch(ids.length, (index) => {
    const id = ids.at(index);
    return id !== undefined && isBefore(id);
  });
}

/**
 * Reads a query with an unknown order: reads all pages repeatedly, until in one pass every page states the same count,
 * that many different rows arrive, and the pages form a chain. Rows of earlier passes are kept, so each pass can only
 * add rows.
 */
async function* paginateUnordered<T>(
  query: OpenQuery<T>,
  lookahead: Lookahead,
  signal: AbortSignal,
): AsyncGenerator<Slice<T>, void> {
  const seenIds = new Set<Id>();
  let requests = 0;
  let resized = false;
  for (let pass = 1; ; pass += 1) {
    const counts = new StatedCounts();
    const came = new Set<Id>();
    const chain = new PageChainCheck();
    const countEmpty = emptyPageCounter();
    const first = pass === 1 ? query.first : await query.fetch({ page: 1, pageSize: query.paging.pageSize }, signal);
    const take = (page: SentPage<T>): Slice<T>[] => {
      requests += 1;
      resized ||= page !== first && page.resized;
      counts.add(page.pagination);
      chain.add(page);
      return newRows(page, came, seenIds);
    };
    yield* take(first);
    const plan = (resized ? plainPages : planPages)(first.pagination);
    const drift = (why: string) => driftError(query.resource, why, seenIds.size, requests, counts);
    for await (const pages of orderedLookahead(plan, lookahead, (planned) => fetchRange(query, planned, signal))) {
      const before = came.size;
      yield* pages.flatMap(take);
      const why = countEmpty(came.size === before);
      if (why) throw drift(why);
    }
    if (counts.allAre(came.size) && chain.isWhole) return;
    if (pass === PASSES) throw drift(`${PASSES} passes disagreed`);
  }
}

/** Runs of new rows, which are marked as known and received. */
function newRows<T>({ content, ids }: SentPage<T>, came: Set<Id>, seenIds: Set<Id>): Slice<T>[] {
  const slices: Slice<T>[] = [];
  let start = 0;
  for (let index = 0; index <= ids.length; index += 1) {
    const id = ids.at(index);
    if (id !== undefined) came.add(id);
    if (id !== undefined && !seenIds.has(id)) {
      seenIds.add(id);
      continue;
    }
    if (start < index) slices.push({ content, ids, start, end: index });
    start = index + 1;
  }
  return slices;
}

/**
 * Reads a query in ascending order of id.
 *
 * Reads the planned pages first, which overlap. Their ranges are proved (see Coverage). If rows moved, gaps may remain
 * between pages: each is read again with a page around it, until none is left. The data need not be stable for that.
 *
 * A gap that no page can span is accepted if nothing moved: every page stated the same row count, and as many rows
 * arrived. Such gaps exist if the service's largest page has less than ten rows, and if it has a fixed page size or
 * hides rows after cutting pages.
 */
async function* paginateById<T>(
  query: OpenQuery<T>,
  lookahead: Lookahead,
  signal: AbortSignal,
): AsyncGenerator<Slice<T>, void> {
  const { first } = query;
  const largest = first.pagination.pageSize;
  const coverage = new Coverage();
  const counts = new StatedCounts();
  const countEmpty = emptyPageCounter();
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
    for await (const pages of orderedLookahead(plan, lookahead, (planned) => fetchRange(query, planned, signal))) {
      yield pages.flatMap(take);
    }
  };
  const drift = (why: string) => driftError(query.resource, why, rows, requests, counts);

  yield* take(first);
  for await (const slices of read(planPages(first.pagination))) {
    yield* slices;
    const why = countEmpty(slices.length === 0);
    if (why) throw drift(why);
  }
  if (stubborn && !counts.allAre(rows)) for await (const slices of read(plainPages(first.pagination))) yield* slices;
  const budget = 2 * requests + 20;
  for (;;) {
    if (stubborn && counts.allAre(rows)) break;
    const around = pagesAround(coverage.gaps, largest, lookahead.tasks);
    if (around.length === 0) break;
    if (requests >= budget) throw drift(`${coverage.gaps.length} gaps between pages remained`);
    for await (const slices of read(around)) yield* slices;
  }
  const calm = counts.allAre(rows) && (stubborn || !coverage.moved);
  if (coverage.gaps.length > 0 && !calm) throw drift(`${coverage.gaps.length} gaps between pages remained`);
  if (rows < counts.least) throw drift("fewer rows arrived than any page counted");
}

/** Pages around the first gaps that a page can span. */
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
  throw protocolError(url, "$.data", "is not in the requested order of id, unlike earlier pages");
}

/** The error for a read that did not settle, with its counts. */
function driftError(resource: string, why: string, rows: number, requests: number, counts: StatedCounts): DriftError {
  const range = counts.least === counts.most ? `${counts.most}` : `${counts.least} to ${counts.most}`;
  return new DriftError(
    `${resource} kept changing during the read: ${why}. ${requests} requests returned ${rows} rows, and the service counted ${range}.`,
    {
      facts: { resource, rows, requests, leastRowCount: counts.least, mostRowCount: counts.most },
      hint: "Retry later, or narrow the filters.",
    },
  );
}
