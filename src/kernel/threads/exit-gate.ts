/** The sockets send what is left when they close; whoever does not take it is not waited for longer. */
const longestMs = 1000;

/**
 * Holds up the end of the process until the sockets are closed. Open ones, in a thread that ends with the process, make
 * ZeroMQ abort it, and the exit code that a cell gave is lost.
 */
export class ExitGate {
  readonly #closed: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#closed = new Int32Array(memory);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  }

  /** Waits, without an event loop, as is the way of an `exit` handler. */
  wait(): void {
    Atomics.wait(this.#closed, 0, 0, longestMs);
  }

  closed(): void {
    Atomics.store(this.#closed, 0, 1);
    Atomics.notify(this.#closed, 0);
  }
}
