import { basename } from "node:path";
import { ArgumentError } from "../../core/errors.js";
import { anything, checkOptions, integerFrom, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { isHistory } from "../../history/is-history.js";
import type { History, Layer } from "../../layer/layer.js";
import { placedTable } from "../../layer/place/places.js";
import { mapExtent } from "../maps/map-drawing.js";
import { drawable } from "../maps/map-features.js";
import { type GroundOutlines, groundShapes, MapGround } from "./ground.js";
import { type Box, latitudeAt, longitudeAt, mercatorSize, mercatorX, mercatorY, nearTo } from "./mercator.js";
import { encodePicture, type GroundPicture } from "./raster.js";
import type { PictureView } from "./read-image.js";
import type { ArchiveSource, TileSource } from "./read-tiles.js";

export type { ArchiveSource, TileSource } from "./read-tiles.js";

/** Sides of a picture or a map, in degrees. */
export type Bounds = readonly [west: number, south: number, east: number, north: number];

/** A picture with its place. */
export interface ImageSource {
  /** The path of a GeoTIFF, PNG, JPEG, GIF or WebP, or what is in it. */
  readonly image: string | Uint8Array;
  /** Where its sides are, in degrees. A GeoTIFF says it itself. */
  readonly bounds?: Bounds;
  /** Who is to be named below the map. */
  readonly attribution?: string;
}

/** What `readGround()` reads; outlines are taken as they are. */
export type GroundSource = ImageSource | TileSource | ArchiveSource | GroundOutlines;

const imageRules: OptionRules<ImageSource> = { image: anything, bounds: anything, attribution: text };
const tileRules: OptionRules<TileSource> = {
  tiles: text,
  attribution: text,
  maxZoom: integerFrom(0, 24),
  tileSize: integerFrom(64, 4096),
  headers: anything,
  timeoutMs: integerFrom(1),
};
const archiveRules: OptionRules<ArchiveSource> = { pmtiles: text, attribution: text, timeoutMs: integerFrom(1) };

/** Pixels of the longer side: twice a map's, for sharp screens. */
const PIXELS = 1800;

/**
 * Reads pictures and tiles for the ground of maps: cut to where the data lie, resampled, and small enough to stand in an
 * output. Maps take what it gives as the option `ground`; no output loads anything.
 *
 * GeoTIFFs need the optional package `geotiff`, PMTiles the package `pmtiles`, WebP pictures the package `@jsquash/webp`.
 *
 * @param around the data of the map, or `[west, south, east, north]` in degrees
 * @param source a picture, tiles, outlines, or several of them, from the lowest to the highest
 * @throws ArgumentError for a file that cannot be read, bounds that are none, and a package that is not installed;
 * GroundError with the `status` where a server refuses, is not there or is slow
 */
export async function readGround(
  around: Layer | History | GroundOutlines | Bounds,
  source: GroundSource | readonly GroundSource[],
): Promise<MapGround> {
  const view = viewOf(boxAround(around));
  const sources: readonly GroundSource[] = Array.isArray(source) ? source : [source];
  const [pictures, outlines]: [GroundPicture[], GroundOutlines[]] = [[], []];
  const [notes, attribution]: [string[], string[]] = [[], []];
  for (const one of sources) {
    if (!isRead(one)) {
      groundShapes(one);
      outlines.push(one);
      continue;
    }
    const read = await readPicture(one, view);
    pictures.push(read.picture);
    if (read.note !== undefined) notes.push(read.note);
    const named = read.attribution?.replaceAll(/<[^>]*>/g, "").trim();
    if (named) attribution.push(named);
  }
  return new MapGround(pictures, outlines, notes, attribution);
}

type ReadSource = ImageSource | TileSource | ArchiveSource;

function isRead(source: GroundSource): source is ReadSource {
  return typeof source === "object" && ["image", "tiles", "pmtiles"].some((name) => Object.hasOwn(source, name));
}

interface ReadPicture {
  readonly picture: GroundPicture;
  readonly note?: string | undefined;
  readonly attribution: string | undefined;
}

async function readPicture(source: ReadSource, view: PictureView): Promise<ReadPicture> {
  if ("image" in source) {
    checkOptions("readGround()", source, imageRules);
    const { image, bounds, attribution } = source;
    if (typeof image !== "string" && !(image instanceof Uint8Array)) {
      throw new ArgumentError(`readGround(): image takes a path or bytes, got ${showValue(image)}.`);
    }
    const name = typeof image === "string" ? basename(image) : "The picture";
    const box = bounds === undefined ? undefined : nearTo(checkBounds(bounds), view.box);
    const { readImage } = await import("./read-image.js");
    const read = await readImage(image, name, box, view);
    const encoded = read && (await encodePicture(read.raster));
    const { href, mask } = encoded ?? { href: undefined, mask: undefined };
    return { picture: { name, box: read?.box ?? box ?? view.box, href, mask }, attribution };
  }
  const tiles = await import("./read-tiles.js");
  if ("tiles" in source) checkOptions("readGround()", source, tileRules);
  else checkOptions("readGround()", source, archiveRules);
  const read = await ("tiles" in source ? tiles.readTiles(source, view) : tiles.readArchive(source, view));
  const { href, mask } = (await encodePicture(read.raster)) ?? { href: undefined, mask: undefined };
  const picture = { name: "The picture of the tiles", box: read.box, href, mask };
  return { picture, note: read.note, attribution: read.attribution };
}

function checkBounds(bounds: unknown): Box {
  const [west, south, east, north] =
    Array.isArray(bounds) && bounds.every((one) => typeof one !== "object") ? bounds.map(Number) : [];
  const isBox =
    west !== undefined &&
    south !== undefined &&
    east !== undefined &&
    north !== undefined &&
    [west, south, east, north].every(Number.isFinite) &&
    west >= -180 &&
    west < east &&
    east <= 360 &&
    south >= -90 &&
    south < north &&
    north <= 90;
  if (isBox) return { west, south: Math.max(-85, south), east, north: Math.min(85, north) };
  throw new ArgumentError(`${showValue(bounds)} are no bounds.`, {
    hint: "Give [west, south, east, north] in degrees, west below east and south below north.",
  });
}

function boxAround(around: Layer | History | GroundOutlines | Bounds): Box {
  if (Array.isArray(around)) return checkBounds(around);
  const data = isHistory(around) ? around.asOf(around.readAt, { absent: "keep" }) : around;
  const isPlain = typeof data === "string" || "coordinates" in Object(data);
  const geometries = isPlain
    ? groundShapes(data as GroundOutlines).map(({ geometry }) => geometry)
    : Array.from(placedTable(data as Layer, "readGround()").geometries, (value) => drawable(value) ?? []).flat();
  const extent = mapExtent(geometries);
  // Of the west of the world it may be from 180 to 360.
  if (extent) return nearTo(extent, { west: -180, south: 0, east: 180, north: 0 });
  throw new ArgumentError("readGround() has nothing to read the ground around: no feature has a place.", {
    hint: "Give data with geometries, or [west, south, east, north] in degrees.",
  });
}

/** Maps are at most 2.1 times as wide as the data are high, and 0.4 times as high as they are wide, with some room around. */
function viewOf({ west, south, east, north }: Box): PictureView {
  const [middleX, middleY] = [(west + east) / 2, (mercatorY(south) + mercatorY(north)) / 2];
  // Some 20 m, as a map of one point shows.
  const least = 0.0003 / 360;
  const size = mercatorSize({ west, south: Math.max(-85, south), east, north: Math.min(85, north) });
  const [own, high] = [Math.max(least, size.width), Math.max(least, size.height)].map((side) => 1.12 * side) as [
    number,
    number,
  ];
  const [across, down] = [Math.max(own, 2.1 * high), Math.max(high, own / 2.5)];
  const x = mercatorX(middleX);
  const box = {
    west: longitudeAt(x - across / 2),
    east: longitudeAt(x + across / 2),
    north: latitudeAt(Math.max(0, middleY - down / 2)),
    south: latitudeAt(Math.min(1, middleY + down / 2)),
  };
  const scale = PIXELS / Math.max(across, down);
  return { box, width: Math.round(across * scale), height: Math.round(down * scale) };
}
