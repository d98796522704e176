import { stat } from "node:fs/promises";
import type { GeoTIFF, GeoTIFFImage } from "geotiff";
import { ArgumentError } from "../../core/errors.js";
import { loadPackage } from "../../core/load-package.js";
import { refuseMany } from "./declared-size.js";
import { type Geotiff, limitedPool } from "./limited-pool.js";
import { type Box, latitudeAt, longitudeAt, mercatorSize, mercatorX, mercatorY } from "./mercator.js";
import type { PictureView, PlacedRaster, Raster } from "./raster.js";

/**
 * Returns the part of a GeoTIFF inside a view.
 *
 * @param bounds its sides; default: its own location
 * @throws ArgumentError for a picture without a location or of too many pixels, Error for a damaged file
 */
export async function readGeoTiff(
  image: string | Uint8Array,
  name: string,
  bounds: Box | undefined,
  view: PictureView,
): Promise<PlacedRaster | undefined> {
  const geotiff = await loadPackage("A basemap of a GeoTIFF", "geotiff", "3", () => import("geotiff"));
  const { fromFile, fromArrayBuffer } = geotiff;
  const tiff = await (typeof image === "string" ? fromFile(image) : fromArrayBuffer(Uint8Array.from(image).buffer));
  try {
    const size = typeof image === "string" ? (await stat(image)).size : image.length;
    const reading = { geotiff, size };
    await requireBlocks(await tiff.getImage(), reading);
    return await warped(tiff, name, bounds, view, reading);
  } finally {
    tiff.close();
  }
}

/** How to read a GeoTIFF. */
interface Reading {
  readonly geotiff: Geotiff;
  /** Length of the file in bytes. */
  readonly size: number;
}

/**
 * Checks blocks first, since the reader treats missing bytes as zeros and allocates whatever a file declares.
 *
 * @throws Error for a tile or strip beyond the end of the file
 */
async function requireBlocks({ fileDirectory: directory, isTiled }: GeoTIFFImage, { size }: Reading): Promise<void> {
  const tags = isTiled ? (["TileOffsets", "TileByteCounts"] as const) : (["StripOffsets", "StripByteCounts"] as const);
  const [offsets, lengths] = await Promise.all(tags.map((tag) => directory.loadValue(tag)));
  const [starts, counts] = [offsets, lengths].map((list) => Array.from((list ?? []) as ArrayLike<number>, Number));
  if (!starts?.length || !counts?.length) throw new Error("The offsets of its pixels are missing");
  if (counts.some((count, block) => !((starts[block] as number) + count <= size)))
    throw new Error("The file is truncated");
}

async function warped(
  tiff: GeoTIFF,
  name: string,
  bounds: Box | undefined,
  { box, width, height }: PictureView,
  reading: Reading,
): Promise<PlacedRaster | undefined> {
  const whole = await tiff.getImage();
  const [columns, rows] = [whole.getWidth(), whole.getHeight()];
  const pixelAt = bounds ? inBounds(bounds, columns, rows) : georeference(whole, name);
  // The pixels of the view in the picture: computed at grid points along each line, interpolated in between.
  const [left, top] = [mercatorX(box.west), mercatorY(box.north)];
  const size = mercatorSize(box);
  const placeOf = (x: number, y: number) =>
    pixelAt(longitudeAt(left + ((x + 0.5) / width) * size.width), latitudeAt(top + ((y + 0.5) / height) * size.height));
  const edges = Array.from({ length: 33 }, (_, at) => at / 32).flatMap((share) => [
    placeOf(share * width, 0),
    placeOf(share * width, height),
    placeOf(0, share * height),
    placeOf(width, share * height),
  ]);
  const window = [
    Math.max(0, Math.floor(Math.min(...edges.map(([x]) => x))) - 1),
    Math.max(0, Math.floor(Math.min(...edges.map(([, y]) => y))) - 1),
    Math.min(columns, Math.ceil(Math.max(...edges.map(([x]) => x))) + 1),
    Math.min(rows, Math.ceil(Math.max(...edges.map(([, y]) => y))) + 1),
  ] as const;
  if (window[0] >= window[2] || window[1] >= window[3]) return undefined;
  const middle = placeOf(width / 2, height / 2);
  const across = placeOf(width / 2 + 1, height / 2);
  const level = await levelFor(tiff, whole, Math.hypot(across[0] - middle[0], across[1] - middle[1]));
  const [timesX, timesY] = [level.getWidth() / columns, level.getHeight() / rows];
  const read = [
    Math.floor(window[0] * timesX),
    Math.floor(window[1] * timesY),
    Math.min(level.getWidth(), Math.ceil(window[2] * timesX)),
    Math.min(level.getHeight(), Math.ceil(window[3] * timesY)),
  ] as const;
  if (level !== whole) await requireBlocks(level, reading);
  const source = await readPixels({ level, whole, name, geotiff: reading.geotiff }, read);
  const pixels = new Uint8Array(4 * width * height);
  const STEP = 16;
  for (let y = 0; y < height; y += 1) {
    for (let from = 0; from < width; from += STEP) {
      const [start, end] = [placeOf(from, y), placeOf(from + STEP, y)];
      for (let x = from; x < Math.min(width, from + STEP); x += 1) {
        const share = (x - from) / STEP;
        const sourceX = (start[0] + share * (end[0] - start[0])) * timesX - read[0];
        const sourceY = (start[1] + share * (end[1] - start[1])) * timesY - read[1];
        copyPixel(source, sourceX, sourceY, pixels, 4 * (y * width + x));
      }
    }
  }
  return cropped({ width, height, pixels }, box);
}

