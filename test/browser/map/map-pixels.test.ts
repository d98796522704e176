import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pixelSheet } from "../../../src/browser/map/map-pixels.js";

/** Like `ImageData` in browsers. */
const image = (width: number, height: number) => ({ width, height, data: new Uint8ClampedArray(4 * width * height) });
type Sheet = ReturnType<typeof pixelSheet<ReturnType<typeof image>>>;

const blue = { pixels: Uint32Array.of(0xffb27200), side: 1, alpha: 1 };
const SIDE = 40;

/** Area of covered pixels, including parts of pixels. */
function covered(sheet: Sheet): number {
  return sheet.image().data.reduce((sum, value, at) => sum + (at % 4 === 3 ? value : 0), 0) / 255;
}

function areaOf(ring: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < ring.length; at += 2) {
    const next = (at + 2) % ring.length;
    sum += (ring[at] ?? 0) * (ring[next + 1] ?? 0) - (ring[next] ?? 0) * (ring[at + 1] ?? 0);
  }
  return Math.abs(sum / 2);
}

describe("pixelSheet", () => {
  const empty = () => {
    const sheet = pixelSheet(image);
    sheet.clear(SIDE, SIDE);
    return sheet;
  };

  test("covers the area of a triangle", () => {
    const place = fc.double({ min: 1, max: SIDE - 2, noNaN: true });
    fc.assert(
      fc.property(fc.array(place, { minLength: 6, maxLength: 6 }), (ring) => {
        const sheet = empty();
        sheet.fill(ring, [6], blue);
        // Each pixel at an edge is rounded to one of 255 steps.
        expect(Math.abs(covered(sheet) - areaOf(ring))).toBeLessThan(0.3);
      }),
    );
  });

  test("leaves holes empty and fills separate parts", () => {
    const sheet = empty();
    const outer = [4, 4, 24, 4, 24, 24, 4, 24];
    const hole = [10, 10, 10, 20, 20, 20, 20, 10];
    const apart = [30, 30, 34, 30, 34, 34, 30, 34];
    sheet.fill([...outer, ...hole, ...apart], [8, 16, 24], blue);
    expect(covered(sheet)).toBeCloseTo(400 - 100 + 16);
    expect([...new Uint32Array(sheet.image().data.buffer)][15 * SIDE + 15]).toBe(0);
    expect([...new Uint32Array(sheet.image().data.buffer)][32 * SIDE + 32]).toBe(0xffb27200);
  });

  test("clips at its edges, blends with earlier pixels, and can be cleared", () => {
    const sheet = empty();
    sheet.fill([-10, -10, 5, -10, 5, 5, -10, 5], [8], blue);
    sheet.square(SIDE, SIDE, 2, blue);
    expect(covered(sheet)).toBeCloseTo(25 + 4);
    const red = { pixels: Uint32Array.of(0xff0000ff), side: 1, alpha: 0.5 };
    sheet.square(2, 2, 1, red);
    expect(covered(sheet)).toBeCloseTo(29);
    const [r, g, b, a] = sheet.image().data.subarray(4 * (2 * SIDE + 2));
    expect([r, g, b, a].map((value) => Math.round((value ?? 0) / 4))).toEqual([32, 14, 22, 64]);
    sheet.clear(SIDE, SIDE);
    expect(covered(sheet)).toBe(0);
  });

  test("repeats a pattern", () => {
    const sheet = empty();
    const pattern = { pixels: Uint32Array.of(0xff0000ff, 0, 0, 0xff00ff00), side: 2, alpha: 1 };
    sheet.fill([2, 2, 6, 2, 6, 6, 2, 6], [8], pattern);
    expect(covered(sheet)).toBeCloseTo(8);
  });
});
