import type { SentPage } from "../listing/listing.js";
import { isShort, reachesEnd } from "../listing/page-end.js";

/**
 * Whether pages in an order that nobody knows follow each other without a gap: each begins with a row of its
 * forerunner, and the last one has room to spare. As long as rows do not change places among each other, a row that
 * was there throughout is then on one of the pages, before or after the row that two of them share.
 */
export class PageChainCheck {
  #last: SentPage<unknown> | undefined;
  #broken = false;

  /** Adds the page that was planned next. */
  add(page: SentPage<unknown>): void {
    if (this.#last && this.#isBroken(this.#last, page)) this.#broken = true;
    this.#last = page;
  }

  get isWhole(): boolean {
    return !this.#broken && this.#last !== undefined && (isShort(this.#last) || reachesEnd(this.#last));
  }

  #isBroken(last: SentPage<unknown>, page: SentPage<unknown>): boolean {
    const first = page.ids.at(0);
    // Pages of a few rows cannot always overlap, and of short ones the shared rows may be hidden.
    const overlaps = page.offset < last.offset + last.pagination.pageSize;
    if (!overlaps || isShort(last) || isShort(page) || first === undefined) return false;
    for (let row = 0; row < last.ids.length; row += 1) if (last.ids.at(row) === first) return false;
    return true;
  }
}
