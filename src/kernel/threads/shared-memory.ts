import type { SourceText } from "../engine/cell/language-engine.js";

/** Closing sockets send pending messages; slow receivers are not waited for longer than this. */
const longestMs = 1000;

/**
 * Delays the end of the process until the sockets are closed. Open sockets in a thread that ends with the process make
 * ZeroMQ abort it, and the exit code of a cell is lost.
 */
export class ExitLatch {
  readonly #closed: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#closed = new Int32Array(memory);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  }

  /** Waits without an event loop, as an `exit` handler must. */
  wait(): void {
    Atomics.wait(this.#closed, 0, 0, longestMs);
  }

  closed(): void {
    Atomics.store(this.#closed, 0, 1);
    Atomics.notify(this.#closed, 0);
  }
}

/** Characters of a cell's output in flight before the cell has to wait. */
const limit = 4_000_000;

/**
 * Slows a cell that writes faster than its output can be sent, in a loop without `await`, before memory runs out. One
 * side is in the thread of the cell, the other in the thread of the sockets.
 */
export class OutputThrottle {
  readonly #underWay: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#underWay = new Int32Array(memory);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  }

  /** Waits while too much output is in flight. The wait is short, so that it ends even if the other side has gone. */
  added(length: number): void {
    const before = Atomics.add(this.#underWay, 0, length);
    if (before > limit) Atomics.wait(this.#underWay, 0, before + length, 50);
  }

  taken(length: number): void {
    Atomics.sub(this.#underWay, 0, length);
    Atomics.notify(this.#underWay, 0);
  }
}

/**
 * The debugger's channel in the thread of the cells. It is called through the inspector, so it also works while a cell
 * runs or is stopped. Only `bundleHeld` runs user code.
 */
export interface DebugChannel {
  readonly self: DebugChannel;
  /** Scripts with these names, or all scripts. */
  sources(names?: readonly string[]): readonly SourceText[];
  /** The names of all cells with their values, on an object without a prototype. */
  names(): object;
  /**
   * Lets every script read and write the names of cells as globals, and in the scopes of cells, until it is called with
   * `false`.
   */
  lend(lent: boolean): void;
  /** Whether a condition is true. It may use variables by their name in cells. */
  holds(condition: () => unknown): boolean;
  /** Reverts the changes that `holds` made for a condition that was terminated. */
  endCondition(): void;
  /** The value to show for a variable. */
  display(value: object): unknown;
  /** Number of entries of a value. */
  size(value: object): number;
  /** Some of a value's entries by name, on an object without a prototype. */
  entries(value: object, from: number, to: number): object;
  /** Keeps the value for `bundleHeld`. */
  hold(value: unknown): void;
  /**
   * The display of that value as JSON. While the thread is stopped, values with an asynchronous display are shown as
   * text.
   */
  bundleHeld(isStopped: boolean): string | Promise<string>;
}

/** The name under which `globalThis` has the channel. */
export const debugChannelName = "siteframe.debug";
