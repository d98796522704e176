interface Entry<T> {
  readonly made: Promise<T>;
  readonly atMs: number;
}

/** What may become old is made again after a minute. */
const FRESH_MS = 60_000;

/** What was asked for lately, so that several questions make it once. What failed is made again. */
export class RecentCache<T> {
  readonly #most: number;
  readonly #isFixed: () => boolean;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry<T>>();

  /**
   * @param most how many are kept
   * @param isFixed whether what is made never becomes old
   */
  constructor(most: number, isFixed: () => boolean, now: () => number = Date.now) {
    this.#most = most;
    this.#isFixed = isFixed;
    this.#now = now;
  }

  /** What is kept under a key, else what `make` gives. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    this.#entries.delete(key);
    const isFresh = known && (this.#isFixed() || this.#now() - known.atMs < FRESH_MS);
    const entry = isFresh ? known : { made: make(), atMs: this.#now() };
    this.#entries.set(key, entry);
    for (const oldest of [...this.#entries.keys()].slice(0, -this.#most)) this.#entries.delete(oldest);
    entry.made.catch(() => {
      // It may have taken so long that it is made anew by now.
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.made;
  }
}
