import type { Id, Ids } from "../../client/page/page-decoder.js";
import type { RecordColumn } from "../column/column.js";
import { BOXED, HIGH, LOW, UUID_CELL } from "./cell.js";
import type { UuidHeap } from "./uuid-heap.js";

/** The ids of a page over their cells: integers, or UUIDs, which are compared by their words. */
export class IdColumn implements Ids {
  readonly length: number;
  readonly #words: Uint32Array;
  readonly #column: RecordColumn;
  readonly #uuids: UuidHeap;

  /** @param uuids UUIDs of the column */
  constructor(words: Uint32Array, column: RecordColumn, uuids: UuidHeap) {
    this.length = column.length;
    this.#words = words;
    this.#column = column;
    this.#uuids = uuids;
  }

  at(row: number): Id | undefined {
    if (row < 0 || row >= this.length) return undefined;
    const id = this.#column.at(row);
    return typeof id === "string" ? id.toLowerCase() : Number(id);
  }

  isAscending(start: number, end: number): boolean {
    for (let row = start + 1; row < end; row += 1) if (!this.#isBelow(row - 1, row)) return false;
    return true;
  }

  #isBelow(before: number, row: number): boolean {
    const words = this.#words;
    const [high, highBefore] = [words[2 * row + HIGH] as number, words[2 * before + HIGH] as number];
    if (high === UUID_CELL && highBefore === UUID_CELL) {
      return this.#uuids.isBelow(words[2 * before + LOW] as number, words[2 * row + LOW] as number);
    }
    if (high < BOXED && highBefore < BOXED) return Number(this.#column.at(before)) < Number(this.#column.at(row));
    return (this.at(before) ?? 0) < (this.at(row) ?? 0);
  }
}
