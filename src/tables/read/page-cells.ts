import { freeMemory } from "../../core/free-memory.js";

/** Words of a slab: so large that the system takes its memory back as soon as it is given back. */
const SLAB = 1 << 23;
/** Of fewer words in all nobody notices what they leave behind. */
const FEW = SLAB >> 2;

/**
 * Copies of the cells of pages, in large slabs that are given back together. As thousands of small arrays they would
 * leave gaps between what stays, which the process would keep.
 */
export class PageCells {
  readonly #few: number;
  readonly #slabs: Uint32Array[] = [];
  #copied = 0;
  /** Words of the last slab that are taken. */
  #taken = SLAB;

  /** @param few words that are copied into arrays of their own before there are slabs */
  constructor(few = FEW) {
    this.#few = few;
  }

  /** Copies the cells of a column. */
  copy(cells: Uint32Array): Uint32Array {
    this.#copied += cells.length;
    if (this.#copied <= this.#few || cells.length > SLAB) return cells.slice();
    const start = this.#taken + cells.length > SLAB ? 0 : this.#taken;
    if (start === 0) this.#slabs.push(new Uint32Array(SLAB));
    this.#taken = start + cells.length;
    const copied = this.#slabs.at(-1)?.subarray(start, this.#taken) ?? new Uint32Array(cells.length);
    copied.set(cells);
    return copied;
  }

  /** Gives the memory of all copies back: nobody may look at them any more. */
  free(): void {
    for (const slab of this.#slabs.splice(0)) freeMemory(slab);
    this.#taken = SLAB;
    this.#copied = 0;
  }
}
