const FIRST_SIZE = 512;

/**
 * Codes of numbers by the two words of each: numbers are the same if their bits are, so that -0 is not 0.
 *
 * A `Map` of doubles needs an object per number, and takes three times as long.
 */
export class NumberCodes {
  /** Open addressing: code + 1, 0 where free. Empty until there is a number. */
  #slots = new Int32Array(0);
  /** The words of each number beside its slot. */
  #words = new Int32Array(0);
  #size = 0;

  /** The code of a number; of a new one, `next`, which it has from now on. */
  code(high: number, low: number, next: number): number {
    if (2 * this.#size >= this.#slots.length) this.#grow();
    const slot = this.#find(high | 0, low | 0);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    this.#put(slot, high | 0, low | 0, next + 1);
    this.#size += 1;
    return next;
  }

  #find(high: number, low: number): number {
    const slots = this.#slots;
    const words = this.#words;
    const mask = slots.length - 1;
    let slot = hashOf(high, low) & mask;
    while (slots[slot] !== 0 && (words[2 * slot] !== high || words[2 * slot + 1] !== low)) slot = (slot + 1) & mask;
    return slot;
  }

  #put(slot: number, high: number, low: number, entry: number): void {
    this.#slots[slot] = entry;
    this.#words[2 * slot] = high;
    this.#words[2 * slot + 1] = low;
  }

  #grow(): void {
    const [slots, words] = [this.#slots, this.#words];
    const size = Math.max(FIRST_SIZE, 4 * slots.length);
    this.#slots = new Int32Array(size);
    this.#words = new Int32Array(2 * size);
    for (let slot = 0; slot < slots.length; slot += 1) {
      const [entry, high, low] = [slots[slot] ?? 0, words[2 * slot] ?? 0, words[2 * slot + 1] ?? 0];
      if (entry !== 0) this.#put(this.#find(high, low), high, low, entry);
    }
  }
}

/** Small integers differ in the high bits of their high word alone, so that both words are mixed down. */
function hashOf(high: number, low: number): number {
  const mixed = Math.imul(high ^ Math.imul(low, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
