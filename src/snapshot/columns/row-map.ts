import { firstIndex } from "../../core/first-index.js";

/** Rows of some parts: which ones, and in which order. */
export class RowMap {
  readonly length: number;
  /** Rows chosen of each part; undefined for all of them. */
  readonly selected: readonly (Uint32Array | undefined)[];
  /** Where each part begins among the chosen rows, and the end of the last. */
  readonly #starts: readonly number[];
  /** The chosen rows in the order wanted; undefined where they stand in it. */
  readonly #order: Uint32Array | undefined;
  #part = 0;

  /** @param rows of each part */
  constructor(rows: readonly number[], selected: readonly (Uint32Array | undefined)[], order?: Uint32Array) {
    const starts = [0];
    for (const [part, count] of rows.entries())
      starts.push((starts[part] as number) + (selected[part]?.length ?? count));
    this.selected = selected;
    this.length = starts.at(-1) ?? 0;
    this.#starts = starts;
    this.#order = order;
  }

  /** The same rows in another order. */
  ordered(order: Uint32Array): RowMap {
    const rows = this.#starts.slice(1).map((end, part) => end - (this.#starts[part] as number));
    return new RowMap(rows, this.selected, order);
  }

  /** Calls `use` with the part of a row and its place there. */
  find<T>(row: number, use: (part: number, place: number) => T): T {
    const at = this.#order ? (this.#order[row] as number) : row;
    const part = this.#partOf(at);
    const place = at - (this.#starts[part] as number);
    return use(part, this.selected[part]?.[place] ?? place);
  }

  /** Neighbours are mostly of one part. */
  #partOf(at: number): number {
    const starts = this.#starts;
    if (at >= (starts[this.#part] as number) && at < (starts[this.#part + 1] as number)) return this.#part;
    this.#part = Math.max(0, firstIndex(starts.length - 1, (part) => (starts[part] as number) <= at) - 1);
    return this.#part;
  }
}
