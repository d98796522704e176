import type { SourceText } from "../engine/cell/language-engine.js";

/** The sockets send what is left when they close; whoever does not take it is not waited for longer. */
const longestMs = 1000;

/**
 * Holds up the end of the process until the sockets are closed. Open ones, in a thread that ends with the process, make
 * ZeroMQ abort it, and the exit code that a cell gave is lost.
 */
export class ExitLatch {
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

/** Characters of output that may be under way from a cell before the cell has to wait. */
const limit = 4_000_000;

/**
 * Slows a cell that writes faster than its output can be sent, in a loop that never awaits, before memory runs out.
 * One side is in the thread of the cell, the other in the thread of the sockets.
 */
export class OutputThrottle {
  readonly #underWay: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#underWay = new Int32Array(memory);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  }

  /** Waits while too much is under way. The wait is short, so that it ends even if the other side has gone. */
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
 * What the thread of the cells has for a debugger, which calls it through the inspector: so it answers while a cell runs
 * or is stopped, too. None of it runs code of the user's but `bundleHeld`.
 */
export interface DebugChannel {
  readonly self: DebugChannel;
  /** What ran under these names, or all that did. */
  sources(names?: readonly string[]): readonly SourceText[];
  /** The names of all cells, with their values, on an object without a prototype. */
  names(): object;
  /**
   * Lets every script read and write the names of cells as if they were global, and where cells declared them, until it
   * is told `false`.
   */
  lend(lent: boolean): void;
  /** Whether a condition holds, which may name variables where cells declared them. */
  holds(condition: () => unknown): boolean;
  /** Takes back what `holds` has changed for a condition that was terminated. */
  endCondition(): void;
  /** What to show for the value of a variable. */
  shown(value: object): unknown;
  /** How many entries a value has. */
  size(value: object): number;
  /** Some of a value's entries, by their names, on an object without a prototype. */
  entries(value: object, from: number, to: number): object;
  /** Keeps the value for `bundleHeld`. */
  hold(value: unknown): void;
  /** That value as it shows itself, as JSON; by its text while the thread is stopped, if it shows itself later. */
  bundleHeld(isStopped: boolean): string | Promise<string>;
}

/** The name under which `globalThis` has the channel. */
export const debugChannelName = "siteframe.debug";
