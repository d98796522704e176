import { promiseHooks } from "node:v8";

/** A class whose constructor gives back its argument, so that a subclass can put private fields on it. */
const Argument = function argument(object: object): object {
  return object;
} as unknown as new (
  object: object,
) => object;

/** A private field on a promise: neither shown by `inspect` nor held by a map. */
class Stamp extends Argument {
  #owner: object;

  constructor(promise: object, owner: object) {
    super(promise);
    this.#owner = owner;
  }

  static read(promise: object): object | undefined {
    return #owner in promise ? promise.#owner : undefined;
  }
}

/**
 * Knows, in callbacks and promises too, for whom code runs.
 *
 * `AsyncLocalStorage` does the same and more, but its hooks make Node end the process when an execution is terminated
 * in a timer (before Node 24). Callbacks of other kinds than `wrap` and promises know nothing.
 */
export class CellContext<Owner extends object> {
  #current: Owner | undefined;
  readonly #stop: () => void;

  constructor() {
    const stop = promiseHooks.createHook({
      init: (promise) => {
        // V8 tells of some promises twice.
        if (this.#current && Stamp.read(promise) === undefined) new Stamp(promise, this.#current);
      },
      before: (promise) => {
        this.#current = this.ownerOf(promise);
      },
      after: () => {
        this.#current = undefined;
      },
    });
    this.#stop = () => stop();
  }

  get current(): Owner | undefined {
    return this.#current;
  }

  run<Result>(owner: Owner | undefined, code: () => Result): Result {
    const before = this.#current;
    this.#current = owner;
    try {
      return code();
    } finally {
      this.#current = before;
    }
  }

  /** For whom a promise was made. */
  ownerOf(promise: object): Owner | undefined {
    return Stamp.read(promise) as Owner | undefined;
  }

  /** Forgets for whom code ran that was terminated. */
  clear(): void {
    this.#current = undefined;
  }

  close(): void {
    this.#stop();
  }
}