/** The overview whose pixels are at most as large as the wanted ones. */
async function levelFor(tiff: GeoTIFF, whole: GeoTIFFImage, targetSize: number): Promise<GeoTIFFImage> {
  let best = whole;
  let level = whole;
  const seen = new Set<number>();
  for (let index = 1; level.fileDirectory.nextIFDByteOffset !== 0; index += 1) {
    const next = level.fileDirectory.nextIFDByteOffset;
    if (seen.has(next)) throw new Error("Its chain of directories is circular");
    seen.add(next);
    level = await tiff.getImage(index);
    // Bit 0: overview, bit 2: mask.
    const kind: unknown = level.fileDirectory.getValue("NewSubfileType");
    if ((Number(kind) & 5) !== 1) continue;
    if (whole.getWidth() / level.getWidth() <= targetSize && level.getWidth() < best.getWidth()) best = level;
  }
  return best;
}

/** Bilinear, over opaque pixels. */
function copyPixel({ width, height, pixels }: Raster, x: number, y: number, to: Uint8Array, at: number): void {
  if (x < 0 || y < 0 || x >= width || y >= height) return;
  const [left, top] = [Math.max(0, Math.floor(x - 0.5)), Math.max(0, Math.floor(y - 0.5))];
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)];
  const [shareX, shareY] = [Math.max(0, Math.min(1, x - 0.5 - left)), Math.max(0, Math.min(1, y - 0.5 - top))];
  let [red, green, blue, opaque] = [0, 0, 0, 0];
  const add = (column: number, row: number, share: number) => {
    const from = 4 * (row * width + column);
    const weight = share * (pixels[from + 3] as number);
    red += weight * (pixels[from] as number);
    green += weight * (pixels[from + 1] as number);
    blue += weight * (pixels[from + 2] as number);
    opaque += weight;
  };
  add(left, top, (1 - shareX) * (1 - shareY));
  add(right, top, shareX * (1 - shareY));
  add(left, bottom, (1 - shareX) * shareY);
  add(right, bottom, shareX * shareY);
  if (opaque > 0) to.set([red / opaque, green / opaque, blue / opaque, opaque].map(Math.round), at);
}

