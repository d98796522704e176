import { freeMemory } from "../../core/free-memory.js";
import type { CodedColumn } from "./change-columns.js";

/** Codes of a fixed number of rows, as narrow as they allow. */
export class SegmentCodes {
  #codes: CodedColumn["codes"];

  constructor(capacity: number) {
    this.#codes = new Uint8Array(capacity);
  }

  /**
   * Puts codes of a part into the rows from `start` on.
   *
   * @param codeOf the code here of each code of the part
   * @param count codes that there are here
   */
  add(codes: CodedColumn["codes"], codeOf: Uint32Array, count: number, start: number): void {
    this.#widen(count);
    const target = this.#codes;
    for (let row = 0; row < codes.length; row += 1) target[start + row] = codeOf[codes[row] ?? 0] ?? 0;
  }

  /** Those of the first rows, without a copy. */
  first(rowCount: number): CodedColumn["codes"] {
    return this.#codes.subarray(0, rowCount);
  }

  #widen(count: number): void {
    const narrow = this.#codes;
    const bytes = count <= 0x100 ? 1 : count <= 0x1_0000 ? 2 : 4;
    if (bytes <= narrow.BYTES_PER_ELEMENT) return;
    this.#codes = bytes === 2 ? new Uint16Array(narrow) : new Uint32Array(narrow);
    freeMemory(narrow);
  }
}
