import type { CodedColumn } from "../../tables/read/change-columns.js";
import { type Codes, codeArray, NONE, narrowCodes } from "./change-log.js";

/** A coded column of a log that is put together of parts, each with codes of its own, or of a list that they share. */
export class Coding {
  readonly #codes: Codes;
  /** The values of all lists, one list after the other. */
  readonly #forms: unknown[] = [];
  /** Where the values of each list begin. */
  readonly #starts = new Map<readonly unknown[], number>();

  /** @param lists the values of each part */
  constructor(length: number, lists: readonly (readonly unknown[])[]) {
    for (const list of new Set(lists)) {
      this.#starts.set(list, this.#forms.length);
      for (const value of list) this.#forms.push(value);
    }
    // One more: a dictionary may hold a value that no change has.
    this.#codes = codeArray(this.#forms.length + 1, length);
  }

  /** @param positions of the part's changes in the log; `NONE` for those that are left out */
  add({ codes, values }: CodedColumn, positions: Int32Array): void {
    const first = this.#starts.get(values);
    if (first === undefined) throw new TypeError("a part of a log has another list of values than before");
    const target = this.#codes;
    for (let change = 0; change < positions.length; change += 1) {
      const position = positions[change] ?? NONE;
      if (position !== NONE) target[position] = first + (codes[change] ?? 0);
    }
  }

  /**
   * The codes of a dictionary into which values come in the order in which the log has them first, so that it does not
   * matter in which parts the changes came. Can be called once.
   *
   * @param enter enters a value, and gives its code
   * @param size of the dictionary when all are entered
   */
  settle(enter: (form: unknown) => number, size: () => number): Codes {
    const codes = this.#codes;
    const codeOf = new Int32Array(this.#forms.length).fill(NONE);
    for (let change = 0; change < codes.length; change += 1) {
      const form = codes[change] ?? 0;
      let code = codeOf[form] ?? NONE;
      if (code === NONE) {
        code = enter(this.#forms[form]);
        codeOf[form] = code;
      }
      codes[change] = code;
    }
    return narrowCodes(codes, size());
  }
}
