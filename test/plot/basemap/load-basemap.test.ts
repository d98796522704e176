import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { loadPackage } from "../../../src/core/load-package.js";
import { ArgumentError, BasemapError, FileError, type Layer } from "../../../src/index.js";
import { mercatorX, mercatorY } from "../../../src/plot/basemap/mercator.js";
import { type BasemapSource, layerMap, loadBasemap, type MapBasemap, toPNG } from "../../../src/plot/index.js";
import { renderPixels } from "../../../src/plot/png/render-png.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { decodePng } from "../png/decode-png.js";
import { answeringServer, type Colour, geoTiff, pmtiles, png, type Tag, tiffOf, tileServer } from "./made-basemap.js";
import { corner, solarSite } from "./solar-site.js";

const [west, south] = corner;
const bounds = [west - 0.006, south - 0.0075, west + 0.014, south + 0.0125] as const;
/** Its middle. */
const [middleX, middleY] = [west + 0.004, south + 0.0025];
let layer: Layer;
const folder = temporaryFolder();
let close = () => {};

beforeAll(async () => {
  layer = await solarSite().layer({ site_id: 12 });
});

afterEach(() => close());

function file(name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** LZW of TIFF, with codes of at most 12 bits and clear codes. */
function lzw(bytes: Buffer): Buffer {
  let [text, width, next] = ["", 9, 258];
  const emit = (code: number) => {
    text += code.toString(2).padStart(width, "0");
  };
  let table = new Map<string, number>();
  emit(256);
  let known = "";
  const codeOf = (word: string) => (word.length === 1 ? word.charCodeAt(0) : (table.get(word) as number));
  for (const byte of bytes) {
    const longer = known + String.fromCharCode(byte);
    if (longer.length === 1 || table.has(longer)) {
      known = longer;
      continue;
    }
    emit(codeOf(known));
    table.set(longer, next);
    next += 1;
    if (next + 1 > 1 << width) width += 1;
    if (next === 4094) {
      emit(256);
      [table, width, next] = [new Map(), 9, 258];
    }
    known = String.fromCharCode(byte);
  }
  emit(codeOf(known));
  next += 1;
  if (next + 1 > 1 << width) width += 1;
  emit(257);
  return Buffer.from(Array.from(text.match(/.{1,8}/g) ?? [], (bits) => Number.parseInt(bits.padEnd(8, "0"), 2)));
}

function packBits(bytes: Buffer): Buffer {
  const runs: number[] = [];
  for (let left = bytes.length; left > 0; left -= 128) runs.push(left > 1 ? 257 - Math.min(left, 128) : 0, 200);
  return Buffer.from(runs);
}

/** A frame of Zstandard without its size, with blocks that repeat one byte. */
function zstd(bytes: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let left = bytes.length; left > 0; left -= 1 << 17) {
    const header = (Math.min(left, 1 << 17) << 3) | (1 << 1) | Number(left <= 1 << 17);
    blocks.push(Buffer.from([header & 255, (header >> 8) & 255, header >> 16, 200]));
  }
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38]), ...blocks]);
}

/** A GeoTIFF of 4 × 4 grey pixels. */
function tinyTiff({
  strip,
  compression = 1,
  next = 0,
  lines = 4,
  claims = strip.length,
}: {
  strip: Buffer;
  compression?: number;
  next?: number;
  /** Of a strip. */
  lines?: number;
  /** The stated length of the strip. */
  claims?: number;
}) {
  const [short, long] = [3, 4] as const;
  const tags: readonly Tag[] = [
    [256, long, [4]],
    [257, long, [4]],
    [258, short, [8]],
    [259, short, [compression]],
    [262, short, [1]],
    [277, short, [1]],
    [278, long, [lines]],
    [279, long, [claims]],
  ];
  return tiffOf(tags, strip, next);
}

