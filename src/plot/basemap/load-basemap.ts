import { basename } from "node:path";
import { ArgumentError } from "../../core/errors.js";
import { anything, checkOptions, integerFrom, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { isHistory } from "../../history/is-history.js";
import type { History, Layer } from "../../layer/layer.js";
import { geometryTable } from "../../layer/place/geometry-table.js";
import { mapExtent } from "../maps/map-drawing.js";
import { drawable } from "../maps/map-features.js";
import { type BasemapOutlines, basemapShapes, MapBasemap } from "./basemap.js";
import { type Box, latitudeAt, longitudeAt, mercatorSize, mercatorX, mercatorY, nearTo } from "./mercator.js";
import type { PictureView } from "./raster.js";
import { type BasemapPicture, encodePicture } from "./raster.js";
import type { ArchiveSource, TileSource } from "./read-tiles.js";

export type { ArchiveSource, TileSource } from "./read-tiles.js";

/** Sides of a picture or a map, in degrees. */
export type Bounds = readonly [west: number, south: number, east: number, north: number];

/** A picture with its location. */
export interface ImageSource {
  /** Path of a GeoTIFF, PNG, JPEG, GIF or WebP file, or its bytes. */
  readonly image: string | Uint8Array;
  /** Its sides, in degrees. Default: the location in a GeoTIFF. */
  readonly bounds?: Bounds;
  /** Attribution below the map. */
  readonly attribution?: string;
}

/** A source of `loadBasemap()`. Outlines are used as they are. */
export type BasemapSource = ImageSource | TileSource | ArchiveSource | BasemapOutlines;

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
 * Returns pictures and tiles for the basemap of maps, cropped to the area of the data, resampled, and small enough to be
 * embedded in an output. Pass the result to maps as the option `basemap`; outputs load nothing.
 *
 * GeoTIFFs need the optional package `geotiff`, PMTiles the package `pmtiles`, WebP pictures the package `@jsquash/webp`.
 *
 * @param around the data of the map, or `[west, south, east, north]` in degrees
 * @param source a picture, tiles, outlines, or several of them, from bottom to top
 * @throws ArgumentError for a file that cannot be read, invalid bounds, and a missing package; BasemapError with the
 * `status` if a server refuses, is unreachable or is slow
 * @example
 * const survey = await loadBasemap(trenches, { image: "survey.png", bounds: [-5.992, 38.738, -5.981, 38.747] });
 * layerMap(trenches, "STATUS", { basemap: [survey, await site.blocks()], height: 300 })
 */
export async function loadBasemap(
  around: Layer | History | BasemapOutlines | Bounds,
  source: BasemapSource | readonly BasemapSource[],
): Promise<MapBasemap> {
  const view = viewOf(boxAround(around));
  const sources: readonly BasemapSource[] = Array.isArray(source) ? source : [source];
  const [pictures, outlines]: [BasemapPicture[], BasemapOutlines[]] = [[], []];
  const [notes, attribution]: [string[], string[]] = [[], []];
  for (const one of sources) {
    if (!isRead(one)) {
      basemapShapes(one);
      outlines.push(one);
      continue;
    }
    const read = await readPicture(one, view);
    pictures.push(read.picture);
    if (read.note !== undefined) notes.push(read.note);
    const named = read.attribution?.replaceAll(/<[^>]*>/g, "").trim();
    if (named) attribution.push(named);
  }
  return new MapBasemap(pictures, outlines, notes, attribution);
}

type ReadSource = ImageSource | TileSource | ArchiveSource;

function isRead(source: BasemapSource): source is ReadSource {
  return typeof source === "object" && ["image", "tiles", "pmtiles"].some((name) => Object.hasOwn(source, name));
}

interface ReadPicture {
  readonly picture: BasemapPicture;
  readonly note?: string | undefined;
  readonly attribution: string | undefined;
}

async function readPicture(source: ReadSource, view: PictureView): Promise<ReadPicture> {
  if ("image" in source) {
    checkOptions("loadBasemap()", source, imageRules);
    const { image, bounds, attribution } = source;
    if (typeof image !== "string" && !(image instanceof Uint8Array)) {
      throw new ArgumentError(`loadBasemap(): image must be a path or bytes, got ${showValue(image)}.`);
    }
    const name = typeof image === "string" ? basename(image) : "the picture";
    const box = bounds === undefined ? undefined : nearTo(checkBounds(bounds), view.box);
    const { readImage } = await import("./read-image.js");
    const read = await readImage(image, name, box, view);
    const encoded = read && (await encodePicture(read.raster));
    const { href, mask } = encoded ?? { href: undefined, mask: undefined };
    return { picture: { name, box: read?.box ?? box ?? view.box, href, mask }, attribution };
  }
  const tiles = await import("./read-tiles.js");
  if ("tiles" in source) checkOptions("loadBasemap()", source, tileRules);
  else checkOptions("loadBasemap()", source, archiveRules);
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
  throw new ArgumentError(`loadBasemap(): invalid bounds ${showValue(bounds)}.`, {
    hint: "Pass [west, south, east, north] in degrees, with west < east and south < north.",
  });
}

function boxAround(around: Layer | History | BasemapOutlines | Bounds): Box {
  if (Array.isArray(around)) return checkBounds(around);
  const data = isHistory(around) ? around.asOf(around.readAt, { absent: "keep" }) : around;
  const isPlain = typeof data === "string" || "coordinates" in Object(data);
  const geometries = isPlain
    ? basemapShapes(data as BasemapOutlines).map(({ geometry }) => geometry)
    : Array.from(geometryTable(data as Layer, "loadBasemap()").geometries, (value) => drawable(value) ?? []).flat();
  const extent = mapExtent(geometries);
  // The far west may have longitudes from 180 to 360.
  if (extent) return nearTo(extent, { west: -180, south: 0, east: 180, north: 0 });
  throw new ArgumentError("loadBasemap(): no feature in the data has a location.", {
    hint: "Pass data with geometries, or [west, south, east, north] in degrees.",
  });
}

/** Maps are at most 2.1 times as wide as the data are high, and 0.4 times as high as they are wide, plus a margin. */
function viewOf({ west, south, east, north }: Box): PictureView {
  const [middleX, middleY] = [(west + east) / 2, (mercatorY(south) + mercatorY(north)) / 2];
  // About 20 m, as in a map of a single point.
  const least = 0.0003 / 360;
  const size = mercatorSize({ west, south: Math.max(-85, south), east, north: Math.min(85, north) });
  const [ownWidth, high] = [Math.max(least, size.width), Math.max(least, size.height)].map((side) => 1.12 * side) as [
    number,
    number,
  ];
  const [across, down] = [Math.max(ownWidth, 2.1 * high), Math.max(high, ownWidth / 2.5)];
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
