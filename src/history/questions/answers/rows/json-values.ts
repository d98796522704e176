/** Values that come as JSON texts, by code. Equal texts are equal values, and parsed once. */
export class JsonValues {
  /** Entry 0 is null. */
  readonly values: unknown[] = [null];
  readonly #codes = new Map<unknown, number>([["null", 0]]);

  code(text: unknown): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    const code = this.values.push(JSON.parse(String(text))) - 1;
    this.#codes.set(text, code);
    return code;
  }
}
