import type { Id, Ids } from "./page-decoder.js";

/** Ids that are at hand. */
export class IdList implements Ids {
  readonly #ids: readonly Id[];

  constructor(ids: readonly Id[]) {
    this.#ids = ids;
  }

  get length(): number {
    return this.#ids.length;
  }

  at(row: number): Id | undefined {
    return this.#ids[row];
  }

  isAscending(start: number, end: number): boolean {
    for (let row = start + 1; row < end; row += 1) {
      const [before, id] = [this.#ids[row - 1], this.#ids[row]];
      if (before !== undefined && id !== undefined && before >= id) return false;
    }
    return true;
  }
}
