import { packUuid, UUID_WORDS } from "../../../../core/uuid-words.js";
import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { UuidColumn } from "../../../log/uuid-column.js";

/** UUIDs of which nobody knows yet how many there will be, in 16 bytes each. */
export class GrowingUuids {
  readonly #words = new GrowingArray(Uint32Array);

  /** @param text anything else than a text is a UUID of zeros */
  push(text: unknown): void {
    const words = this.#words;
    words.reserve(UUID_WORDS);
    words.values.fill(0, words.length, words.length + UUID_WORDS);
    if (typeof text === "string") packUuid(text, words.values, words.length);
    words.length += UUID_WORDS;
  }

  /** @param values of `count` rows of an engine's answer */
  pushAll(values: ArrayLike<unknown>, count: number): void {
    const words = this.#words;
    if (values instanceof Uint32Array) {
      words.reserve(values.length);
      words.values.set(values, words.length);
      words.length += values.length;
    } else {
      for (let index = 0; index < count; index += 1) this.push(values[index]);
    }
  }

  filled(): UuidColumn {
    return new UuidColumn(this.#words.filled());
  }
}