/** The colour of the only picture at a place. Undefined outside the picture. */
async function colourAt(basemap: MapBasemap, longitude: number, latitude: number): Promise<Colour | undefined> {
  const [picture] = basemap.pictures;
  if (!picture?.href) return undefined;
  const { box, href, mask } = picture;
  const [size, left, top] = [400, mercatorX(box.west), mercatorY(box.north)];
  const [x, y] = [
    ((mercatorX(longitude) - left) / (mercatorX(box.east) - left)) * size,
    ((mercatorY(latitude) - top) / (mercatorY(box.south) - top)) * size,
  ];
  if (x < 0 || y < 0 || x >= size || y >= size) return undefined;
  const whole = `width="${size}" height="${size}" preserveAspectRatio="none"`;
  const cut = mask ? `<mask id="m"><image href="${mask}" ${whole}/></mask>` : "";
  const { pixels } = await renderPixels(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${cut}<image href="${href}" ${whole} ${mask ? 'mask="url(#m)"' : ""}/></svg>`,
  );
  const at = 4 * (Math.floor(y) * size + Math.floor(x));
  const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(at, at + 4);
  return alpha < 128 ? undefined : [red, green, blue];
}

const near = (colour: Colour | undefined, [red, green, blue]: Colour) => {
  expect(colour).toBeDefined();
  for (const [at, value] of [red, green, blue].entries())
    expect(Math.abs(Number(colour?.[at]) - value)).toBeLessThan(14);
};
const [RED, GREEN, BLUE, GREY] = [
  [200, 40, 40],
  [40, 160, 60],
  [40, 60, 200],
  [128, 128, 128],
] as const;
/** Each quarter of a picture has another colour. */
const quarters =
  (width: number, height: number) =>
  (x: number, y: number): Colour =>
    y < height / 2 ? (x < width / 2 ? RED : GREEN) : x < width / 2 ? BLUE : GREY;

/** Checks the colours at four places around the middle. */
async function expectQuarters(basemap: MapBasemap, x: number, y: number): Promise<void> {
  near(await colourAt(basemap, middleX - x, middleY + y), RED);
  near(await colourAt(basemap, middleX + x, middleY + y), GREEN);
  near(await colourAt(basemap, middleX - x, middleY - y), BLUE);
  near(await colourAt(basemap, middleX + x, middleY - y), GREY);
}

async function refusal(source: BasemapSource): Promise<Error> {
  return loadBasemap(layer, source).then(
    () => expect.fail("It was accepted."),
    (error: Error) => error,
  );
}

describe("a picture with bounds", () => {
  test("is placed by its bounds, and cut to the map", async () => {
    const image = file("site.png", await png(400, 400, quarters(400, 400)));
    const basemap = await loadBasemap(layer, { image, bounds, attribution: "<a href='x'>Drone</a> flight" });
    await expectQuarters(basemap, 0.001, 0.0008);
    expect(await colourAt(basemap, west + 0.0149, south + 0.0149)).toBeUndefined();
    expect(basemap.attribution).toEqual(["Drone flight"]);
    expect(layerMap(layer, "STATUS", { basemap }).toSVG()).toContain("Basemap: Drone flight.");
  });

  test("is muted below the features, on light and dark backgrounds", async () => {
    const basemap = await loadBasemap(layer, { image: await png(20, 20, () => [200, 100, 0]), bounds });
    const figure = layerMap(layer, "STATUS", { basemap: [basemap, { type: "FeatureCollection", features: [] }] });
    const pixel = async (background: string) => {
      return decodePng(await toPNG(figure, { background, scale: 1 }))
        .at(360, 400)
        .slice(0, 3);
    };
    expect(await pixel("#ffffff")).toEqual([221, 159, 97].map((value) => expect.closeTo(value, -1)));
    expect(await pixel("#000000")).toEqual([124, 62, 0].map((value) => expect.closeTo(value, -1)));
  });

  test("is a JPEG of at most 240 kB for a photograph", async () => {
    let seed = 1;
    const noise = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return (seed % 120) - 60;
    };
    const image = await png(1600, 1200, () => [128 + noise(), 128 + noise(), 128 + noise()]);
    const { pictures } = await loadBasemap(layer, { image, bounds });
    expect(pictures[0]?.href).toMatch(/^data:image\/jpeg;base64,/);
    expect(pictures[0]?.href?.length).toBeLessThan((240_000 * 4) / 3 + 100);
  });

  test.each([
    ["without bounds", ArgumentError, { image: "site.png" }, /site.png has no location/],
    [
      "that is missing",
      FileError,
      { image: "gone.png", bounds },
      /loadBasemap\(\): gone.png cannot be read.*file not found/i,
    ],
    ["that contains text", ArgumentError, { image: "text.png", bounds }, /text.png is not a supported picture/],
    ["that is damaged", FileError, { image: "half.png", bounds }, /half.png is damaged/],
    [
      "with bounds the wrong way",
      ArgumentError,
      { image: "site.png", bounds: [2, 1, 1, 2] },
      /invalid bounds.*west < east/,
    ],
    ["with bounds beyond the world", ArgumentError, { image: "site.png", bounds: [0, 0, 10, 120] }, /invalid bounds/],
    [
      "with a misspelled option",
      ArgumentError,
      { image: "site.png", bound: bounds },
      /no option "bound".*Did you mean bounds/,
    ],
  ])("%s is rejected", async (_, type, source, message) => {
    const whole = await png(40, 40, quarters(40, 40));
    file("site.png", whole);
    file("text.png", "no picture");
    file("half.png", whole.subarray(0, 60));
    const error = await refusal({ ...source, image: join(folder, source.image) } as BasemapSource);
    expect(error).toBeInstanceOf(type);
    expect(String(error).replaceAll(`${folder}/`, "")).toMatch(message);
  });

  test("outside the map is noted below it", async () => {
    const basemap = await loadBasemap(layer, {
      image: file("far.png", await png(4, 4, () => RED)),
      bounds: [20, 10, 21, 11],
    });
    const svg = layerMap(layer, "STATUS", { basemap }).toSVG();
    expect(svg).toContain("far.png is outside of this map and not shown.");
    expect(svg).not.toContain("<image");
  });
});

/** 4 by 4 pixels: two columns of red, two of blue. The last has one transparent pixel in its north-west corner. */
const webp = {
  lossless: "UklGRiAAAABXRUJQVlA4TBMAAAAvA8AAAA8QY34N8/kPBx2I6H8AAA==",
  lossy:
    "UklGRl4AAABXRUJQVlA4IFIAAABwAwCdASoEAAQAAMASJagCdLoBQAPwArQD+AZQB+gALdrLzEAA/v9c/Ll/5fC7/+xFPNqvTf/zm9/7EU82q9N/85vf4vyQG1n6SbSrQB496nAA",
  alpha: "UklGRiYAAABXRUJQVlA4TBoAAAAvA8AAEBcQYy4QSOLYn22O+Q/44FhaEf0PBw==",
};

describe("a picture with too many pixels", () => {
  /** The first bytes of a picture, as far as its size. */
  const header = (start: string, at: number, size: readonly number[]) => {
    const bytes = Buffer.alloc(64);
    bytes.write(start, "latin1");
    bytes.set(size, at);
    return bytes;
  };
  test.each([
    ["PNG", header("\x89PNG\r\n\x1a\n", 16, [0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20])],
    ["GIF", header("GIF89a", 6, [0x20, 0x4e, 0x20, 0x4e])],
    ["JPEG", header("\xff\xd8\xff\xe0\0\x04ab\xff\xc2\0\x11\x08", 13, [0x4e, 0x20, 0x4e, 0x20])],
    ["WebP with features", header("RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0", 24, [0x1f, 0x4e, 0, 0x1f, 0x4e, 0])],
    ["lossless WebP", header("RIFF\0\0\0\0WEBPVP8L\x0a\0\0\0/", 21, [0xff, 0xff, 0xff, 0x0f])],
  ])("is rejected before decoding: %s", async (_, bytes) => {
    await expect(loadBasemap(bounds, { image: bytes, bounds })).rejects.toMatchObject({
      name: "ArgumentError",
      message: expect.stringMatching(/ has [\d,]{11} pixels, the maximum is 120,000,000\.$/),
    });
  });
});

describe("a WebP picture", () => {
  test.each(Object.entries(webp))("is drawn: %s", async (name, text) => {
    const before = Object.getOwnPropertyDescriptor(globalThis, "ImageData");
    const image = file(`${name}.webp`, Buffer.from(text, "base64"));
    const basemap = await loadBasemap(layer, { image, bounds });
    const [left, right] = [
      await colourAt(basemap, middleX - 0.004, middleY),
      await colourAt(basemap, middleX + 0.004, middleY),
    ];
    expect(Number(left?.[0])).toBeGreaterThan(Number(left?.[2]) + 60);
    expect(Number(right?.[2])).toBeGreaterThan(Number(right?.[0]) + 60);
    expect(Object.getOwnPropertyDescriptor(globalThis, "ImageData")).toEqual(before);
  });

  test("that is damaged is rejected", async () => {
    const image = file("half.webp", Buffer.from(webp.lossy, "base64").subarray(0, 40));
    expect(String(await refusal({ image, bounds }))).toMatch(/half.webp cannot be decoded as WebP/);
  });

  test("may be a tile", async () => {
    const server = await tileServer(async () => Buffer.from(webp.lossless, "base64"));
    close = server.close;
    const basemap = await loadBasemap(layer, { tiles: server.tiles });
    expect(basemap.pictures[0]?.href).toMatch(/^data:image/);
    expect(layerMap(layer, "STATUS", { basemap }).toSVG()).toContain("<image");
  });
});

describe("a GeoTIFF", () => {
  // The middle of the picture is at 11.004, 48.0025, by the series of Snyder (1987), which differs from our series.
  test.each([
    ["longitude and latitude", 4326, [11.004, 48.0025], 0.00005],
    ["Web Mercator", 3857, [1_224_959.68, 6_107_270.76], 6],
    ["UTM", 32_632, [649_479.01, 5_318_521.21], 4],
    ["UTM of ETRS89", 25_832, [649_479.01, 5_318_521.21], 4],
  ] as const)("in %s is placed by its coordinates", async (_, epsg, [x, y], pixel) => {
    const [width, height] = [400, 400];
    const place = [x - 200 * pixel, y + 200 * pixel] as const;
    const tiff = geoTiff({ width, height, epsg, corner: place, pixel, colourOf: quarters(width, height) });
    const basemap = await loadBasemap(layer, { image: file("site.tif", tiff) });
    await expectQuarters(basemap, 0.00005, 0.00005);
  });

  test.each([
    ["no coordinates", { epsg: undefined }, /has no location/],
    ["a system of one country", { epsg: 27_700 }, /EPSG:27700.*gdalwarp/],
  ])("with %s is rejected", async (_, { epsg }, message) => {
    const tiff = geoTiff({ width: 4, height: 4, colourOf: () => RED, ...(epsg === undefined ? {} : { epsg }) });
    const error = await refusal({ image: tiff });
    expect(error).toBeInstanceOf(ArgumentError);
    expect(String(error)).toMatch(message);
  });

  test("without coordinates needs bounds", async () => {
    const tiff = geoTiff({ width: 40, height: 40, colourOf: quarters(40, 40) });
    const basemap = await loadBasemap(layer, { image: tiff, bounds });
    near(await colourAt(basemap, middleX - 0.001, middleY + 0.0008), RED);
  });

  test.each([true, false])("has the colors of its palette (declared: %s)", async (isDeclared) => {
    const palette = { colors: [RED, GREEN, BLUE, GREY], isDeclared };
    const tiff = geoTiff({ width: 40, height: 40, colourOf: quarters(40, 40), palette });
    const basemap = await loadBasemap(layer, { image: tiff, bounds });
    await expectQuarters(basemap, 0.001, 0.0008);
  });

  test("is transparent in transparent parts", async () => {
    const colourOf = (x: number): Colour => [40, 160, 60, x < 200 ? 0 : 255];
    const tiff = geoTiff({
      width: 400,
      height: 400,
      colourOf,
      epsg: 4326,
      corner: [bounds[0], bounds[3]],
      pixel: 0.02 / 400,
    });
    const basemap = await loadBasemap(layer, { image: tiff });
    expect(await colourAt(basemap, west + 0.003, middleY)).toBeUndefined();
    near(await colourAt(basemap, west + 0.006, middleY), GREEN);
  });

  test("that is cut off is rejected", async () => {
    const tiff = geoTiff({
      width: 40,
      height: 40,
      colourOf: () => RED,
      epsg: 4326,
      corner: [west, south + 0.01],
      pixel: 0.001,
    });
    const error = await refusal({ image: file("half.tif", tiff.subarray(0, 500)) });
    expect(error).toBeInstanceOf(FileError);
    expect(String(error)).toMatch(/half.tif cannot be read/);
  });

  test("with a loop of directories is rejected", async () => {
    const image = file("loop.tif", tinyTiff({ strip: Buffer.alloc(16, 200), next: 8 }));
    await expect(loadBasemap(bounds, { image, bounds })).rejects.toMatchObject({
      name: "FileError",
      hint: "Its chain of directories is circular.",
    });
  });

  describe.each([
    ["deflate", 8, (pixels: Buffer) => deflateSync(pixels)],
    ["LZW", 5, lzw],
    ["PackBits", 32_773, packBits],
    ["Zstandard", 50_000, zstd],
  ] as const)("packed by %s", (name, compression, pack) => {
    test("is read", async () => {
      const image = file(`${name}.tif`, tinyTiff({ strip: pack(Buffer.alloc(16, 200)), compression }));
      expect((await loadBasemap(bounds, { image, bounds })).pictures).toHaveLength(1);
    });

    test("is rejected if its strip has more bytes than its pixels", async () => {
      const strip = pack(Buffer.alloc(1_000_000, 200));
      expect(strip.length).toBeLessThan(20_000);
      const image = file("unpacks.tif", tinyTiff({ strip, compression, lines: 0xffff_ffff }));
      await expect(loadBasemap(bounds, { image, bounds })).rejects.toMatchObject({
        name: "FileError",
        message: "loadBasemap(): unpacks.tif cannot be read.",
        hint: expect.stringMatching(/^A block has more bytes than its pixels \(\d+\)\.$/),
      });
    });
  });

  test("is rejected if a block declares more pixels than a tile has", async () => {
    const frame = (side: number) =>
      Buffer.from([0xff, 0xc0, 0, 11, 8, side >> 8, side & 255, side >> 8, side & 255, 1, 1, 17, 0]);
    const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0xff, 0, 7]);
    const strip = Buffer.concat([Buffer.from([0xff, 0xd8]), frame(4), scan, frame(60_000), Buffer.from([0xff, 0xd9])]);
    const jpeg = await refusal({ image: tinyTiff({ strip, compression: 7 }), bounds });
    expect(jpeg).toMatchObject({
      name: "FileError",
      hint: "A block of 4 × 4 pixels declares a size of 60000 × 60000.",
    });
    const lerc = Buffer.alloc(64);
    lerc.write("Lerc2 ");
    lerc.writeInt32LE(4, 6);
    lerc.writeUInt32LE(30_000, 14);
    lerc.writeUInt32LE(40_000, 18);
    expect(await refusal({ image: tinyTiff({ strip: lerc, compression: 34_887 }), bounds })).toMatchObject({
      hint: "A block of 4 × 4 pixels declares a size of 40000 × 30000.",
    });
  });

  test("is rejected if a block is longer than the file", async () => {
    const strip = Buffer.alloc(16);
    const error = await refusal({ image: tinyTiff({ strip, claims: 3_000_000_000 }), bounds });
    expect(error).toMatchObject({ name: "FileError", hint: "The file is truncated." });
  });

  test("does not change other readers of GeoTIFFs in this process", async () => {
    const { fromArrayBuffer } = await import("geotiff");
    const image = tinyTiff({ strip: deflateSync(Buffer.alloc(100_000, 200)), compression: 8 });
    await refusal({ image, bounds });
    const tiff = await fromArrayBuffer(Uint8Array.from(image).buffer);
    const [band] = (await (await tiff.getImage()).readRasters()) as unknown as Uint8Array[];
    expect(band).toEqual(new Uint8Array(16).fill(200));
  });

  test("names the missing package", async () => {
    const missing = Object.assign(new Error("Cannot find package 'geotiff' imported from x"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    await expect(loadPackage("A basemap of a GeoTIFF", "geotiff", "3", () => Promise.reject(missing))).rejects.toThrow(
      "A basemap of a GeoTIFF needs the package geotiff, which is not installed.",
    );
  });
});

/** Tiles whose colour depends on whether their column is even. */
const chequered = (x: number) => png(64, 64, () => (x % 2 === 0 ? RED : BLUE));

/** The colour that a chequered tile has at a place, at a zoom. */
const tileColour = (longitude: number, zoom: number) =>
  Math.floor(mercatorX(longitude) * 2 ** zoom) % 2 === 0 ? RED : BLUE;

describe("tiles of a server", () => {
  test("are fetched once, joined, and attributed", async () => {
    const server = await tileServer((_z, x) => chequered(x));
    close = server.close;
    const basemap = await loadBasemap(layer, { tiles: server.tiles, attribution: "© Mappers" });
    const zoom = Number(server.asked[0]?.split("/")[1]);
    expect(zoom).toBeGreaterThan(15);
    expect(new Set(server.asked).size).toBe(server.asked.length);
    expect(server.asked.length).toBeLessThanOrEqual(64);
    for (const x of [west + 0.001, west + 0.004, west + 0.008]) {
      near(await colourAt(basemap, x, south + 0.003), tileColour(x, zoom));
    }
    const asked = server.asked.length;
    const figure = layerMap(layer, "STATUS", { basemap });
    expect(figure.toSVG()).toContain("Basemap: © Mappers.");
    expect(figure.toSVG()).not.toContain("127.0.0.1");
    expect(server.asked).toHaveLength(asked);
  });

  test("that are missing are counted below the map", async () => {
    const server = await tileServer(async (_z, x, y) => ((x + y) % 3 === 0 ? 404 : chequered(x)));
    close = server.close;
    const basemap = await loadBasemap(layer, { tiles: server.tiles });
    expect(basemap.notes).toEqual([
      expect.stringMatching(/^\d+ of \d+ tiles of 127\.0\.0\.1:\d+ are missing \(404\)\.$/),
    ]);
    expect(layerMap(layer, "STATUS", { basemap }).toSVG()).toContain("are missing (404).");
  });

  test.each([
    [403, 403, /refused a request for the basemap with status 403.*Add the key/],
    [404, 404, /status 404.*\{z\}/],
    [429, 429, /status 429.*several maps/],
    [500, 500, /status 500/],
  ])("a server that answers %s is an error", async (status, expected, message) => {
    const server = await tileServer(async () => status);
    close = server.close;
    const error = await refusal({ tiles: `${server.tiles}?key=secret` });
    expect(error).toBeInstanceOf(BasemapError);
    expect(error).toMatchObject({ status: expected, code: "ERR_BASEMAP", facts: { status: expected } });
    expect(String(error)).toMatch(message);
    expect(JSON.stringify([error, String(error), (error as BasemapError).facts])).not.toContain("secret");
  });

  test("a server that does not answer is an error without a status", async () => {
    const server = await tileServer(async () => undefined);
    close = server.close;
    const error = await refusal({ tiles: server.tiles, timeoutMs: 60 });
    expect(error).toMatchObject({ status: undefined, message: expect.stringMatching(/did not respond within 60 ms/) });
  });

  test("are decoded if compressed with gzip, and complete if the server closes the connection", async () => {
    const server = await answeringServer(async (request, response) => {
      const coded = gzipSync(await chequered(Number(request.url?.split("/")[2])));
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200, { "content-encoding": "gzip", connection: "close" }).end(coded);
    });
    close = server.close;
    const basemap = await loadBasemap(layer, { tiles: server.tiles });
    const zoom = Number(server.asked[0]?.split("/")[1]);
    near(await colourAt(basemap, west + 0.004, south + 0.003), tileColour(west + 0.004, zoom));
  });

  test("a redirect is not followed, since it would get the key", async () => {
    const other = await tileServer((_z, x) => chequered(x));
    const location = other.tiles.replace(/\{z\}.*/, "1/1/1.png?key=secret");
    const server = await answeringServer((_, response) => response.writeHead(302, { location }).end());
    close = () => {
      for (const one of [server, other]) one.close();
    };
    const error = await refusal({ tiles: server.tiles, headers: { "x-key": "secret" } });
    expect(error).toMatchObject({ status: 302 });
    expect(String(error)).toMatch(/Redirects are not followed.*It points to http:\/\/127\.0\.0\.1:\d+\./);
    expect(JSON.stringify([error, String(error), (error as BasemapError).facts])).not.toContain("secret");
    expect(other.asked).toEqual([]);
  });

  test("an endless tile is abandoned after 20 MB", async () => {
    let sent = 0;
    const server = await answeringServer((_, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20))) sent += 1;
      };
      response.on("drain", more);
      more();
    });
    close = server.close;
    expect(await refusal({ tiles: server.tiles })).toMatchObject({
      message: expect.stringMatching(/sent more than 20 MB/),
    });
    expect(sent).toBeLessThan(400);
  });

  test("an unreachable server is an error", async () => {
    const error = await refusal({ tiles: "http://127.0.0.1:9/{z}/{x}/{y}.png" });
    expect(error).toBeInstanceOf(BasemapError);
    expect(String(error)).toMatch(/cannot be reached/);
  });

  test.each([
    ["no address", "tiles/{z}/{x}/{y}", /Invalid tile URL/],
    ["an address without placeholders", "https://example.com/tiles.png", /Invalid tile URL.*\{z\}/],
  ])("%s is rejected", async (_, tiles, message) => {
    expect(String(await refusal({ tiles }))).toMatch(message);
  });
});

describe("tiles of an archive", () => {
  async function archive(zoom: number, metadata: object = {}): Promise<Uint8Array> {
    const side = 2 ** zoom;
    const at = (longitude: number) => Math.floor(mercatorX(longitude) * side);
    const down = (latitude: number) => Math.floor(mercatorY(latitude) * side);
    const tiles: { z: number; x: number; y: number; data: Uint8Array }[] = [];
    for (let x = at(west - 0.01); x <= at(west + 0.02); x += 1)
      for (let y = down(south + 0.015); y <= down(south - 0.01); y += 1)
        tiles.push({ z: zoom, x, y, data: await chequered(x) });
    return pmtiles(tiles, metadata);
  }

  test("are read from a file, with their attribution", async () => {
    const path = file("site.pmtiles", await archive(16, { attribution: "© Archive" }));
    const basemap = await loadBasemap(layer, { pmtiles: path });
    for (const x of [west + 0.001, west + 0.004, west + 0.008]) {
      near(await colourAt(basemap, x, south + 0.003), tileColour(x, 16));
    }
    expect(basemap.attribution).toEqual(["© Archive"]);
  });

  test("are read from an address in parts, but not from a server that sends the whole archive", async () => {
    const bytes = await archive(16);
    let isWhole = false;
    const server = await answeringServer(({ headers }, response) => {
      const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? "") ?? [];
      if (isWhole) response.writeHead(200).end(Buffer.concat([bytes, Buffer.alloc(1 << 20)]));
      else response.writeHead(206).end(bytes.subarray(Number(from), Number(to) + 1));
    });
    close = server.close;
    const pmtiles = server.tiles.replace(/\{z\}.*/, "site.pmtiles");
    const basemap = await loadBasemap(layer, { pmtiles });
    near(await colourAt(basemap, west + 0.004, south + 0.003), tileColour(west + 0.004, 16));
    isWhole = true;
    const error = await refusal({ pmtiles });
    expect(error).toBeInstanceOf(BasemapError);
    expect(String(error)).toMatch(/sent more than was requested/);
  });

  test("with vectors are rejected", async () => {
    const path = file("vectors.pmtiles", pmtiles([{ z: 0, x: 0, y: 0, data: Buffer.from([1]) }], {}, 1));
    expect(String(await refusal({ pmtiles: path }))).toMatch(/vectors.pmtiles contains vector tiles/);
  });

  test.each([
    ["that is missing", "gone.pmtiles", /cannot be read.*file not found/i],
    ["that contains text", "text.pmtiles", /cannot be read/],
  ])("an archive %s is rejected", async (_, name, message) => {
    file("text.pmtiles", "no archive".repeat(40));
    const error = await refusal({ pmtiles: join(folder, name) });
    expect(error).toBeInstanceOf(FileError);
    expect(String(error)).toMatch(message);
  });
});

test.each([
  ["west of Greenwich", -6],
  ["across the 180th meridian", 179.996],
])("pictures %s are placed by their bounds", async (_, x) => {
  const square = (at: number) => ({ type: "Point" as const, coordinates: [at > 180 ? at - 360 : at, 38] });
  const data = {
    type: "FeatureCollection" as const,
    features: [square(x), square(x + 0.008)].map((geometry) => ({
      type: "Feature" as const,
      properties: {},
      geometry,
    })),
  };
  const around = [x - 0.1, 37.9, x + 0.108, 38.1] as const;
  const basemap = await loadBasemap(data, { image: await png(30, 30, () => GREEN), bounds: around });
  const { aq } = await import("../../../src/arquero.js");
  const svg = layerMap(aq.from(data.features), undefined, { basemap }).toSVG();
  expect(svg).toContain("<use ");
  expect(svg).not.toContain("outside");
  const [, left = "", , width = ""] = /translate\((-?[\d.]+),(-?[\d.]+)\) scale\(([\d.]+)/.exec(svg) ?? [];
  expect(Number(left)).toBeLessThan(10);
  expect(Number(left) + Number(width)).toBeGreaterThan(700);
});

test("pictures and outlines can be combined", async () => {
  const image = await png(8, 8, () => GREEN);
  const basemap = await loadBasemap(layer, [{ image, bounds }, layer]);
  expect(basemap.pictures).toHaveLength(1);
  expect(layerMap(layer, "STATUS", { basemap: [basemap] }).toSVG()).toMatch(
    /aria-label="basemap"[\s\S]*<use [\s\S]* d="M/,
  );
});

test("bounds replace data", async () => {
  const basemap = await loadBasemap(bounds, { image: await png(8, 8, () => GREEN), bounds });
  near(await colourAt(basemap, west + 0.001, south + 0.001), GREEN);
  await expect(loadBasemap([1, 2, 3] as never, layer)).rejects.toThrow("invalid bounds");
});
