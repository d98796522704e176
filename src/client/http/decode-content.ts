import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { BodyTooLarge } from "./body-too-large.js";

type Decoder = (body: Uint8Array, limit: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const decoders: Readonly<Record<string, Decoder>> = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  identity: async (body) => body,
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
  const codings = [encoding ?? []].flat().flatMap((value) => value.split(","));
  if (codings.length > MOST_CODINGS) throw new Error(`${codings.length} content codings`);
  let decoded = body;
  for (const coding of codings.map((name) => name.trim().toLowerCase()).reverse()) {
    const decode = coding === "" ? undefined : decoders[coding];
    if (!decode && coding !== "") throw new Error(`unknown content coding ${JSON.stringify(coding)}`);
    if (decode) decoded = plain(await unpack(decode, decoded, maxBodyBytes));
  }
  return decoded;
}

async function unpack(decode: Decoder, body: Uint8Array, maxOutputLength: number): Promise<Uint8Array> {
  try {
    return await decode(body, { maxOutputLength });
  } catch (error) {
    if (error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
      throw new BodyTooLarge();
    throw error;
  }
}

/** The same bytes without a `Buffer`'s `slice`, which copies nothing. */
function plain({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
