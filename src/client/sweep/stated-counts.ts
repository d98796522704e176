import type { Pagination } from "../../api/page.js";

/** The counts of rows that the pages of one listing stated. */
export class StatedCounts {
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