/** The raster without empty lines and columns at its edges. */
function cropped({ width, height, pixels }: Raster, box: Box): PlacedRaster | undefined {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0, at = 3; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 4) {
      if (pixels[at] === 0) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
      [top, bottom] = [Math.min(top, y), y + 1];
    }
  }
  if (left >= right) return undefined;
  const part = new Uint8Array(4 * (right - left) * (bottom - top));
  for (let y = top; y < bottom; y += 1) {
    const from = 4 * (y * width + left);
    part.set(pixels.subarray(from, from + 4 * (right - left)), 4 * (y - top) * (right - left));
  }
  const size = mercatorSize(box);
  const longitude = (x: number) => longitudeAt(mercatorX(box.west) + (x / width) * size.width);
  const latitude = (y: number) => latitudeAt(mercatorY(box.north) + (y / height) * size.height);
  return {
    raster: { width: right - left, height: bottom - top, pixels: part },
    box: { west: longitude(left), south: latitude(bottom), east: longitude(right), north: latitude(top) },
  };
}

/** Pixels of a picture, from its upper left corner, by longitude and latitude. */
type PixelAt = (longitude: number, latitude: number) => readonly [x: number, y: number];

function inBounds(bounds: Box, columns: number, rows: number): PixelAt {
  const size = mercatorSize(bounds);
  return (longitude, latitude) => [
    ((mercatorX(longitude) - mercatorX(bounds.west)) / size.width) * columns,
    ((mercatorY(latitude) - mercatorY(bounds.north)) / size.height) * rows,
  ];
}

function georeference(image: GeoTIFFImage, name: string): PixelAt {
  const directory = image.fileDirectory;
  const numbers = (tag: "ModelTiepoint" | "ModelPixelScale" | "ModelTransformation") =>
    Array.from((directory.getValue(tag) as ArrayLike<number> | undefined) ?? []);
  const [tie, scale, matrix] = [numbers("ModelTiepoint"), numbers("ModelPixelScale"), numbers("ModelTransformation")];
  // From pixels to the system: x = a i + b j + c, y = d i + e j + f.
  const affine = affineOf(tie, scale, matrix);
  if (!affine) {
    throw new ArgumentError(`loadBasemap(): ${name} has no location.`, {
      hint: "Add { bounds: [west, south, east, north] } in degrees to the picture.",
    });
  }
  const keys = image.getGeoKeys() ?? {};
  const epsg = [keys.ProjectedCSTypeGeoKey, keys.GeographicTypeGeoKey].map(Number).find((code) => code > 0);
  const project: Project = projectionOf(epsg === 32_767 ? undefined : epsg, name);
  const [a, b, c, d, e, f] = affine;
  const determinant = a * e - b * d;
  // The location of a pixel is that of its corner, unless the file declares its center.
  const shift = Number(keys.GTRasterTypeGeoKey) === 2 ? 0.5 : 0;
  return (longitude, latitude) => {
    const [x, y] = project(longitude, latitude);
    return [(e * (x - c) - b * (y - f)) / determinant + shift, (a * (y - f) - d * (x - c)) / determinant + shift];
  };
}

type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

function affineOf(tie: readonly number[], scale: readonly number[], matrix: readonly number[]): Affine | undefined {
  const [i, j, , x, y] = tie;
  const [width, height] = scale;
  if (i !== undefined && j !== undefined && x !== undefined && y !== undefined && width && height) {
    return [width, 0, x - i * width, 0, -height, y + j * height];
  }
  const [a, b, , c, d, e, , f] = matrix;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  return e === undefined || f === undefined ? undefined : [a, b, c, d, e, f];
}

const photometric = { whiteIsZero: 0, blackIsZero: 1, rgb: 2 } as const;

/** A picture of a GeoTIFF or its overview, and how to unpack it. */
interface Pictures {
  readonly level: GeoTIFFImage;
  readonly whole: GeoTIFFImage;
  readonly name: string;
  readonly geotiff: Geotiff;
}

