import { encodeJpeg, encodePng } from "../png/encode-image.js";
import type { Box } from "./mercator.js";

/** Pixels of a part of the world on Mercator's map, four bytes each, starting in the north-west. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** A raster with its location. */
export interface PlacedRaster {
  readonly raster: Raster;
  readonly box: Box;
}

/** The part of a picture to read: a part of the world, in a number of pixels. */
export interface PictureView {
  readonly box: Box;
  readonly width: number;
  readonly height: number;
}

/** A picture below a map. */
export interface BasemapPicture {
  /** Name of the picture in notes. */
  readonly name: string;
  /** Its extent; inside, it is linear in the Mercator projection. */
  readonly box: Box;
  /** `data:` URL of a PNG or JPEG; undefined if the picture is entirely outside of the map. */
  readonly href: string | undefined;
  /** `data:` URL of a PNG that is white where the picture is opaque; undefined if it is opaque everywhere. */
  readonly mask: string | undefined;
}

/** An output contains a picture three times, in base64: in two fallbacks and in the frame. Together they are below 1 MB. */
const MOST_BYTES = 240_000;
const QUALITY = 80;

/**
 * Encodes a raster as a small picture: a PNG if that is small, as for drawn maps, else a JPEG; scaled down until it fits.
 */
export async function encodePicture(raster: Raster): Promise<Pick<BasemapPicture, "href" | "mask"> | undefined> {
  if (raster.pixels.every((value, at) => at % 4 < 3 || value === 0)) return undefined;
  const isOpaque = raster.pixels.every((value, at) => at % 4 < 3 || value > 250);
  const png = await encodePng(raster, isOpaque);
  if (png.length <= MOST_BYTES) return { href: dataUrl("png", png), mask: undefined };
  let drawn = raster;
  for (;;) {
    const jpeg = await encodeJpeg(drawn, QUALITY);
    const mask = isOpaque ? undefined : await encodePng(whiteOf(drawn), false);
    const bytes = jpeg.length + (mask?.length ?? 0);
    if (bytes <= MOST_BYTES) return { href: dataUrl("jpeg", jpeg), mask: mask && dataUrl("png", mask) };
    const factor = Math.min(0.9, 0.97 * Math.sqrt(MOST_BYTES / bytes));
    drawn = shrink(raster, Math.floor(drawn.width * factor), Math.floor(drawn.height * factor));
  }
}

function dataUrl(type: string, bytes: Uint8Array): string {
  return `data:image/${type};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** White where the raster is opaque. */
function whiteOf({ width, height, pixels }: Raster): Raster {
  const white = pixels.map((value, at) => (at % 4 < 3 ? 255 : value > 127 ? 255 : 0));
  return { width, height, pixels: white };
}

/** Each pixel is the mean of the pixels that it covers, weighted by opacity. */
function shrink({ width, height, pixels }: Raster, newWidth: number, newHeight: number): Raster {
  const shrunk = new Uint8Array(4 * newWidth * newHeight);
  const edges = (count: number, from: number) =>
    Array.from({ length: count + 1 }, (_, at) => Math.round((at * from) / count));
  const [across, down] = [edges(newWidth, width), edges(newHeight, height)];
  for (let row = 0, to = 0; row < newHeight; row += 1) {
    for (let column = 0; column < newWidth; column += 1, to += 4) {
      let [red, green, blue, opaque, count] = [0, 0, 0, 0, 0];
      for (let y = down[row] as number; y < (down[row + 1] as number); y += 1) {
        for (let x = across[column] as number; x < (across[column + 1] as number); x += 1) {
          const at = 4 * (y * width + x);
          const alpha = pixels[at + 3] as number;
          red += (pixels[at] as number) * alpha;
          green += (pixels[at + 1] as number) * alpha;
          blue += (pixels[at + 2] as number) * alpha;
          opaque += alpha;
          count += 1;
        }
      }
      if (opaque === 0) continue;
      shrunk.set([red / opaque, green / opaque, blue / opaque, opaque / count], to);
    }
  }
  return { width: newWidth, height: newHeight, pixels: shrunk };
}
