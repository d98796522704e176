/** Permission to send one request. */
export interface Slot {
  /** Returns the slot, with the result of the request. */
  release(result: "ok" | "failed" | "throttled"): void;
}

interface Waiter {
  readonly most: number;
  readonly signal: AbortSignal;
  readonly start: (slot: Slot) => void;
  readonly stop: (reason: unknown) => void;
}

/**
 * Limits concurrent requests as TCP limits its window: halved when the service throttles, one more after each windowful
 * of successes.
 */
export class AdaptiveLimiter {
  #window = Number.POSITIVE_INFINITY;
  #active = 0;
  /** Count of halvings: requests sent before the last one do not halve again. */
  #era = 0;
  #queue: Waiter[] = [];
  /** Waiting requests by signal, so that one listener per signal is enough. */
  readonly #watched = new Map<AbortSignal, { waiting: number; readonly listener: () => void }>();

  /** Maximum concurrent requests; Infinity until the service has throttled. */
  get window(): number {
    return this.#window;
  }

  /**
   * Waits for a slot, first come, first served.
   *
   * @param most maximum concurrent requests, whatever the window
   */
  acquire(most: number, signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted();
    return new Promise((start, stop) => {
      this.#queue.push({ most, signal, start, stop });
      this.#watch(signal);
      this.#pump();
    });
  }

  #watch(signal: AbortSignal): void {
    const watched = this.#watched.get(signal) ?? { waiting: 0, listener: () => this.#stop(signal) };
    if (watched.waiting === 0) signal.addEventListener("abort", watched.listener, { once: true });
    watched.waiting += 1;
    this.#watched.set(signal, watched);
  }

  #unwatch(signal: AbortSignal): void {
    const watched = this.#watched.get(signal);
    if (!watched) return;
    watched.waiting -= 1;
    if (watched.waiting > 0) return;
    signal.removeEventListener("abort", watched.listener);
    this.#watched.delete(signal);
  }

  /** Rejects all requests that wait with a signal. */
  #stop(signal: AbortSignal): void {
    const stopped = this.#queue.filter((waiter) => waiter.signal === signal);
    this.#queue = this.#queue.filter((waiter) => waiter.signal !== signal);
    this.#watched.delete(signal);
    for (const { stop } of stopped) stop(signal.reason);
    this.#pump();
  }

  #slot(): Slot {
    const era = this.#era;
    let isHeld = true;
    return {
      release: (result) => {
        if (!isHeld) return;
        isHeld = false;
        if (result === "throttled" && era === this.#era) this.#halve();
        if (result === "ok") this.#window += 1 / this.#window;
        this.#active -= 1;
        this.#pump();
      },
    };
  }

  #halve(): void {
    this.#window = Math.max(1, Math.floor(Math.min(this.#window, this.#active) / 2));
    this.#era += 1;
  }

  #pump(): void {
    for (
      let next = this.#queue[0];
      next && this.#active < Math.min(Math.floor(this.#window), next.most);
      next = this.#queue[0]
    ) {
      this.#queue.shift();
      this.#active += 1;
      this.#unwatch(next.signal);
      next.start(this.#slot());
    }
  }
}
