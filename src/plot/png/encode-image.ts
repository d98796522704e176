import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const colours = { bits: 8, rgb: 2, rgba: 6 };
/** Bytes unchanged. */
const filterNone = 0;
/** Difference of each byte from that of the previous pixel. */
const filterSub = 1;
/** Higher levels save only one percent. */
const compression = { level: 4 };

const deflated = promisify(deflate);

/** An image without transparent parts. */
export interface OpaqueImage {
  readonly width: number;
  readonly height: number;
  /** Four bytes per pixel; the last is ignored. */
  readonly pixels: Uint8Array;
}

/** An image as a PNG, without an alpha channel if it is opaque. */
export async function encodePng({ width, height, pixels }: OpaqueImage, isOpaque = true): Promise<Uint8Array> {
  return pngOf(width, height, filtered(pixels, width, height, isOpaque ? 3 : 4), isOpaque);
}

/**
 * A drawing as a PNG. Its uniform areas compress best without a filter: 10 to 25 percent smaller. Removing the fourth byte of
 * each pixel would take longer than everything else, before V8 has optimized it, and save almost nothing.
 */
export async function encodeDrawing({ width, height, pixels }: OpaqueImage): Promise<Uint8Array> {
  const length = 4 * width;
  const lines = new Uint8Array((length + 1) * height);
  for (let y = 0; y < height; y += 1) {
    lines[y * (length + 1)] = filterNone;
    lines.set(pixels.subarray(y * length, (y + 1) * length), y * (length + 1) + 1);
  }
  return pngOf(width, height, lines, false);
}

/** @param lines of the image, each after the number of its filter */
async function pngOf(width: number, height: number, lines: Uint8Array, isOpaque: boolean): Promise<Uint8Array> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([colours.bits, isOpaque ? colours.rgb : colours.rgba], 8);
  const data = await deflated(lines, compression);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/** The lines of the image, each after the number of its filter. */
function filtered(pixels: Uint8Array, width: number, height: number, channels: 3 | 4): Uint8Array {
  const lines = new Uint8Array((channels * width + 1) * height);
  let to = 0;
  let from = 0;
  for (let y = 0; y < height; y += 1) {
    lines[to++] = filterSub;
    for (let x = 0; x < width; x += 1) {
      for (const last = from + channels; from < last; from += 1) {
        const before = x === 0 ? 0 : (pixels[from - 4] as number);
        lines[to++] = (pixels[from] as number) - before;
      }
      from += 4 - channels;
    }
  }
  return lines;
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, "latin1");
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

const require = createRequire(import.meta.url);

let loading: Promise<typeof import("@jsquash/jpeg/encode.js").default> | undefined;

/**
 * Returns an opaque image as JPEG, for photographs, whose PNG would be many times as large. The encoder is loaded on demand.
 *
 * @param quality from 1 to 100
 */
export async function encodeJpeg({ width, height, pixels }: OpaqueImage, quality: number): Promise<Uint8Array> {
  loading ??= load();
  const encode = await loading;
  return new Uint8Array(await encode({ data: pixels, width, height }, { quality }));
}

async function load() {
  const { default: encode, init } = await import("@jsquash/jpeg/encode.js");
  await init({ wasmBinary: await readFile(require.resolve("@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm")) });
  return encode;
}