/** A part of a picture as red, green, blue and opacity, for any kind of samples. */
async function readPixels(
  { level, whole, name, geotiff }: Pictures,
  window: readonly [number, number, number, number],
): Promise<Raster> {
  const [width, height] = [window[2] - window[0], window[3] - window[1]];
  refuseMany(width, height, `the part of ${name} in the map`);
  // A block is read as a whole, even for a small part.
  refuseMany(level.getTileWidth(), level.getTileHeight(), `a block of ${name}`);
  const pool = limitedPool(geotiff, level);
  const meaning = Number(level.fileDirectory.getValue("PhotometricInterpretation"));
  const pixels = new Uint8Array(4 * width * height).fill(255);
  const samples = level.getSamplesPerPixel();
  const extra = Array.from((level.fileDirectory.getValue("ExtraSamples") as ArrayLike<number> | undefined) ?? []);
  const palette = samples - extra.length === 1 ? await paletteOf(level, whole) : undefined;
  const isPlain =
    palette !== undefined ||
    [photometric.whiteIsZero, photometric.blackIsZero, photometric.rgb].some((seen) => seen === meaning);
  if (!isPlain) {
    const colours = await level.readRGB({ window: [...window], interleave: true, pool });
    for (let at = 0, from = 0; at < pixels.length; at += 4, from += 3) {
      pixels.set([Number(colours[from]), Number(colours[from + 1]), Number(colours[from + 2])], at);
    }
    return { width, height, pixels };
  }
  const part = meaning === photometric.rgb && samples >= 3 ? [0, 1, 2] : [0];
  const alphaAt = extra.findIndex((kind) => kind === 1 || kind === 2);
  const alpha = alphaAt < 0 ? [] : [samples - extra.length + alphaAt];
  const bands = await level.readRasters({
    window: [...window],
    samples: [...part, ...alpha],
    interleave: false,
    pool,
  });
  const colours = part.map((_, index) => bands[index] as ArrayLike<number>);
  const opaque = alpha.length > 0 ? (bands[part.length] as ArrayLike<number>) : undefined;
  const nothing = whole.getGDALNoData();
  const isThere = (at: number) =>
    (opaque === undefined || (opaque[at] as number) > 0) &&
    colours.some((band) => !Number.isNaN(band[at]) && (nothing === null || band[at] !== nothing));
  if (palette) {
    for (let at = 0; at < width * height; at += 1) {
      const color = isThere(at) ? [...palette(Number(colours[0]?.[at])), 255] : [0, 0, 0, 0];
      pixels.set(color, 4 * at);
    }
    return { width, height, pixels };
  }
  const isBytes = colours[0] instanceof Uint8Array && part.length === 3;
  const [least, most] = isBytes ? [0, 255] : rangeOf(colours, isThere, width * height);
  for (let at = 0; at < width * height; at += 1) {
    const shades = [0, 1, 2].map((channel) => {
      const value = (colours[Math.min(channel, colours.length - 1)] as ArrayLike<number>)[at] as number;
      const share = Math.max(0, Math.min(1, (value - least) / (most - least || 1)));
      return Math.round(255 * (meaning === photometric.whiteIsZero ? 1 - share : share));
    });
    pixels.set([...shades, isThere(at) ? 255 : 0], 4 * at);
  }
  return { width, height, pixels };
}

/**
 * The color of each value of a picture with a palette; undefined without a palette. GDAL writes palettes in pictures that
 * are declared as gray, and may omit them in overviews.
 */
async function paletteOf(
  level: GeoTIFFImage,
  whole: GeoTIFFImage,
): Promise<((value: number) => readonly number[]) | undefined> {
  const read = async ({ fileDirectory }: GeoTIFFImage) =>
    Array.from(((await fileDirectory.loadValue("ColorMap")) as ArrayLike<number> | undefined) ?? []);
  const mask = await read(level);
  const colors = mask.length > 0 ? mask : await read(whole);
  if (colors.length === 0) return undefined;
  const count = colors.length / 3;
  // TIFF has 16 bits; some programs write 8, as GDAL assumes without larger values.
  const scale = colors.some((value) => value > 255) ? 257 : 1;
  return (value) => {
    if (!(value >= 0 && value < count)) throw new RangeError(`missing color in the palette for ${value}`);
    return [0, 1, 2].map((channel) => Math.round((colors[channel * count + value] as number) / scale));
  };
}

/** The values shown as black and white: all values except two percent are in between. */
function rangeOf(bands: readonly ArrayLike<number>[], isThere: (at: number) => boolean, count: number) {
  const values: number[] = [];
  const step = Math.max(1, Math.floor(count / 20_000));
  for (let at = 0; at < count; at += step) if (isThere(at)) for (const band of bands) values.push(band[at] as number);
  if (values.length === 0) return [0, 1] as const;
  values.sort((a, b) => a - b);
  const at = (share: number) => values[Math.round(share * (values.length - 1))] as number;
  return [at(0.02), at(0.98)] as const;
}

