import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareText } from "../../../src/core/json.js";
import { UUID_WORDS, uuidText } from "../../../src/core/uuid.js";
import { sortUuids } from "../../../src/history/log/sort-uuids.js";

/** UUIDs that share their first bits, their last bits or all bits. */
const word = fc.oneof(
  fc.constantFrom(0, 1, 2, 0x8000_0000, 0xffff_ffff),
  fc.nat({ max: 3 }),
  fc.integer({ min: 0, max: 0xffff_ffff }),
);
const words = fc.tuple(word, word, word, word);
const fewWords = fc.tuple(fc.constantFrom(7, 8), fc.constant(9), word, fc.constantFrom(1, 2));

describe("sorting UUIDs", () => {
  const sorted = (all: readonly (readonly number[])[]) => {
    const packed = Uint32Array.from(all.flat());
    const places = Uint32Array.from(all.keys());
    const repeated: number[] = [];
    sortUuids(packed, places, (place) => repeated.push(place));
    const texts = all.map((_, place) => uuidText(packed, UUID_WORDS * place));
    const wanted = [...all.keys()].sort((a, b) => compareText(texts[a] ?? "", texts[b] ?? "") || a - b);
    expect([...places]).toEqual(wanted);
    expect(new Set(repeated)).toEqual(
      new Set(texts.flatMap((text, place) => (texts.indexOf(text) < place ? [place] : []))),
    );
  };

  it("sorts by string, keeps the order of equal UUIDs and lists them", () => {
    fc.assert(fc.property(fc.array(words, { maxLength: 60 }), sorted));
    fc.assert(fc.property(fc.array(fewWords, { maxLength: 200 }), sorted));
  });

  it("compares all bits", () => {
    // More UUIDs than are compared by twos, with 64 and 96 equal bits.
    for (const alike of [2, 3]) {
      const all = Array.from({ length: 3000 }, (_, n) => {
        const rest = (n * 7919) % 3001;
        return Array.from({ length: UUID_WORDS }, (_, place) => (place < alike ? 5 : place === alike ? rest : n % 3));
      });
      sorted([...all, ...all.slice(0, 100)]);
    }
  });
});
