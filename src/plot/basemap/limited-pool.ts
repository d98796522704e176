import { inflateSync } from "node:zlib";
import type { BaseDecoder, GeoTIFFImage, getDecoder as GetDecoder, Pool } from "geotiff";
import { jpegSizes } from "./declared-size.js";

/** The used part of the package. */
export interface Geotiff {
  readonly Pool: typeof Pool;
  readonly getDecoder: typeof GetDecoder;
}

/** Parameters for unpacking the blocks of a picture. */
type Parameters = BaseDecoder["parameters"];

/** Blocks may end in some unused bytes. */
const SLACK = 4096;

/** Compressions of TIFF by their numbers. */
const [RAW, LZW, JPEG, DEFLATE, PACK_BITS, OLD_DEFLATE, LERC, ZSTD] = [
  1, 5, 7, 8, 32_773, 32_946, 34_887, 50_000,
] as const;

/** Unpacks the blocks of a GeoTIFF picture. A block that is larger than the pixels of its tile or strip is an error. */
export function limitedPool({ Pool, getDecoder }: Geotiff, image: GeoTIFFImage): Pool {
  // A single strip may declare 2³² lines.
  const tile = { tileWidth: image.getTileWidth(), tileHeight: image.getTileHeight() };
  return new (class extends Pool {
    override bindParameters(compression: number, parameters: Parameters) {
      return {
        decode: async (block: ArrayBufferLike) => {
          const unpacked = checkedBlock(compression, { ...parameters, ...tile }, new Uint8Array(block));
          const decoder = await getDecoder(unpacked ? RAW : compression, parameters);
          return decoder.decode(unpacked ?? block);
        },
      };
    }
  })(0);
}

/**
 * Checks the size of a block before it is unpacked.
 *
 * @returns the unpacked block, if the check had to unpack it
 * @throws RangeError if it is larger than a tile
 */
function checkedBlock(compression: number, parameters: Parameters, block: Uint8Array): ArrayBuffer | undefined {
  const most = tileBytes(parameters);
  switch (compression) {
    case DEFLATE:
    case OLD_DEFLATE:
      return inflated(block, most);
    case LZW:
      return requireSize(lzwSize(block, most + SLACK), most);
    case PACK_BITS:
      return requireSize(packBitsSize(block, most + SLACK), most);
    case ZSTD:
      // Frames that declare no size count as full blocks.
      return requireSize(zstdSize(block, 2 * most + ZSTD_SLACK), 2 * most + ZSTD_SLACK);
    case JPEG:
      for (const [width, height] of jpegSizes(block)) requireTile(width, height, parameters);
      return undefined;
    case LERC:
      return requireLerc(parameters, block);
    default:
      return undefined;
  }
}

/** Two blocks of Zstandard. */
const ZSTD_SLACK = 1 << 18;

function tileBytes({ tileWidth, tileHeight, bitsPerSample, planarConfiguration }: Parameters): number {
  const samples = typeof bitsPerSample === "number" ? [bitsPerSample] : Array.from(bitsPerSample);
  const bits = planarConfiguration === 2 ? Math.max(...samples) : samples.reduce((sum, each) => sum + each, 0);
  return tileHeight * Math.ceil((tileWidth * bits) / 8);
}

function requireSize(size: number, most: number): undefined {
  if (size > most + SLACK) throw new RangeError(`A block has more bytes than its pixels (${most})`);
}

/** JPEG consists of whole blocks of pixels. */
const MARGIN = 16;

function requireTile(width: number, height: number, { tileWidth, tileHeight }: Parameters): void {
  if (width <= tileWidth + MARGIN && height <= tileHeight + MARGIN) return;
  throw new RangeError(`A block of ${tileWidth} × ${tileHeight} pixels declares a size of ${width} × ${height}`);
}

function inflated(block: Uint8Array, most: number): ArrayBuffer {
  try {
    return Uint8Array.from(inflateSync(block, { maxOutputLength: most + SLACK })).buffer;
  } catch (error) {
    if (error instanceof RangeError) requireSize(Number.POSITIVE_INFINITY, most);
    throw error;
  }
}

/** Headers of a block with the offset of its height, which is followed by the width, in the form without a checksum. */
const lercHeaders = [
  ["Lerc2 ", 10],
  ["CntZImage ", 18],
] as const;

