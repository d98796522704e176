/** A service may hide rows after cutting pages, so that some in the middle are empty; but hardly so many. */
const MOST_PAGES = 10_000;

/** Counts planned pages in a row that brought no new row: what a service promises must not keep a read going for ever. */
export class BarrenRun {
  #pages = 0;

  /**
   * Notes a page.
   *
   * @returns why to give up, when it is time to
   */
  add(isBarren: boolean): string | undefined {
    this.#pages = isBarren ? this.#pages + 1 : 0;
    return this.#pages < MOST_PAGES ? undefined : `${MOST_PAGES} pages in a row brought no new row`;
  }
}
