/** Work whose result several wait for. It is stopped once none of them wants it any more. */
export class SharedWork<T> {
  readonly result: Promise<T>;
  readonly #controller = new AbortController();
  #wanting = 0;

  /** @param work begins at once; rejects when its signal is aborted */
  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.result = work(this.#controller.signal);
  }

  get isStopped(): boolean {
    return this.#controller.signal.aborted;
  }

  /** The result, which is wanted until the signal is aborted. */
  async wanted(signal: AbortSignal | undefined): Promise<T> {
    this.#wanting += 1;
    const leave = () => {
      this.#wanting -= 1;
      if (this.#wanting === 0) this.#controller.abort(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await this.result;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }
}
