import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";

const decoders: Readonly<Record<string, (body: Uint8Array) => Promise<Uint8Array>>> = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  identity: async (body) => body,
};

/**
 * Undoes the codings of a response body, last one first.
 *
 * undici's own decompress interceptor is experimental and warns on stderr.
 *
 * @param encoding the `Content-Encoding` header
 * @throws if the body is not what the header says
 */
export async function decodeContent(body: Uint8Array, encoding: string | string[] | undefined): Promise<Uint8Array> {
  const codings = [encoding ?? []].flat().flatMap((value) => value.split(","));
  let decoded = body;
  for (const coding of codings.map((name) => name.trim().toLowerCase()).reverse()) {
    const decode = coding === "" ? undefined : decoders[coding];
    if (!decode && coding !== "") throw new Error(`unknown content coding ${JSON.stringify(coding)}`);
    if (decode) decoded = plain(await decode(decoded));
  }
  return decoded;
}

/** The same bytes without a `Buffer`'s `slice`, which copies nothing. */
function plain({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
