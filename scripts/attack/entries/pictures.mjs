// Pictures below maps: PNG, JPEG, WebP, GIF, GeoTIFF, tiles of a server and of an archive, and outlines in GeoJSON.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { damagedBytes, damagedJson } from "../mutations.mjs";
import { pixels, pmtilesOf, pngOf, tiffOf } from "../pictures.mjs";
import { serveCases } from "../serve-cases.mjs";
import { startWorker } from "../worker-target.mjs";

const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==", "base64");
const outlines = {
  type: "FeatureCollection",
  features: [
    {
      ...{ type: "Feature", properties: { name: "Block 1" } },
      geometry: {
        type: "Polygon",
        coordinates: [
          [
            [10, 50],
            [10.1, 50],
            [10.1, 50.1],
            [10, 50],
          ],
        ],
      },
    },
  ],
};

async function templates() {
  const { encodePng } = await import("../../../modules/plot/png/encode-image.js");
  const { encodeJpeg } = await import("../../../modules/plot/png/encode-image.js");
  const { encodeWebp } = await webp();
  const image = { width: 16, height: 16, pixels };
  return {
    ...{ png: Buffer.from(await encodePng(image, false)), jpeg: Buffer.from(await encodeJpeg(image, 80)), gif },
    webp: await encodeWebp(image),
    ...{ tiff: tiffOf(), deflated: tiffOf({ compression: 8, strip: deflateSync(Buffer.alloc(16, 200)) }) },
  };
}

/** A lossless WebP, of one color: an encoder of WebAssembly would have to be compiled first. */
async function webp() {
  const lossless = Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "base64");
  return { encodeWebp: async () => lossless };
}

export async function prepare(folder) {
  const valid = await templates();
  const archive = pmtilesOf(valid.png);
  let current = Buffer.alloc(0);
  const server = await serveCases((_request, response) =>
    response.writeHead(200, { "content-type": "image/png" }).end(current),
  );
  const plain = { kind: "image", isFile: false, isDrawn: true };
  return {
    corpus: [
      ...Object.entries(valid).map(([name, bytes]) => ({ name: `valid ${name}`, input: { ...plain, bytes } })),
      { name: "valid tile", input: { ...plain, kind: "tiles", bytes: valid.png } },
      { name: "valid archive", input: { ...plain, kind: "archive", bytes: archive } },
      { name: "valid outlines", input: { ...plain, kind: "outlines", bytes: Buffer.from(JSON.stringify(outlines)) } },
      { name: "a GeoTIFF whose directories form a loop", input: { ...plain, bytes: tiffOf({ next: 8 }) } },
      {
        name: "a strip of 16 pixels that unpacks to 1 GB",
        input: { ...plain, bytes: tiffOf({ compression: 8, strip: deflateSync(Buffer.alloc(1e9, 200)) }) },
      },
      {
        name: "a PNG of 20,000 × 20,000 pixels",
        input: { ...plain, bytes: pngOf(20_000, 20_000, Buffer.alloc(20_001 * 20_000)) },
      },
      {
        name: "a PNG that declares 50,000 × 50,000 pixels",
        input: { ...plain, bytes: pngOf(50_000, 50_000, Buffer.alloc(10)) },
      },
      {
        name: "that PNG as a tile",
        input: { ...plain, kind: "tiles", bytes: pngOf(50_000, 50_000, Buffer.alloc(10)) },
      },
      {
        name: "that PNG in an archive",
        input: { ...plain, kind: "archive", bytes: pmtilesOf(pngOf(20_000, 20_000, Buffer.alloc(20_001 * 20_000))) },
      },
    ],
    arbitrary: fc.oneof(
      fc.record({
        kind: fc.oneof({ weight: 3, arbitrary: fc.constant("image") }, fc.constant("tiles")),
        bytes: fc.constantFrom(...Object.values(valid)).chain((bytes) => damagedBytes(bytes)),
        isFile: fc.boolean(),
        isDrawn: fc.nat(9).map((number) => number === 0),
      }),
      fc.record({
        kind: fc.constant("archive"),
        bytes: fc.oneof(
          damagedBytes(archive),
          fc
            .constantFrom(...Object.values(valid))
            .chain((bytes) => damagedBytes(bytes))
            .map((tile) => pmtilesOf(tile)),
          damagedJson({ attribution: "<b>x</b>" }).map((text) => pmtilesOf(valid.png, text)),
        ),
        isDrawn: fc.nat(9).map((number) => number === 0),
      }),
      fc.record({
        kind: fc.constant("outlines"),
        bytes: damagedJson(outlines).map((text) => Buffer.from(text)),
        isDrawn: fc.boolean(),
      }),
    ),
    start: () =>
      startWorker("pictures", { folder, url: server.url }, (input) => {
        current = input.bytes;
        return input;
      }),
    close: () => server.close(),
  };
}

export async function attack({ folder, url }) {
  const { fromRecords } = await import("../../../dist/index.js");
  const { layerMap, loadBasemap } = await import("../../../dist/plot/index.js");
  const { world } = await import("../world.mjs");
  const { layerFeatures, datasets, propertyDefinitions, sites } = world;
  const moved = layerFeatures.map((feature, index) => ({
    ...feature,
    geometry: { type: "Point", coordinates: [10 + index / 200, 50 + index / 200] },
  }));
  const layer = await fromRecords({ sites, datasets, propertyDefinitions, layerFeatures: moved }).layer({
    site_id: 101,
  });
  const bounds = [10, 50, 10.1, 50.1];
  return async ({ kind, bytes, isFile, isDrawn }, { attempt, problem }) => {
    const path = join(
      folder,
      kind === "archive" ? "tiles.pmtiles" : kind === "outlines" ? "outlines.geojson" : "picture",
    );
    writeFileSync(path, bytes);
    const sources = {
      image: { image: isFile ? path : new Uint8Array(bytes), bounds },
      tiles: { tiles: `${url}/{z}/{x}/{y}.png`, maxZoom: 12, timeoutMs: 2000 },
      archive: { pmtiles: path },
      outlines: path,
    };
    const basemap = await attempt(() => loadBasemap(bounds, sources[kind]));
    if (!isDrawn) return;
    if (basemap) await attempt(() => layerMap(layer, { basemap }).toPNG());
    // The renderer is still in order.
    const png = await attempt(() => layerMap(layer).toPNG());
    if (!(png?.length > 1000)) problem("a map without a basemap cannot be drawn afterwards");
  };
}
