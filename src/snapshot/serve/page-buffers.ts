/** Smaller pages cost the allocator little, and would hold on to far more than they need. */
const MIN_BYTES = 1 << 20;
/** Bytes to keep: two of the largest usual pages, so that one is filled while the other leaves. */
const KEPT_BYTES = 32 << 20;

/**
 * Memory for large pages, which is used again once a page has left: memory that comes fresh from the system is paid for
 * at its first touch, and again when it is collected.
 */
export class PageBuffers {
  readonly #free: Buffer[] = [];

  /** A buffer of at least so many bytes, with any content. */
  take(bytes: number): Buffer {
    const at = this.#free.findIndex(({ length }) => length >= bytes && length <= 2 * bytes);
    const [found] = at < 0 ? [] : this.#free.splice(at, 1);
    if (found) return found;
    // Whole units, so that pages of about the same size can take each other's place.
    return Buffer.allocUnsafe(bytes < MIN_BYTES ? bytes : Math.ceil(bytes / MIN_BYTES) * MIN_BYTES);
  }

  /** Takes back what `take` gave, once; nobody may read it any more. */
  giveBack(buffer: Buffer): void {
    if (buffer.length < MIN_BYTES || buffer.length > KEPT_BYTES) return;
    this.#free.push(buffer);
    let kept = this.#free.reduce((sum, { length }) => sum + length, 0);
    while (kept > KEPT_BYTES) kept -= this.#free.shift()?.length ?? kept;
  }
}
