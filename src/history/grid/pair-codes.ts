/** More pairs than this are looked up in a map. */
const MOST_DENSE = 2 ** 20;

/** Codes for pairs of codes, in order of first appearance. */
export class PairCodes {
  readonly #firsts: number[] = [];
  readonly #seconds: number[] = [];
  readonly #secondCount: number;
  /** Codes plus one by pair, where there can be few pairs. */
  readonly #dense: Int32Array;
  readonly #sparse = new Map<number, number>();

  /**
   * @param firstCount first codes are below this
   * @param secondCount second codes are below this
   */
  constructor(firstCount: number, secondCount: number) {
    this.#secondCount = secondCount;
    const possible = firstCount * secondCount;
    this.#dense = new Int32Array(possible <= MOST_DENSE ? possible : 0);
  }

  /** The pairs, by code. */
  get pairs(): readonly (readonly [first: number, second: number])[] {
    return this.#firsts.map((first, code) => [first, this.second(code)]);
  }

  /** First code of a pair. */
  first(code: number): number {
    return this.#firsts[code] as number;
  }

  /** Second code of a pair. */
  second(code: number): number {
    return this.#seconds[code] as number;
  }

  /** Code of a pair. */
  code(first: number, second: number): number {
    const pair = first * this.#secondCount + second;
    const known = pair < this.#dense.length ? (this.#dense[pair] as number) : (this.#sparse.get(pair) ?? 0);
    return known === 0 ? this.#enter(pair, first, second) : known - 1;
  }

  #enter(pair: number, first: number, second: number): number {
    const next = this.#firsts.push(first);
    this.#seconds.push(second);
    if (pair < this.#dense.length) this.#dense[pair] = next;
    else this.#sparse.set(pair, next);
    return next - 1;
  }
}
