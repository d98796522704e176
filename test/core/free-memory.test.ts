import { expect, test } from "vitest";
import { freeMemory } from "../../src/core/free-memory.js";

test("the memory of a large array is released at once, and every array over it is empty", () => {
  const array = new Float64Array(1 << 20).fill(1);
  const part = array.subarray(5, 10);
  const before = process.memoryUsage().arrayBuffers;
  freeMemory(part);
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThan(7 << 20);
  expect([array.length, part.length, array.buffer.byteLength]).toEqual([0, 0, 0]);
});

test("released, shared and small memory stays as it is", () => {
  const array = new Uint8Array(1 << 20);
  freeMemory(array);
  expect(() => freeMemory(array)).not.toThrow();
  const shared = new Uint8Array(new SharedArrayBuffer(1 << 20)).fill(7);
  const small = new Uint8Array(100).fill(7);
  for (const kept of [shared, small]) {
    freeMemory(kept);
    expect(kept.at(-1)).toBe(7);
  }
});
