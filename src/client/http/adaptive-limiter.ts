/** The right to send one request. */
export interface Slot {
  /** Gives the slot back and says how the request went. */
  release(result: "ok" | "failed" | "throttled"): void;
}

interface Waiter {
  readonly most: number;
  readonly start: () => void;
}

/**
 * Bounds the requests under way, as TCP bounds its window: halved when the service throttles, one more after each
 * windowful of successes.
 */
export class AdaptiveLimiter {
  #window = Number.POSITIVE_INFINITY;
  #active = 0;
  /** Counts the halvings: requests sent before the last one do not halve again. */
  #era = 0;
  readonly #queue: Waiter[] = [];

  /** Requests that may be under way at once; Infinity until the service has throttled. */
  get window(): number {
    return this.#window;
  }

  /**
   * Waits for a slot, first come first served.
   *
   * @param most upper bound of requests under way, whatever the window
   */
  acquire(most: number, signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(signal.reason);
        this.#pump();
      };
      const waiter: Waiter = {
        most,
        start: () => {
          signal.removeEventListener("abort", stop);
          resolve(this.#slot());
        },
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#queue.push(waiter);
      this.#pump();
    });
  }

  #slot(): Slot {
    const era = this.#era;
    let held = true;
    return {
      release: (result) => {
        if (!held) return;
        held = false;
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
      next.start();
    }
  }
}
