import { inflateSync } from "node:zlib";
import type { BaseDecoder, GeoTIFFImage, getDecoder as GetDecoder, Pool } from "geotiff";
import { jpegSizes } from "./declared-size.js";
import { lzwSize, packBitsSize, zstdSize } from "./unpacked-size.js";

/** What is used of the package. */
export interface Geotiff {
  readonly Pool: typeof Pool;
  readonly getDecoder: typeof GetDecoder;
}

/** Of a picture, what its blocks are unpacked by. */
type Parameters = BaseDecoder["parameters"];

/** Blocks may end in some bytes that no pixel needs. */
const SLACK = 4096;

/** Compressions of TIFF by their numbers. */
const [RAW, LZW, JPEG, DEFLATE, PACK_BITS, OLD_DEFLATE, LERC, ZSTD] = [
  1, 5, 7, 8, 32_773, 32_946, 34_887, 50_000,
] as const;

/**
 * Unpacks the blocks of a picture of a GeoTIFF, and no block that stands for more than the pixels of a tile or strip: it is
 * an error.
 */
export function limitedPool({ Pool, getDecoder }: Geotiff, image: GeoTIFFImage): Pool {
  // One strip may say that it has any number of lines.
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
 * Checks what a block stands for.
 *
 * @returns the block unpacked, if that was the way to check it
 * @throws RangeError for more than a tile has
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
      // Of frames without a size, blocks are counted as if they were full.
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
  if (size > most + SLACK) throw new RangeError(`A block has more bytes than the ${most} of its pixels`);
}

/** JPEG has whole blocks of pixels. */
const MARGIN = 16;

function requireTile(width: number, height: number, { tileWidth, tileHeight }: Parameters): void {
  if (width <= tileWidth + MARGIN && height <= tileHeight + MARGIN) return;
  throw new RangeError(`A block of ${tileWidth} × ${tileHeight} pixels declares ${width} × ${height}`);
}

function inflated(block: Uint8Array, most: number): ArrayBuffer {
  try {
    return Uint8Array.from(inflateSync(block, { maxOutputLength: most + SLACK })).buffer;
  } catch (error) {
    if (error instanceof RangeError) requireSize(Number.POSITIVE_INFINITY, most);
    throw error;
  }
}

/** Where the height and the width of a block are that begins so, in the form without a checksum. */
const lercHeaders = [
  ["Lerc2 ", 10],
  ["CntZImage ", 18],
] as const;

/** @throws Error for a second compression within, whose size nothing tells */
function requireLerc(parameters: Parameters, block: Uint8Array): undefined {
  const [, added] =
    (Reflect.get(parameters, "LercParameters") as (ArrayLike<number> & Iterable<number>) | undefined) ?? [];
  if (added)
    throw new Error(
      "It is compressed by LERC and another compression. Convert it: gdal_translate -co COMPRESS=DEFLATE",
    );
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const found = lercHeaders.find(([name]) => Buffer.from(block.subarray(0, name.length)).toString("latin1") === name);
  if (!found) throw new Error("A block is not LERC");
  const [name, start] = found;
  // From the third version on a checksum is before them.
  const at = name === "Lerc2 " && view.getInt32(6, true) >= 3 ? start + 4 : start;
  requireTile(view.getUint32(at + 4, true), view.getUint32(at, true), parameters);
}
