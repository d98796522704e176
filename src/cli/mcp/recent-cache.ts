interface Entry<T> {
  readonly made: Promise<T>;
  readonly atMs: number;
}

/** Values that can become outdated are made again after a minute. */
const FRESH_MS = 60_000;

/** Recent results, so that several questions share one. Failed results are made again. */
export class RecentCache<T> {
  readonly #most: number;
  readonly #isFixed: () => boolean;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry<T>>();

  /**
   * @param most maximum count of results
   * @param isFixed whether results never become outdated
   */
  constructor(most: number, isFixed: () => boolean, now: () => number = Date.now) {
    this.#most = most;
    this.#isFixed = isFixed;
    this.#now = now;
  }

  /** Returns the result of a key, else the result of `make`. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const cached = this.#entries.get(key);
    this.#entries.delete(key);
    const isFresh = cached && (this.#isFixed() || this.#now() - cached.atMs < FRESH_MS);
    const entry = isFresh ? cached : { made: make(), atMs: this.#now() };
    this.#entries.set(key, entry);
    for (const oldest of [...this.#entries.keys()].slice(0, -this.#most)) this.#entries.delete(oldest);
    entry.made.catch(() => {
      // The entry may have been replaced meanwhile.
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.made;
  }
}
