import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { loadPackage } from "../../core/load-package.js";

const require = createRequire(import.meta.url);

/** Pixels of a picture, four bytes each. */
interface DecodedPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** The decoder's result: a class of browsers that Node lacks. */
class PixelData {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

/** A picture of 4 by 4 pixels. */
const SMALL = "UklGRiAAAABXRUJQVlA4TBMAAAAvA8AAAA8QY34N8/kPBx2I6H8AAA==";

let loading: Promise<(bytes: ArrayBuffer) => Promise<PixelData>> | undefined;

/**
 * Decodes a WebP picture, which the SVG renderer does not support. The decoder is loaded on demand.
 *
 * @throws DependencyError if the package `@jsquash/webp` is not installed
 * @throws Error for a damaged picture
 */
export async function decodeWebp(bytes: Uint8Array): Promise<DecodedPicture> {
  loading ??= load();
  const decode = await loading;
  const { width, height, data } = await decode(Uint8Array.from(bytes).buffer);
  return { width, height, pixels: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

async function load(): Promise<(bytes: ArrayBuffer) => Promise<PixelData>> {
  // The package defines a global, which must be hidden from the user's code.
  const before = Object.getOwnPropertyDescriptor(globalThis, "ImageData");
  const { default: decode, init } = await loadPackage(
    "A WebP picture",
    "@jsquash/webp",
    "1",
    () => import("@jsquash/webp/decode.js"),
  );
  const wasmBinary = await readFile(require.resolve("@jsquash/webp/codec/dec/webp_dec.wasm"));
  await init({ wasmBinary });
  // The decoder looks the class up once, for its first picture.
  Object.defineProperty(globalThis, "ImageData", { value: PixelData, configurable: true });
  try {
    await decode(Uint8Array.from(Buffer.from(SMALL, "base64")).buffer);
  } finally {
    if (before) Object.defineProperty(globalThis, "ImageData", before);
    else Reflect.deleteProperty(globalThis, "ImageData");
  }
  return decode;
}
