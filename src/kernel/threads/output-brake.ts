/** Characters of output that may be under way from a cell before the cell has to wait. */
const limit = 4_000_000;

/**
 * Slows a cell that writes faster than its output can be sent, in a loop that never awaits, before memory runs out.
 * One side is in the thread of the cell, the other in the thread of the sockets.
 */
export class OutputBrake {
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
