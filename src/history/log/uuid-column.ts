import { firstIndex } from "../../core/first-index.js";
import { compareUuids, packUuid, UUID_WORDS, uuidText } from "../../core/uuid-words.js";
import type { Column } from "../../tables/column/column.js";

/** UUIDs in 16 bytes each instead of a text of 36 characters; they come out in lower case. */
export class UuidColumn implements Column<string> {
  readonly length: number;
  /** Four a UUID. */
  readonly words: Uint32Array;

  constructor(words: Uint32Array) {
    this.length = words.length / UUID_WORDS;
    this.words = words;
  }

  at(row: number): string {
    return uuidText(this.words, row * UUID_WORDS);
  }

  *[Symbol.iterator](): Iterator<string> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }

  /** The first rows, without a copy. */
  first(length: number): UuidColumn {
    return new UuidColumn(this.words.subarray(0, length * UUID_WORDS));
  }

  /** How many UUIDs of an ascending column are not above another. */
  countUpTo(text: string): number {
    const wanted = new Uint32Array(UUID_WORDS);
    packUuid(text, wanted, 0);
    return firstIndex(this.length, (row) => compareUuids(this.words, row * UUID_WORDS, wanted, 0) <= 0);
  }

  /** Milliseconds since 1970 that a UUIDv7 was made at; undefined for any other UUID (RFC 9562, section 5.7). */
  timeMs(row: number): number | undefined {
    const start = row * UUID_WORDS;
    const [high, low, variant] = [
      this.words[start] as number,
      this.words[start + 1] as number,
      this.words[start + 2] as number,
    ];
    const isVersion7 = ((low >>> 12) & 0xf) === 7 && variant >>> 30 === 0b10;
    return isVersion7 ? high * 0x1_0000 + (low >>> 16) : undefined;
  }
}
