import { firstIndex } from "../../core/first-index.js";
import type { SentPage } from "../listing/listing.js";
import { reachesEnd } from "../listing/page-end.js";
import type { Id, Ids } from "../page/page-decoder.js";

/** A stretch of ids of which nothing is known yet. */
export interface Gap {
  /** Ids above this one; undefined at the beginning. */
  readonly after: Id | undefined;
  /** Ids below this one; undefined at the end. */
  readonly before: Id | undefined;
  /** How many rows come before the gap: at least and at most, as far as pages have told. */
  readonly low: number;
  readonly high: number;
  /** Pages that were meant to fill the gap and did not touch it. */
  readonly misses: number;
}

/** Rows of a page: from the first index to before the second. */
export type Range = readonly [start: number, end: number];

/**
 * Which ids a read has covered.
 *
 * A page in ascending order of id, taken at one moment, holds every row of that moment between its first and its last
 * id; the first page every row from the beginning, the last one every row to the end. So a row that exists throughout
 * the read is missing only if its id lies in a gap between pages: what has been covered needs no further proof,
 * however much the data moved meanwhile, and rows are taken only where they fill a gap, so none is taken twice.
 */
export class Coverage {
  readonly #gaps: Gap[] = [{ after: undefined, before: undefined, low: 0, high: 0, misses: 0 }];
  /** For each gap the highest rank at which it or one before it may lie. */
  readonly #highest: number[] = [0];
  #moved = false;

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /** Whether rows were seen to have moved between pages. */
  get moved(): boolean {
    return this.#moved;
  }

  /** Covers what a page covers. @returns the rows of the page that are new */
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

  /** How many gaps lie before a page by id and by rank: it tells nothing new of them, and there may be many. */
  #before({ ids, offset }: SentPage<unknown>): number {
    const from = offset === 0 ? undefined : ids.at(0);
    if (from === undefined) return 0;
    const byId = firstIndex(this.#gaps.length, (index) => {
      const before = this.#gaps[index]?.before;
      return before !== undefined && before <= from;
    });
    return firstIndex(byId, (index) => (this.#highest[index] ?? 0) <= offset);
  }

  #fillGap(gap: Gap, page: SentPage<unknown>, taken: Range[]): readonly Gap[] {
    const { ids, offset } = page;
    // By rank: of a page that is not the last, rows may have been hidden after it was cut.
    const end = offset + page.pagination.pageSize;
    const from = offset === 0 ? undefined : ids.at(0);
    const to = reachesEnd(page) ? undefined : ids.at(ids.length - 1);
    if (ids.length === 0) return offset === 0 ? [] : [lower(gap, page.pagination.rowCount, page)];
    if (gap.after !== undefined && to !== undefined && to <= gap.after) return [higher(gap, end, page)];
    if (gap.before !== undefined && from !== undefined && from >= gap.before) return [lower(gap, offset, page)];
    const first = gap.after === undefined ? 0 : upperBound(ids, gap.after);
    const last = gap.before === undefined ? ids.length : lowerBound(ids, gap.before);
    // By rank, this many rows of the page were before the gap.
    if (gap.after !== undefined && first !== Math.max(0, gap.low - offset)) this.#moved = true;
    if (first < last) taken.push([first, last]);
    return [
      ...(from === undefined ? [] : gapBetween(gap.after, from, offset)),
      ...(to === undefined ? [] : gapBetween(to, gap.before, end)),
    ];
  }
}

function gapBetween(after: Id | undefined, before: Id | undefined, rank: number): readonly Gap[] {
  if (after !== undefined && before !== undefined) {
    if (after >= before) return [];
    // Integers that follow each other leave no room for a row.
    if (typeof after === "number" && typeof before === "number" && before - after === 1) return [];
  }
  return [{ after, before, low: rank, high: rank, misses: 0 }];
}

/** The gap lies at this rank or after it. Where that contradicts what was known, look further with each miss. */
function higher(gap: Gap, rank: number, page: SentPage<unknown>): Gap {
  if (rank <= gap.low) return gap;
  const high = rank <= gap.high ? gap.high : rank + reach(gap, page);
  return { ...gap, low: rank, high, misses: gap.misses + 1 };
}

/** The gap lies at this rank or before it. */
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

/** Index of the first id that is not below a bound. */
function lowerBound(ids: Ids, bound: Id): number {
  return partition(ids, (id) => id < bound);
}

function partition(ids: Ids, isBefore: (id: Id) => boolean): number {
  return firstIndex(ids.length, (index) => {
    const id = ids.at(index);
    return id !== undefined && isBefore(id);
  });
}
