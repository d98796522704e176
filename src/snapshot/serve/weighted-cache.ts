/** Bytes of what an entry needs beside its result and its key, about. */
const ENTRY_BYTES = 500;

/** Keeps the results of the last few computations, weighed by their size. */
export class WeightedCache<T extends { readonly byteLength: number }> {
  readonly #capacity: number;
  readonly #entries = new Map<string, Promise<T>>();
  /** Weights of the results that are there, and their sum. */
  readonly #weights = new Map<string, number>();
  #total = 0;

  /** @param capacity bytes to keep; the newest result is kept whatever its weight */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Bytes that a result takes in a cache: an empty one still has a key. */
  static weigh(key: string, { byteLength }: { readonly byteLength: number }): number {
    return byteLength + 2 * key.length + ENTRY_BYTES;
  }

  /** The result for a key, computed once for all who ask at the same time. A failure is not kept. */
  get(key: string, compute: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key) ?? this.#start(key, compute);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #start(key: string, compute: () => Promise<T>): Promise<T> {
    const entry = compute();
    entry.then(
      (result) => {
        const weight = WeightedCache.weigh(key, result);
        this.#weights.set(key, weight);
        this.#total += weight;
        this.#drop(key);
      },
      () => this.#entries.delete(key),
    );
    return entry;
  }

  #drop(newest: string): void {
    for (const key of this.#entries.keys()) {
      if (this.#total <= this.#capacity) return;
      const weight = this.#weights.get(key);
      if (key === newest || weight === undefined) continue;
      this.#entries.delete(key);
      this.#weights.delete(key);
      this.#total -= weight;
    }
  }
}
