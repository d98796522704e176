import { canonicalJson } from "../../core/json.js";

/** Ranks of values in an order; equal values have the same rank. */
export class ValuePlaces {
  readonly #places = new Map<string, number>();
  /** Cache of requested values, which avoids computing their JSON twice. */
  readonly #asked = new Map<unknown, number | undefined>();

  /** The rank after the last. */
  count = 0;

  /** Values by their canonical JSON, with their ranks. */
  get entries(): Iterable<readonly [json: string, place: number]> {
    return this.#places;
  }

  /**
   * Sets the rank of values.
   *
   * @returns whether all of them are new; existing values keep their rank
   */
  add(values: readonly unknown[], place: number): boolean {
    const texts = values.map(canonicalJson);
    const areNew = texts.every((text) => !this.#places.has(text));
    for (const text of texts) if (!this.#places.has(text)) this.#places.set(text, place);
    this.count = Math.max(this.count, place + 1);
    this.#asked.clear();
    return areNew;
  }

  /** The rank of a value; undefined if it is not in the order. */
  of(value: unknown): number | undefined {
    if (this.#asked.has(value)) return this.#asked.get(value);
    const place = this.#places.get(canonicalJson(value));
    this.#asked.set(value, place);
    return place;
  }

  /** Whether a step leads to an earlier value; null if a value is not in the order. */
  isBackward(from: unknown, to: unknown): boolean | null {
    const [before, after] = [this.of(from), this.of(to)];
    return before === undefined || after === undefined ? null : after < before;
  }
}
