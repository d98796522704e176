import { type Duplex, pipeline, type Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliDecompress, createBrotliDecompress, createGunzip, createInflate, gunzip, inflate } from "node:zlib";

/** Smaller bodies are not worth reusing memory for. */
const SMALL = 1 << 16;
/** Maximum memory allocated from an announced length; beyond it, memory grows with the received bytes. */
const MOST_ANNOUNCED = 16 << 20;

/** Memory of all bodies that are read at once. Beyond it, a body waits until another is returned. */
const BUDGET = 48 << 20;

/**
 * Memory for response bodies, reused by later ones, since allocating memory for each page costs more time than copying
 * the page into it. Nothing is kept while no body is in use.
 */
export class BodyBuffers {
  readonly #free: Uint8Array[] = [];
  readonly #waiting: (() => void)[] = [];
  #inUse = 0;
  #bytesInUse = 0;

  /**
   * Reads a body to its end.
   *
   * @param stream is read with listeners: iteration would double the cost of copying
   * @param announced length in the response's header; undefined if missing
   * @param signal ends the wait for memory; the stream must end with it independently
   * @param most maximum length of the body
   * @returns the bytes, which must be returned when they are no longer used
   * @throws BodyTooLarge as soon as the body or its announced length is longer
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
        // Allocation can fail here, too; an error thrown to the stream would end the process.
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

  /** Takes back a body; its bytes are reused for the next one. */
  give(body: Uint8Array): void {
    this.#inUse -= 1;
    this.#bytesInUse -= body.buffer.byteLength;
    if (body.buffer.byteLength > SMALL) this.#free.push(new Uint8Array(body.buffer));
    if (this.#inUse === 0) this.#free.length = 0;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Resolves when a body was returned, or when the request was aborted. */
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
    const [buffer] = index >= 0 && size > SMALL ? this.#free.splice(index, 1) : [];
    if (buffer) return buffer;
    // A buffer that is too small for this page is too small for most later pages.
    if (size > SMALL) this.#free.pop();
    // Pages of one resource have similar lengths.
    return new Uint8Array(size > SMALL ? Math.ceil(size * 1.02) : size);
  }

  #grow(buffer: Uint8Array, length: number, size: number): Uint8Array {
    const grown = this.#take(size);
    this.#bytesInUse += grown.length - buffer.length;
    grown.set(buffer.subarray(0, length));
    return grown;
  }
}

/** Thrown if a body, raw or decompressed, is larger than the read allows. */
export class BodyTooLarge extends Error {}

/** Decoder of a content coding, for a body in memory or a stream. */
interface Decoder {
  readonly whole: (body: Uint8Array, limit: { readonly maxOutputLength: number }) => Promise<Uint8Array>;
  readonly stream: () => Duplex;
}

const gzip: Decoder = { whole: promisify(gunzip), stream: createGunzip };

/** Decoders by name; undefined for codings without effect. */
const decoders: Readonly<Record<string, Decoder | undefined>> = {
  br: { whole: promisify(brotliDecompress), stream: createBrotliDecompress },
  gzip,
  "x-gzip": gzip,
  deflate: { whole: promisify(inflate), stream: createInflate },
  identity: undefined,
  // Some stores keep this upload coding as a header without applying it to the body.
  "aws-chunked": undefined,
};

/** Maximum codings. Normal responses have one; each decodes the whole body again. */
const MOST_CODINGS = 5;

/**
 * Undoes the codings of a response body, last one first.
 *
 * undici's own decompress interceptor is experimental and warns on stderr.
 *
 * @param encoding value of the `Content-Encoding` header
 * @param maxBodyBytes limit of decompression: a few kilobytes can expand to gigabytes
 * @throws BodyTooLarge beyond that; another error if the body does not match the header
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
 * Undoes the codings of a response body that is too long for memory. Errors of the body become errors of the result,
 * and destroying the result destroys the body.
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
 * Keeps the error of a stream that fails before it is read, while its reader waits for memory or opens a file. Without
 * a listener the error would end the process; the reader gets it later.
 */
function keepError<Stream extends Readable>(stream: Stream): Stream {
  return stream.on("error", () => {});
}

/** The decoders of a `Content-Encoding` header, in the order in which they undo its codings. */
function decodersOf(encoding: string | string[] | undefined): readonly Decoder[] {
  const codings = [encoding ?? []].flat().flatMap((value) => value.split(","));
  if (codings.length > MOST_CODINGS) throw new Error(`too many content codings: ${codings.length}`);
  return codings
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "")
    .reverse()
    .flatMap((name) => {
      if (!Object.hasOwn(decoders, name))
        throw new Error(/^[a-z0-9-]{1,20}$/.test(name) ? `unknown content coding "${name}"` : "unknown content coding");
      // `identity` has no decoder.
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

/** A plain Uint8Array: `Buffer#slice` shares memory instead of copying. */
function plain({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