// Reference systems.

/** The position of a location in the unit of a reference system. */
type Project = (longitude: number, latitude: number) => readonly [x: number, y: number];

/** Meters around the equator in Web Mercator. */
const AROUND = 2 * Math.PI * 6_378_137;

/** EPSG numbers of systems of longitude and latitude within a meter or two of WGS 84. */
const geographic = new Set([4326, 4258, 4269, 4283, 4674, 4937, 4979, 7844]);
const webMercator = new Set([3857, 3785, 900_913, 102_100]);

/** UTM zones: EPSG number of the first zone, that zone, the count, and whether they are southern. */
const utmZones: readonly (readonly [first: number, zone: number, count: number, isSouth: boolean])[] = [
  [32_601, 1, 60, false],
  [32_701, 1, 60, true],
  [25_828, 28, 11, false],
  [26_901, 1, 23, false],
  [28_348, 48, 11, true],
  [7846, 46, 14, true],
  [31_965, 11, 12, false],
  [31_977, 17, 9, true],
];

/**
 * The projection of an EPSG reference system: longitude and latitude, Web Mercator, and UTM in systems whose datum is WGS 84
 * within a meter or two.
 *
 * @param name of the file, for the message
 * @throws ArgumentError for any other system
 */
function projectionOf(epsg: number | undefined, name: string): Project {
  if (epsg !== undefined) {
    if (geographic.has(epsg)) return (longitude, latitude) => [longitude, latitude];
    if (webMercator.has(epsg)) {
      return (longitude, latitude) => [(mercatorX(longitude) - 0.5) * AROUND, (0.5 - mercatorY(latitude)) * AROUND];
    }
    const row = utmZones.find(([first, , count]) => epsg >= first && epsg < first + count);
    if (row) {
      const [first, zone, , isSouth] = row;
      return utm(zone + epsg - first, isSouth);
    }
  }
  const system = epsg === undefined ? "an unnamed reference system" : `the reference system EPSG:${epsg}`;
  throw new ArgumentError(`loadBasemap(): ${name} has ${system}, which is not supported.`, {
    hint: "Convert it (gdalwarp -t_srs EPSG:3857 before.tif after.tif), or set { bounds: [west, south, east, north] } in degrees.",
    facts: { ...(epsg === undefined ? {} : { epsg }) },
  });
}

/** Transverse Mercator by Krüger's series, on the GRS 80 ellipsoid: accurate to a millimeter inside a zone. */
function utm(zone: number, isSouth: boolean): Project {
  const [radius, flattening, scale] = [6_378_137, 1 / 298.257_222_101, 0.9996];
  const n = flattening / (2 - flattening);
  const size = (scale * radius * (1 + n ** 2 / 4 + n ** 4 / 64)) / (1 + n);
  const terms = [
    n / 2 - (2 / 3) * n ** 2 + (5 / 16) * n ** 3,
    (13 / 48) * n ** 2 - (3 / 5) * n ** 3,
    (61 / 240) * n ** 3,
  ];
  const eccentricity = (2 * Math.sqrt(n)) / (1 + n);
  const radians = Math.PI / 180;
  return (longitude, latitude) => {
    const sine = Math.sin(latitude * radians);
    const east = (((longitude - (6 * zone - 183) + 540) % 360) - 180) * radians;
    const t = Math.sinh(Math.atanh(sine) - eccentricity * Math.atanh(eccentricity * sine));
    const up = Math.atan2(t, Math.cos(east));
    const right = Math.atanh(Math.sin(east) / Math.sqrt(1 + t * t));
    let [x, y] = [right, up];
    for (const [index, term] of terms.entries()) {
      const times = 2 * (index + 1);
      x += term * Math.cos(times * up) * Math.sinh(times * right);
      y += term * Math.sin(times * up) * Math.cosh(times * right);
    }
    return [500_000 + size * x, (isSouth ? 10_000_000 : 0) + size * y];
  };
}
