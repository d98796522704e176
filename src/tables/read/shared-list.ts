/** Different values after which it shows, and then again and again, whether values come more than once. */
const TRIAL = 1 << 16;

/**
 * One list for the values of many parts, each of which lists its own. Texts and numbers that are the same are one entry,
 * objects if they are the same object. Where few come again it stops looking: a value may then have several codes.
 */
export class SharedList {
  /** By code. */
  readonly values: unknown[] = [];
  readonly #codes = new Map<unknown, number>();
  #repeated = 0;
  #trial: number;

  constructor(trial = TRIAL) {
    this.#trial = trial;
  }

  /** The codes here of a part's values, in the part's order. */
  codesOf(values: readonly unknown[]): Uint32Array {
    const codes = new Uint32Array(values.length);
    for (let index = 0; index < codes.length; index += 1) codes[index] = this.#code(values[index]);
    return codes;
  }

  #code(value: unknown): number {
    if (this.#trial === 0) return this.values.push(value) - 1;
    // To a map, 0 and -0 are the same.
    const key = Object.is(value, -0) ? this : value;
    const known = this.#codes.get(key);
    if (known !== undefined) {
      this.#repeated += 1;
      return known;
    }
    const code = this.values.push(value) - 1;
    this.#codes.set(key, code);
    if (this.#codes.size === this.#trial) this.#decide();
    return code;
  }

  #decide(): void {
    const isWorthIt = this.#repeated > this.#trial;
    this.#trial = isWorthIt ? 2 * this.#trial : 0;
    if (!isWorthIt) this.#codes.clear();
  }
}