/** @throws Error for nested compression, which declares no size */
function requireLerc(parameters: Parameters, block: Uint8Array): undefined {
  const [, added] =
    (Reflect.get(parameters, "LercParameters") as (ArrayLike<number> & Iterable<number>) | undefined) ?? [];
  if (added)
    throw new Error(
      "Unsupported: LERC combined with another compression. Convert it: gdal_translate -co COMPRESS=DEFLATE",
    );
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const header = lercHeaders.find(([name]) => Buffer.from(block.subarray(0, name.length)).toString("latin1") === name);
  if (!header) throw new Error("Invalid LERC block");
  const [name, start] = header;
  // Since version 3, a checksum precedes them.
  const at = name === "Lerc2 " && view.getInt32(6, true) >= 3 ? start + 4 : start;
  requireTile(view.getUint32(at + 4, true), view.getUint32(at, true), parameters);
}

/** LZW of TIFF: codes of 9 to 12 bits. Two codes are instructions. */
const [CLEAR, END, FIRST_WIDTH, LAST_WIDTH] = [256, 257, 9, 12];

/** The unpacked length of LZW. Stops above `most`, as the functions below do. */
function lzwSize(bytes: Uint8Array, most: number): number {
  const lengths = new Uint32Array(1 << LAST_WIDTH).fill(1);
  let [size, next, width, before] = [0, END + 1, FIRST_WIDTH, -1];
  let [bits, count] = [0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xff_ffff;
    count += 8;
    if (count < width) continue;
    count -= width;
    const code = (bits >>> count) & ((1 << width) - 1);
    if (code === END || size > most) break;
    if (code === CLEAR) {
      [next, width, before] = [END + 1, FIRST_WIDTH, -1];
      continue;
    }
    if (code >= next && before < 0) throw new RangeError("invalid LZW data");
    const length = code < next ? (lengths[code] as number) : (lengths[before] as number) + 1;
    size += length;
    if (before >= 0 && next < lengths.length) {
      lengths[next] = (lengths[before] as number) + 1;
      next += 1;
    }
    before = code;
    if (next + 1 >= 1 << width && width < LAST_WIDTH) width += 1;
  }
  return size;
}

/** The unpacked length of PackBits. */
function packBitsSize(bytes: Uint8Array, most: number): number {
  let size = 0;
  for (let at = 0; at < bytes.length && size <= most; ) {
    const header = bytes[at] as number;
    const length = header < 128 ? header + 1 : 257 - header;
    size += length;
    at += header < 128 ? 1 + length : 2;
  }
  return size;
}

const ZSTD_FRAME = 0xfd2f_b528;
/** The first of sixteen kinds of skippable frames. */
const ZSTD_SKIPPED = 0x184d_2a50;
/** Maximum unpacked length of a compressed block. */
const ZSTD_BLOCK = 1 << 17;

/**
 * Maximum unpacked length of Zstandard: as frames declare, which decoders check, or the capacity of their blocks.
 *
 * @throws RangeError for truncated data
 */
function zstdSize(bytes: Uint8Array, most: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let size = 0;
  for (let at = 0; at < bytes.length && size <= most; ) {
    const magic = view.getUint32(at, true);
    if ((magic & ~0xf) >>> 0 === ZSTD_SKIPPED) {
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== ZSTD_FRAME) throw new RangeError("invalid Zstandard data");
    const frame = zstdFrame(view, at + 4, most);
    size += frame.size;
    at = frame.end;
  }
  return size;
}

function zstdFrame(view: DataView, start: number, most: number): { readonly size: number; readonly end: number } {
  const descriptor = view.getUint8(start);
  const isSingle = (descriptor & 0x20) !== 0;
  let at = start + 1 + Number(!isSingle) + ([0, 1, 2, 4][descriptor & 3] as number);
  const declared = declaredZstdSize(view, at, descriptor >>> 6, isSingle);
  at += declared.length;
  let blocks = 0;
  for (let isLast = false; !isLast && blocks <= most; ) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const [type, length] = [(header >>> 1) & 3, header >>> 3];
    isLast = (header & 1) !== 0;
    blocks += type === 2 ? ZSTD_BLOCK : length;
    at += 3 + (type === 1 ? 1 : length);
  }
  // A checksum may follow the blocks.
  return { size: declared.size ?? blocks, end: at + (descriptor & 4) };
}

function declaredZstdSize(view: DataView, at: number, kind: number, isSingle: boolean) {
  if (kind === 1) return { size: view.getUint16(at, true) + 256, length: 2 };
  if (kind === 2) return { size: view.getUint32(at, true), length: 4 };
  if (kind === 3) return { size: Number(view.getBigUint64(at, true)), length: 8 };
  return isSingle ? { size: view.getUint8(at), length: 1 } : { size: undefined, length: 0 };
}
