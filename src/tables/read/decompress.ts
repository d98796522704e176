import { createReadStream } from "node:fs";
import { pipeline, type Transform } from "node:stream";
import zlib from "node:zlib";
import { ArgumentError, FileError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/** Bytes read at once. */
const PIECE = 1 << 18;

/** Maximum compression ratio: a compressed text file of normal data stays below it, a file of repeated rows may not. */
const MOST_RATIO = 100;
const ALWAYS_ALLOWED = 64 << 20;

/** Available in Node 22.15 and later. */
type CreateZstd = ((options: { chunkSize: number }) => Transform) | undefined;
const createZstd = Reflect.get(zlib, "createZstdDecompress") as CreateZstd;

/** Whether this Node version can decompress the file, if it is compressed. */
function canDecompress(path: string): boolean {
  return !isZstd(path) || createZstd !== undefined;
}

/** Whether the name of a file is that of a compressed file. */
function isCompressed(path: string): boolean {
  return isGzip(path) || isZstd(path);
}

const isGzip = (path: string) => /\.gz$/i.test(path);
const isZstd = (path: string) => /\.zst$/i.test(path);

/**
 * Reads a file in pieces, decompressed if its name ends in `.gz` or `.zst`.
 *
 * @throws FileError for a file that decompresses to more than 64 MiB and 100 times its size, ArgumentError for `.zst` in an
 * older Node version
 */
export async function* decompress(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  if (!canDecompress(path)) {
    throw new ArgumentError(`${showValue(path)} needs Node 22.15 or later.`, { hint: "Decompress it first: zstd -d." });
  }
  const file = createReadStream(path, { highWaterMark: PIECE });
  const through = (transform: Transform) => pipeline(file, transform, () => undefined);
  const options = { chunkSize: PIECE };
  const pieces = isGzip(path)
    ? through(zlib.createGunzip(options))
    : isZstd(path) && createZstd
      ? through(createZstd(options))
      : file;
  let length = 0;
  for await (const piece of pieces as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > ALWAYS_ALLOWED && length > MOST_RATIO * file.bytesRead) throw tooLarge(path);
    yield piece;
  }
}

/** @throws ArgumentError for a compressed file that `decompress()` rejects, if this Node version can decompress it */
export async function checkCompressed(path: string): Promise<void> {
  if (!isCompressed(path) || !canDecompress(path)) return;
  for await (const _ of decompress(path));
}

function tooLarge(path: string): FileError {
  return new FileError(`${showValue(path)} decompresses to more than ${MOST_RATIO} times its size.`, {
    hint: `If you trust the file, decompress it first: ${isGzip(path) ? "gzip -dk" : "zstd -d"}.`,
    facts: { path, limit: MOST_RATIO },
  });
}
