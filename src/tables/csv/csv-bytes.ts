import { ArgumentError, FileError, SiteframeError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { decompress } from "../read/decompress.js";

/** A file as UTF-8 bytes, in pieces. */
export interface CsvBytes {
  /** The given encoding, else that of the byte order mark, else UTF-8. */
  readonly encoding: string;
  /** Without the byte order mark. A piece may end inside a character. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Opens a CSV file: plain, `.gz` or `.zst`. A byte order mark of UTF-16 sets the encoding if none is given.
 *
 * @throws ArgumentError for an unknown encoding; while reading, for a missing or damaged file and an invalid character
 */
export async function openCsv(path: string, encoding: string | undefined): Promise<CsvBytes> {
  const given = encoding === undefined ? undefined : canonical(encoding);
  const pieces = readPieces(path);
  const first = (await pieces.next()).value ?? new Uint8Array(0);
  const label = given ?? encodingOf(first);
  const all = prepended(first, pieces);
  return { encoding: label, pieces: label === "utf-8" ? withoutMark(all) : transcoded(all, label, path) };
}

/** The encoding of a byte order mark. */
function encodingOf([a, b]: Uint8Array): string {
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : "utf-8";
}

function canonical(encoding: string): string {
  try {
    return new TextDecoder(encoding).encoding;
  } catch {
    throw new ArgumentError(`fromChanges(): unknown encoding ${showValue(encoding)}.`, {
      hint: 'Use a name of the Encoding Standard: encoding: "windows-1252", "utf-16le" or "shift_jis".',
      facts: { option: "encoding" },
    });
  }
}

async function* readPieces(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* decompress(path);
  } catch (error) {
    if (error instanceof SiteframeError) throw error;
    throw new FileError(`${showValue(path)} cannot be read: ${(error as Error).message}.`, {
      cause: error,
      facts: { path },
    });
  }
}

async function* prepended(first: Uint8Array, rest: AsyncIterable<Uint8Array>) {
  yield first;
  yield* rest;
}

async function* withoutMark(pieces: AsyncIterable<Uint8Array>) {
  let isFirst = true;
  for await (const piece of pieces) {
    const hasMark = isFirst && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf;
    isFirst = false;
    yield hasMark ? piece.subarray(3) : piece;
  }
}

async function* transcoded(pieces: AsyncIterable<Uint8Array>, encoding: string, path: string) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (piece?: Uint8Array) => {
    try {
      return Buffer.from(piece ? decoder.decode(piece, { stream: true }) : decoder.decode());
    } catch (error) {
      throw notEncoded(path, encoding, error);
    }
  };
  for await (const piece of pieces) yield decode(piece);
  yield decode();
}

/** The error for bytes that are invalid in the encoding. */
export function notEncoded(path: string, encoding: string, cause?: unknown): FileError {
  return new FileError(`${showValue(path)} is not encoded as ${encoding}.`, {
    hint: 'Set its encoding, for example encoding: "windows-1252".',
    facts: { path, option: "encoding" },
    ...(cause === undefined ? {} : { cause }),
  });
}
