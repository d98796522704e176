type Numbers = Float64Array | Int32Array | Uint32Array | Uint8Array;

/** A typed array that grows. */
export class GrowingArray<T extends Numbers> {
  /** The current array, longer than `length`. Growing replaces it. */
  values: T;
  length = 0;
  readonly #make: new (
    length: number,
  ) => T;

  constructor(make: new (length: number) => T, capacity = 1024) {
    this.values = new make(capacity);
    this.#make = make;
  }

  /** Makes room for `count` more. */
  reserve(count: number): void {
    if (this.length + count <= this.values.length) return;
    // Memory that was never written to is free; copies are not.
    const grown = new this.#make(2 * (this.length + count));
    grown.set(this.values.subarray(0, this.length));
    this.values = grown;
  }

  push(value: number): void {
    this.reserve(1);
    this.values[this.length] = value;
    this.length += 1;
  }

  /** The used part, without a copy. */
  filled(): T {
    return this.values.subarray(0, this.length) as T;
  }

  at(index: number): number {
    return this.values[index] as number;
  }

  set(index: number, value: number): void {
    this.values[index] = value;
  }
}
