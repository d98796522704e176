import { describe, expect, test } from "vitest";
import { encodeDrawing, encodePng } from "../../../src/plot/png/encode-image.js";
import { renderPng } from "../../../src/plot/png/render-png.js";
import { decodePng } from "./decode-png.js";

/** Pixels of which no two neighbours are alike. */
function noise(width: number, height: number): Uint8Array {
  return Uint8Array.from({ length: 4 * width * height }, (_, at) => (at % 4 === 3 ? 255 : (at * 7919) % 251));
}

describe.each([encodePng, encodeDrawing])("%o", (encode) => {
  test.each([
    [1, 1],
    [7, 5],
    [300, 2],
    [2, 300],
  ])("keeps every pixel of %d × %d", async (width, height) => {
    const pixels = noise(width, height);
    const png = await encode({ width, height, pixels });
    const image = decodePng(png);
    expect([image.width, image.height]).toEqual([width, height]);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const at = 4 * (y * width + x);
        expect(image.at(x, y)).toEqual([...pixels.subarray(at, at + 4)]);
      }
    }
  });

  // The renderer has its own decoder, which checks the sums.
  test("is a PNG for other readers", async () => {
    const [width, height] = [7, 5];
    const png = await encode({ width, height, pixels: noise(width, height) });
    const url = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"><image image-rendering="optimizeSpeed" width="7" height="5" href="${url}"/></svg>`;
    const shown = decodePng(await renderPng(svg, { mode: "width", value: width }, "#ffffff", []));
    const given = decodePng(png);
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) expect(shown.at(x, y)).toEqual(given.at(x, y));
  });
});
