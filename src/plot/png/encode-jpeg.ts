import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { OpaqueImage } from "./encode-png.js";

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
