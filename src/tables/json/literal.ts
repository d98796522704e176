import type { JsonBytes } from "./json-bytes.js";

const WIDTH = 8;

/**
 * Bytes to be found again, compared eight at a time.
 *
 * Eight bytes are compared as a double. A double that is neither NaN nor zero equals no other bit pattern; ASCII makes
 * neither (the exponent of a NaN needs a byte above 0x7f, a zero needs eight zero bytes), and where other bytes do,
 * the literal is compared byte by byte.
 */
export class Literal {
  readonly length: number;
  readonly bytes: Uint8Array;
  /** The bytes from 0, 8, 16, …, and the last eight. */
  readonly #doubles: Float64Array;
  readonly #last: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.length = bytes.length;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const doubles = Float64Array.from({ length: Math.floor(bytes.length / WIDTH) }, (_, n) =>
      view.getFloat64(n * WIDTH, true),
    );
    this.#last = bytes.length >= WIDTH ? view.getFloat64(bytes.length - WIDTH, true) : 0;
    const isComparable = [...doubles, this.#last].every((double) => double !== 0 && !Number.isNaN(double));
    this.#doubles = isComparable ? doubles : new Float64Array(0);
  }

  /** Whether these bytes stand at `start`. */
  isAt({ bytes, view }: JsonBytes, start: number): boolean {
    const doubles = this.#doubles;
    const count = doubles.length;
    if (start + this.length > bytes.length) return false;
    if (count === 0) return this.#isAtByBytes(bytes, start);
    for (let n = 0; n < count; n += 1) if (view.getFloat64(start + n * WIDTH, true) !== doubles[n]) return false;
    return view.getFloat64(start + this.length - WIDTH, true) === this.#last;
  }

  #isAtByBytes(bytes: Uint8Array, start: number): boolean {
    for (let n = 0; n < this.length; n += 1) if (bytes[start + n] !== this.bytes[n]) return false;
    return true;
  }
}
