import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { packageFolder } from "../../core/package-folder.js";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const colours = { bits: 8, rgb: 2 };
/** Each byte less the same one of the pixel before it. */
const filterSub = 1;
/** The next levels save one byte in a hundred. */
const compression = { level: 4 };

const deflated = promisify(deflate);

/** An image without transparent parts. */
interface OpaqueImage {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel, the last of which says nothing. */
  readonly pixels: Uint8Array;
}

/** An opaque image as a PNG. */
export async function encodePng({ width, height, pixels }: OpaqueImage): Promise<Uint8Array> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([colours.bits, colours.rgb], 8);
  const data = await deflated(filtered(pixels, width, height), compression);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/** The lines of the image, each behind the number of its filter. */
function filtered(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const lines = new Uint8Array((3 * width + 1) * height);
  let to = 0;
  let from = 0;
  for (let y = 0; y < height; y += 1) {
    lines[to++] = filterSub;
    for (let x = 0; x < width; x += 1) {
      for (const last = from + 3; from < last; from += 1) {
        const before = x === 0 ? 0 : (pixels[from - 4] as number);
        lines[to++] = (pixels[from] as number) - before;
      }
      from += 1;
    }
  }
  return lines;
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, "latin1");
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

const require = createRequire(import.meta.url);
const font = "Inter";

let loading: Promise<readonly Uint8Array[]> | undefined;

/** Renders an SVG. The renderer and its fonts are loaded once, by the first image. */
export async function renderPng(
  svg: string,
  fitTo: { readonly mode: "width"; readonly value: number },
  background: string,
  fonts: readonly Uint8Array[],
): Promise<Uint8Array> {
  loading ??= load();
  const fontBuffers = [...(await loading), ...fonts];
  const names = { defaultFontFamily: font, sansSerifFamily: font, serifFamily: font, monospaceFamily: font };
  const ground = background === "transparent" ? {} : { background };
  const renderer = new Resvg(svg, { fitTo, ...ground, font: { fontBuffers, ...names } });
  try {
    const image = renderer.render();
    try {
      if (background === "transparent") return image.asPng();
      const { width, height, pixels } = image;
      return encodePng({ width, height, pixels });
    } finally {
      image.free();
    }
  } finally {
    renderer.free();
  }
}

async function load(): Promise<readonly Uint8Array[]> {
  const wasm = await readFile(require.resolve("@resvg/resvg-wasm/index_bg.wasm"));
  await initWasm(wasm).catch((error: unknown) => {
    // The package can be initialised only once in a process, and the user's own code may have done so.
    if (!String(error).includes("Already initialized")) throw error;
  });
  const files = ["400Regular/Inter_400Regular.ttf", "700Bold/Inter_700Bold.ttf"].map((file) =>
    join(packageFolder, "dist", "vendor", "inter", file),
  );
  return Promise.all(files.map(async (file) => new Uint8Array(await readFile(file))));
}
