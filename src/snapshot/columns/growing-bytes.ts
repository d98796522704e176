/** Texts in UTF-8, one behind the other. */
export class GrowingBytes {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    // A UTF-16 unit takes three bytes at most.
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Drops what lies behind a position. */
  cut(length: number): void {
    this.#length = length;
  }

  text(start: number, end: number): string {
    return this.#bytes.toString("utf8", start, end);
  }

  /** What was written; it changes with the next text. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + bytes));
    this.view().copy(grown);
    this.#bytes = grown;
  }
}
