import { ArgumentError } from "../../core/errors.js";
import { formatCount } from "../../core/format/format-number.js";

/** The type of a picture, as `image/…` names it. */
export type ImageType = "png" | "jpeg" | "gif" | "webp";

/** Width and height of a picture in pixels. */
export type PictureSize = readonly [width: number, height: number];

/** The size that the header of a picture declares; undefined if the header is damaged. */
export function declaredSize(bytes: Uint8Array, type: ImageType): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return readers[type](view);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const readers: Readonly<Record<ImageType, (view: DataView) => PictureSize | undefined>> = {
  png: (view) => [view.getUint32(16), view.getUint32(20)],
  gif: (view) => [view.getUint16(6, true), view.getUint16(8, true)],
  jpeg: jpegSize,
  webp: webpSize,
};

/** Frame headers: SOF0 to SOF15 except tables and extensions. */
const FRAME = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

function jpegSize(view: DataView): PictureSize | undefined {
  return frameSizes(view).next().value ?? undefined;
}

/** The sizes in all frame headers of a JPEG, up to any damage: decoders may use each of them. */
export function jpegSizes(bytes: Uint8Array): readonly PictureSize[] {
  const sizes: PictureSize[] = [];
  try {
    for (const size of frameSizes(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))) sizes.push(size);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return sizes;
}

/** Begin of a scan, whose pixels follow its header; end of the picture. */
const [SCAN, END] = [0xda, 0xd9];

function* frameSizes(view: DataView): Generator<PictureSize, undefined> {
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    // Fill bytes.
    if (marker === 0xff) at += 1;
    else if (marker === END) return;
    else {
      if (FRAME.has(marker)) yield [view.getUint16(at + 7), view.getUint16(at + 5)];
      at += 2 + view.getUint16(at + 2);
      if (marker === SCAN) at = afterScan(view, at);
    }
  }
}

/** Inside pixels, 0xff is followed by 0 or a restart marker. */
function afterScan(view: DataView, start: number): number {
  for (let at = start; ; at += 1) {
    const next = view.getUint8(at) === 0xff ? view.getUint8(at + 1) : 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
}

/** RIFF's header and the name of the first chunk have 16 bytes, its length 4. */
function webpSize(view: DataView): PictureSize | undefined {
  const uint24 = (at: number) => view.getUint16(at, true) + 0x10000 * view.getUint8(at + 2);
  switch (String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)))) {
    case "VP8X":
      return [uint24(24) + 1, uint24(27) + 1];
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case "VP8 ":
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    default:
      return undefined;
  }
}

/** Maximum pixels read for one picture: each needs four bytes or more. */
const MOST_READ = 120_000_000;

/** @throws ArgumentError for a picture of too many pixels */
export function refuseMany(width: number, height: number, name: string): void {
  if (width * height <= MOST_READ) return;
  const [pixels, most] = [width * height, MOST_READ].map((count) => formatCount(count));
  throw new ArgumentError(`loadBasemap(): ${name} has ${pixels} pixels, the maximum is ${most}.`, {
    hint: "Make it smaller (gdal_translate -outsize 50% 50% large.png small.png), or use a GeoTIFF with overviews: gdaladdo -r average file.tif 2 4 8 16.",
  });
}
