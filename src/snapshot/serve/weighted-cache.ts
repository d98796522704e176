import { SharedWork } from "./shared-work.js";

/** Bytes of what an entry needs beside its result and its key, about. */
const ENTRY_BYTES = 500;

/** Keeps the results of the last few computations, weighed by their size. */
export class WeightedCache<T extends { readonly byteLength: number }> {
  readonly #capacity: number;
  readonly #entries = new Map<string, SharedWork<T>>();
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

  /**
   * The result for a key, computed once for all who ask at the same time. A failure is not kept.
   *
   * @param compute is told to stop once all who asked have left
   * @param signal is aborted when who asks now leaves
   */
  async get(key: string, compute: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const known = this.#entries.get(key);
    const entry = known && !known.isStopped ? known : this.#start(key, compute);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.wanted(signal);
  }

  #start(key: string, compute: (signal: AbortSignal) => Promise<T>): SharedWork<T> {
    const entry = new SharedWork(compute);
    const isMine = () => this.#entries.get(key) === entry;
    entry.result.then(
      (result) => {
        if (!isMine()) return;
        const weight = WeightedCache.weigh(key, result);
        this.#weights.set(key, weight);
        this.#total += weight;
        this.#drop(key);
      },
      () => {
        if (isMine()) this.#entries.delete(key);
      },
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
