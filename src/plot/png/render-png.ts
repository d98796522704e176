import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { packageFolder } from "../../core/package-folder.js";
import { encodeDrawing, encodePng } from "./encode-image.js";

const require = createRequire(import.meta.url);
const font = "Inter";

let loading: Promise<readonly Uint8Array[]> | undefined;

/** Renders an SVG. The renderer and its fonts are loaded once, on demand. */
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
      // An embedded picture, such as a photograph under a map, has no uniform areas.
      const encode = svg.includes("<image") ? encodePng : encodeDrawing;
      return encode({ width, height, pixels });
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
    // The package can be initialized only once per process, and the user's own code may have done so.
    if (!String(error).includes("Already initialized")) throw error;
  });
  const files = ["400Regular/Inter_400Regular.ttf", "700Bold/Inter_700Bold.ttf"].map((file) =>
    join(packageFolder, "dist", "vendor", "inter", file),
  );
  return Promise.all(files.map(async (file) => new Uint8Array(await readFile(file))));
}

/**
 * The pixels of an SVG without text, four bytes each, at its own size: red, green, blue and opacity. Embedded pictures are
 * decoded and resampled.
 */
export async function renderPixels(svg: string): Promise<{ width: number; height: number; pixels: Uint8Array }> {
  loading ??= load();
  await loading;
  const renderer = new Resvg(svg);
  try {
    const image = renderer.render();
    try {
      const { width, height, pixels: given } = image;
      const pixels = Uint8Array.from(given);
      // The renderer's colors are premultiplied by opacity.
      for (let at = 0; at < pixels.length; at += 4) {
        const alpha = pixels[at + 3] as number;
        if (alpha === 0 || alpha === 255) continue;
        for (let channel = at; channel < at + 3; channel += 1) {
          pixels[channel] = Math.min(255, Math.round(((pixels[channel] as number) * 255) / alpha));
        }
      }
      return { width, height, pixels };
    } finally {
      image.free();
    }
  } finally {
    renderer.free();
  }
}
