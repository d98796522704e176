import fc from "fast-check";
import { expect, test } from "vitest";
import { murmur2 } from "../../../src/kernel/debugger/debug-sources.js";

const mask = 0xffff_ffffn;
const factor = 0x5bd1_e995n;

/** MurmurHash2 as its author has it, on whole numbers. */
function oracle(text: string, seed: number): number {
  const bytes = [...Buffer.from(text, "utf8")].map(BigInt);
  const times = (value: bigint) => (value * factor) & mask;
  let hash = BigInt(seed) ^ BigInt(bytes.length);
  while (bytes.length >= 4) {
    const [a = 0n, b = 0n, c = 0n, d = 0n] = bytes.splice(0, 4);
    const word = times(a | (b << 8n) | (c << 16n) | (d << 24n));
    hash = times(hash) ^ times(word ^ (word >> 24n));
  }
  if (bytes.length > 0) {
    for (const [index, byte] of bytes.entries()) hash ^= byte << BigInt(8 * index);
    hash = times(hash);
  }
  hash = times(hash ^ (hash >> 13n));
  return Number(hash ^ (hash >> 15n));
}

test("the hash of a string is MurmurHash2 of its UTF-8", () => {
  expect(murmur2("", 0)).toBe(0);
  const text = fc.string({ unit: "binary", maxLength: 40 });
  fc.assert(fc.property(text, fc.nat(Number(mask)), (code, seed) => murmur2(code, seed) === oracle(code, seed)));
});
