import { canonicalJson } from "../../core/json.js";

/** Places of values in an order; equal values have one. */
export class ValuePlaces {
  readonly #places = new Map<string, number>();
  /** Of values that were asked for: of most no text has to be made a second time. */
  readonly #asked = new Map<unknown, number | undefined>();

  /** The place after the last. */
  count = 0;

  /** Values by their canonical JSON, with their places. */
  get entries(): Iterable<readonly [json: string, place: number]> {
    return this.#places;
  }

  /**
   * Gives values a place.
   *
   * @returns whether none of them had one; those that had one keep it
   */
  add(values: readonly unknown[], place: number): boolean {
    const texts = values.map(canonicalJson);
    const areNew = texts.every((text) => !this.#places.has(text));
    for (const text of texts) if (!this.#places.has(text)) this.#places.set(text, place);
    this.count = Math.max(this.count, place + 1);
    this.#asked.clear();
    return areNew;
  }

  /** The place of a value; undefined if it is not in the order. */
  of(value: unknown): number | undefined {
    if (this.#asked.has(value)) return this.#asked.get(value);
    const place = this.#places.get(canonicalJson(value));
    this.#asked.set(value, place);
    return place;
  }

  /** Whether a step leads to an earlier value; null where a value is not in the order. */
  isBackward(from: unknown, to: unknown): boolean | null {
    const [before, after] = [this.of(from), this.of(to)];
    return before === undefined || after === undefined ? null : after < before;
  }
}
