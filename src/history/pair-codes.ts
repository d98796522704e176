/** Codes for pairs of codes, in order of first appearance. */
export class PairCodes {
  readonly pairs: (readonly [first: number, second: number])[] = [];
  readonly #codes: number[][] = [];

  code(first: number, second: number): number {
    let codes = this.#codes[first];
    if (!codes) {
      codes = [];
      this.#codes[first] = codes;
    }
    const known = codes[second];
    if (known !== undefined) return known;
    const code = this.pairs.push([first, second]) - 1;
    codes[second] = code;
    return code;
  }
}
