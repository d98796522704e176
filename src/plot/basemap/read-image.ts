import { open, readFile } from "node:fs/promises";
import { ArgumentError, FileError, SiteframeError } from "../../core/errors.js";
import { declaredSize, type ImageType, refuseMany } from "./declared-size.js";
import { type Box, mercatorSize, mercatorX, mercatorY, overlap } from "./mercator.js";
import type { PictureView, PlacedRaster, Raster } from "./raster.js";
import { readGeoTiff } from "./read-geotiff.js";
import { unreadableBasemap } from "./unreadable-basemap.js";

const HINT = "Pass a GeoTIFF, or a PNG, JPEG, GIF or WebP with { bounds: [west, south, east, north] } in degrees.";

/**
 * Returns the part of a picture inside a view.
 *
 * @param image the path of the file, or its bytes
 * @param bounds its sides; default for a GeoTIFF: its own location
 * @returns undefined if it is outside of the view
 * @throws FileError for a file that cannot be read, ArgumentError for a picture without a location
 */
export async function readImage(
  image: string | Uint8Array,
  name: string,
  bounds: Box | undefined,
  view: PictureView,
): Promise<PlacedRaster | undefined> {
  const bytes = await firstBytes(image, name);
  if (isTiff(bytes)) {
    try {
      return await readGeoTiff(image, name, bounds, view);
    } catch (cause) {
      throw cause instanceof SiteframeError ? cause : unreadableBasemap(`loadBasemap(): ${name}`, name, cause);
    }
  }
  const type = imageType(bytes);
  if (!type) throw new ArgumentError(`loadBasemap(): ${name} is not a supported picture.`, { hint: HINT });
  if (!bounds) throw new ArgumentError(`loadBasemap(): ${name} has no location.`, { hint: HINT });
  const box = overlap(view.box, bounds);
  if (!box) return undefined;
  const [whole, part] = [mercatorSize(view.box), mercatorSize(box)];
  const size = {
    width: Math.max(1, Math.round((view.width * part.width) / whole.width)),
    height: Math.max(1, Math.round((view.height * part.height) / whole.height)),
  };
  const data = typeof image === "string" ? await readFile(image) : image;
  const raster = await composePictures([{ href: await pictureUrl(data, type, name), box: bounds }], { box, ...size });
  if (raster.pixels.some((value, at) => at % 4 === 3 && value > 0)) return { raster, box };
  throw new FileError(`loadBasemap(): ${name} is damaged or fully transparent.`, {
    hint: HINT,
    facts: { path: name },
  });
}

/**
 * Returns a picture as a `data:` URL for the SVG renderer: a WebP becomes a PNG.
 *
 * @throws FileError for a WebP that cannot be decoded, ArgumentError for a picture of too many pixels
 */
export async function pictureUrl(bytes: Uint8Array, type: ImageType, name: string): Promise<string> {
  const size = declaredSize(bytes, type);
  // The decoder rejects a damaged header.
  if (size) refuseMany(...size, name);
  if (type !== "webp") return `data:image/${type};base64,${Buffer.from(bytes).toString("base64")}`;
  const [{ decodeWebp }, { encodePng }] = await Promise.all([
    import("../png/decode-webp.js"),
    import("../png/encode-image.js"),
  ]);
  try {
    const png = await encodePng(await decodeWebp(bytes), false);
    return `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
  } catch (cause) {
    if (cause instanceof SiteframeError) throw cause;
    throw new FileError(`loadBasemap(): ${name} cannot be decoded as WebP.`, {
      hint: "Convert it to PNG: dwebp site.webp -o site.png.",
      facts: { path: name },
      cause,
    });
  }
}

/** Pictures in a grid, as pixels. */
export async function composePictures(
  pictures: readonly { readonly href: string; readonly box: Box }[],
  { box, width, height }: PictureView,
): Promise<Raster> {
  const whole = mercatorSize(box);
  const images = pictures.map(({ href, box: { west, south, east, north } }) => {
    const [left, right] = [west, east].map((side) => ((mercatorX(side) - mercatorX(box.west)) / whole.width) * width);
    const [top, bottom] = [north, south].map(
      (side) => ((mercatorY(side) - mercatorY(box.north)) / whole.height) * height,
    );
    const [x, y] = [left as number, top as number];
    const size = `width="${(right as number) - x}" height="${(bottom as number) - y}"`;
    return `<image href="${href}" x="${x}" y="${y}" ${size} preserveAspectRatio="none"/>`;
  });
  // Loaded on demand, since loading takes longer than drawing a map without pictures.
  const { renderPixels } = await import("../png/render-png.js");
  return renderPixels(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${images.join("")}</svg>`,
  );
}

async function firstBytes(image: string | Uint8Array, name: string): Promise<Uint8Array> {
  if (typeof image !== "string") return image.subarray(0, 16);
  try {
    const file = await open(image);
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(16), 0, 16, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw unreadableBasemap(`loadBasemap(): ${name}`, name, cause);
  }
}

/** The type of a picture by its first bytes, as `image/…` names it. */
export function imageType(bytes: Uint8Array): ImageType | undefined {
  const text = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (text.startsWith("\x89PNG")) return "png";
  if (text.startsWith("\xff\xd8\xff")) return "jpeg";
  if (text.startsWith("GIF8")) return "gif";
  return text.startsWith("RIFF") && text.endsWith("WEBP") ? "webp" : undefined;
}

function isTiff(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
  return /^(II[*+]\0|MM\0[*+])/.test(text);
}
