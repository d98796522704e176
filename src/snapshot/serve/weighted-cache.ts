/** Keeps the results of the last few computations, weighed by their size. */
export class WeightedCache<T extends { readonly length: number }> {
  readonly #capacity: number;
  readonly #entries = new Map<string, Promise<T>>();
  readonly #lengths = new Map<string, number>();

  /** @param capacity sum of the lengths to keep; the newest result is kept whatever its length */
  constructor(capacity: number) {
    this.#capacity = capacity;
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
      ({ length }) => {
        this.#lengths.set(key, length);
        this.#drop(key);
      },
      () => this.#entries.delete(key),
    );
    return entry;
  }

  #drop(newest: string): void {
    let total = [...this.#lengths.values()].reduce((sum, length) => sum + length, 0);
    for (const key of this.#entries.keys()) {
      if (total <= this.#capacity) return;
      const length = this.#lengths.get(key);
      if (key === newest || length === undefined) continue;
      this.#entries.delete(key);
      this.#lengths.delete(key);
      total -= length;
    }
  }
}
