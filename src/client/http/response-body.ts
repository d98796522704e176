import { type Duplex, pipeline, type Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliDecompress, createBrotliDecompress, createGunzip, createInflate, gunzip, inflate } from "node:zlib";

/** Bodies below this size are not worth keeping memory for. */
const SMALL = 1 << 16;
/** A length that a header only announces is not believed beyond this: the memory grows with what comes. */
const MOST_ANNOUNCED = 16 << 20;

/** Memory of the bodies that are read at once. Beyond it a body waits until another was given back. */
const BUDGET = 48 << 20;

/**
 * Memory for the bodies of answers, used again by the next ones: fresh memory for each page costs more time than
 * copying the page into it. As soon as no body is in use nothing is kept.
 */
export class BodyBuffers {
  readonly #free: Uint8Array[] = [];
  readonly #waiting: (() => void)[] = [];
  #inUse = 0;
  #bytesInUse = 0;

  /**
   * Reads a body to its end.
   *
   * @param stream is listened to: to iterate over it costs as much again as to copy it
   * @param announced length by the answer's header; undefined if it has none
   * @param signal ends the wait for memory; the stream has to end with it on its own
   * @param most longest body
   * @returns the bytes, to be given back when they are no longer looked at
   * @throws BodyTooLarge as soon as the body, or its announced length, is longer
   */
  async read(
    stream: Readable,
    announced: number | undefined,
    signal: AbortSignal,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Uint8Array> {
    keepError(stream);
    const size = Math.min(announced ?? SMALL, MOST_ANNOUNCED);
    while (this.#inUse > 0 && this.#bytesInUse + size > BUDGET) {
      signal.throwIfAborted();
      await this.#change(signal);
    }
    let buffer = this.#take(size);
    let length = 0;
    this.#inUse += 1;
    this.#bytesInUse += buffer.length;
    const take = (chunk: Uint8Array) => {
      if (Math.max(announced ?? 0, length + chunk.length) > most) throw new BodyTooLarge();
      if (length + chunk.length > buffer.length) {
        buffer = this.#grow(buffer, length, Math.max(length + chunk.length, Math.min(2 * length, most)));
      }
      buffer.set(chunk, length);
      length += chunk.length;
    };
    stream.on("data", (chunk: Uint8Array) => {
      try {
        take(chunk);
      } catch (error) {
        // Memory may end here, too; thrown to the stream it would end the process.
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    try {
      await finished(stream, { writable: false });
      return buffer.subarray(0, length);
    } catch (error) {
      this.give(buffer);
      throw error;
    }
  }

  /** Takes back a body that was read; its bytes are the next one's. */
  give(body: Uint8Array): void {
    this.#inUse -= 1;
    this.#bytesInUse -= body.buffer.byteLength;
    if (body.buffer.byteLength > SMALL) this.#free.push(new Uint8Array(body.buffer));
    if (this.#inUse === 0) this.#free.length = 0;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Settles when a body was given back, or nobody wants this one any more. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.push(wake);
      signal.addEventListener("abort", wake);
    });
  }

  #take(size: number): Uint8Array {
    const index = this.#free.findIndex((buffer) => buffer.length >= size);
    const [found] = index >= 0 && size > SMALL ? this.#free.splice(index, 1) : [];
    if (found) return found;
    // One that is too small for this page is too small for most that follow.
    if (size > SMALL) this.#free.pop();
    // Pages of one resource are about as long as each other.
    return new Uint8Array(size > SMALL ? Math.ceil(size * 1.02) : size);
  }

  #grow(buffer: Uint8Array, length: number, size: number): Uint8Array {
    const grown = this.#take(size);
    this.#bytesInUse += grown.length - buffer.length;
    grown.set(buffer.subarray(0, length));
    return grown;
  }
}

/** A body was given up because it is larger, as it came or unpacked, than the read allows. */
export class BodyTooLarge extends Error {}

/** Undoes a coding of a body in memory, or of one that arrives. */
interface Decoder {
  readonly whole: (body: Uint8Array, limit: { readonly maxOutputLength: number }) => Promise<Uint8Array>;
  readonly stream: () => Duplex;
}

const gzip: Decoder = { whole: promisify(gunzip), stream: createGunzip };

/** By name; undefined for names of bodies that are not coded. */
const decoders: Readonly<Record<string, Decoder | undefined>> = {
  br: { whole: promisify(brotliDecompress), stream: createBrotliDecompress },
  gzip,
  "x-gzip": gzip,
  deflate: { whole: promisify(inflate), stream: createInflate },
  identity: undefined,
  // Some stores keep this coding of the upload as a header, but not in the body.
  "aws-chunked": undefined,
};

/** Honest answers have one; each takes the whole body through again. */
const MOST_CODINGS = 5;

/**
 * Undoes the codings of a response body, last one first.
 *
 * undici's own decompress interceptor is experimental and warns on stderr.
 *
 * @param encoding the `Content-Encoding` header
 * @param maxBodyBytes unpacking stops there: a few kilobytes can stand for gigabytes
 * @throws BodyTooLarge beyond that; another error if the body is not what the header says
 */
export async function decodeContent(
  body: Uint8Array,
  encoding: string | string[] | undefined,
  maxBodyBytes: number,
): Promise<Uint8Array> {
  let decoded = body;
  for (const { whole } of decodersOf(encoding)) decoded = plain(await unpack(whole, decoded, maxBodyBytes));
  return decoded;
}

/**
 * Undoes the codings of a response body that is too long for memory. Errors of the body are errors of the result, and to
 * destroy the result destroys the body.
 *
 * @throws Error for an unknown coding
 */
export function decodeStream(body: Readable, encoding: string | string[] | undefined): Readable {
  try {
    const decode = (coded: Readable, { stream }: Decoder) => pipeline(coded, stream(), () => {});
    return keepError(decodersOf(encoding).reduce<Readable>(decode, body));
  } catch (error) {
    keepError(body).destroy();
    throw error;
  }
}

/**
 * Lets a stream fail before it is read, while its reader waits for memory or opens a file: the reader gets the error, which would
 * end the process without a listener.
 */
function keepError<Stream extends Readable>(stream: Stream): Stream {
  return stream.on("error", () => {});
}

/** The decoders of a `Content-Encoding` header, in the order in which they undo its codings. */
function decodersOf(encoding: string | string[] | undefined): readonly Decoder[] {
  const codings = [encoding ?? []].flat().flatMap((value) => value.split(","));
  if (codings.length > MOST_CODINGS) throw new Error(`${codings.length} content codings`);
  return codings
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "")
    .reverse()
    .flatMap((name) => {
      if (!Object.hasOwn(decoders, name))
        throw new Error(/^[a-z0-9-]{1,20}$/.test(name) ? `unknown content coding "${name}"` : "unknown content coding");
      return decoders[name] ?? [];
    });
}

async function unpack(decode: Decoder["whole"], body: Uint8Array, maxOutputLength: number): Promise<Uint8Array> {
  try {
    return await decode(body, { maxOutputLength });
  } catch (error) {
    if (error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
      throw new BodyTooLarge();
    throw error;
  }
}

/** As a plain Uint8Array: `Buffer#slice` shares memory instead of copying. */
function plain({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
