import { readFileSync } from "node:fs";
import type { ColumnTable } from "arquero";
import type { Feature, FeatureCollection, Geometry } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { isHistory } from "../../history/is-history.js";
import { Layer } from "../../layer/layer.js";
import { geometryTable } from "../../layer/place/geometry-table.js";
import { isTable } from "../../tables/column/is-table.js";
import { isGeometry } from "../../tables/display/pictures/picture.js";
import { drawable } from "../maps/map-features.js";
import { type Box, overlap } from "./mercator.js";
import type { BasemapPicture } from "./raster.js";
import { unreadableBasemap } from "./unreadable-basemap.js";

/**
 * Outlines drawn in a faint color below a map, with the names of a column `name`: a layer, a table with a column of
 * geometries (`site.blocks()`), GeoJSON, or the path of a GeoJSON file.
 */
export type BasemapOutlines =
  | Layer
  | ColumnTable
  | FeatureCollection<Geometry | null>
  | Feature<Geometry | null>
  | Geometry
  | string;

/** A basemap read by `loadBasemap()`: pictures and tiles for a part of the world, and outlines. */
export class MapBasemap {
  /** Missing pictures and tiles, one sentence each. */
  readonly notes: readonly string[];
  /** Attributions shown below each map. */
  readonly attribution: readonly string[];
  /** @internal */
  readonly pictures: readonly BasemapPicture[];
  /** @internal */
  readonly outlines: readonly BasemapOutlines[];

  /** @internal */
  constructor(
    pictures: readonly BasemapPicture[],
    outlines: readonly BasemapOutlines[],
    notes: readonly string[],
    attribution: readonly string[],
  ) {
    this.pictures = pictures;
    this.outlines = outlines;
    this.notes = notes;
    this.attribution = attribution;
  }
}

/** The option `basemap` of maps. `false` for none, not even the blocks of a layer. */
export type Basemap = BasemapOutlines | MapBasemap | readonly (BasemapOutlines | MapBasemap)[] | false;

/** A shape of a basemap. */
export interface BasemapShape {
  readonly geometry: Geometry;
  readonly name: string | undefined;
  /** Longitude and latitude below the name. Default: the center of the shape, if that has room. */
  readonly place?: readonly [longitude: number, latitude: number];
}

/** The part of a basemap that maps draw below their features. */
export interface DrawnBasemap {
  readonly pictures: readonly BasemapPicture[];
  readonly shapes: readonly BasemapShape[];
  readonly notes: readonly string[];
  readonly attribution: readonly string[];
}

const HINT =
  "Pass a layer, a table with a column of geometries such as site.blocks(), GeoJSON or its path; for pictures and tiles, await loadBasemap(data, { … }).";

/**
 * Returns the basemap of a map.
 *
 * @param data the data of the map, which may have blocks
 * @throws ArgumentError for an invalid basemap, and a file that cannot be read
 */
export function drawnBasemap(basemap: Basemap | undefined, data: unknown): DrawnBasemap {
  if (basemap === false) return { pictures: [], shapes: [], notes: [], attribution: [] };
  const parts: readonly (BasemapOutlines | MapBasemap)[] = Array.isArray(basemap) ? basemap : [basemap ?? []].flat();
  const read = parts.filter((part) => part instanceof MapBasemap);
  const outlines = parts.flatMap((part) => (part instanceof MapBasemap ? part.outlines : [part]));
  return {
    pictures: read.flatMap(({ pictures }) => pictures),
    shapes: outlines.length > 0 ? outlines.flatMap(basemapShapes) : knownBlocks(data),
    notes: read.flatMap(({ notes }) => notes),
    attribution: [...new Set(read.flatMap(({ attribution }) => attribution))],
  };
}

/** The blocks of a layer or a history. */
function knownBlocks(data: unknown): readonly BasemapShape[] {
  const blocks = isHistory(data) ? data.blocks : data instanceof Layer ? data.input.blocks : [];
  return blocks.flatMap(({ name, geo_boundaries }) => shapeOf(geo_boundaries, name));
}

/** A map as its basemap's caption needs it. */
interface CaptionedMap {
  readonly basemap: DrawnBasemap;
  readonly extent: Box;
  readonly view: { readonly isMercator: boolean };
}

/** Degrees, about 10 m. */
const AROUND = 0.0001;

/** The caption below a map about its basemap. */
export function basemapCaption({ basemap, extent, view: { isMercator } }: CaptionedMap): string {
  const { pictures, notes, attribution } = basemap;
  // The features of a map may be on a line.
  const data = {
    west: extent.west - AROUND,
    south: extent.south - AROUND,
    east: extent.east + AROUND,
    north: extent.north + AROUND,
  };
  const unseen = pictures.flatMap(({ name, href, box }) => {
    if (href === undefined || !overlap(data, box)) return [`${name} is outside of this map and not shown.`];
    return isMercator ? [] : [`${name} is not shown: pictures need a map in Mercator projection.`];
  });
  const named = attribution.length === 0 ? [] : [`Basemap: ${attribution.join("; ")}.`];
  return [...unseen, ...notes, ...named].join(" ");
}

/** Checks outlines and returns their shapes. */
export function basemapShapes(given: BasemapOutlines): readonly BasemapShape[] {
  const outlines = typeof given === "string" ? readGeoJson(given) : given;
  if (!(outlines instanceof Layer) && !isTable(outlines)) {
    const { type } = Object(outlines) as { readonly type?: unknown };
    if (isGeometry(outlines)) return shapeOf(outlines, undefined);
    if (type !== "Feature" && type !== "FeatureCollection") {
      throw new ArgumentError(`Invalid basemap: ${showValue(given)}.`, { hint: HINT });
    }
  }
  const { table, geometries } = geometryTable(outlines as ColumnTable, "basemap");
  const column = table.columnNames().find((name) => name.toLowerCase() === "name");
  const named = column === undefined ? undefined : table.column(column);
  return Array.from({ length: geometries.length }, (_, row) => shapeOf(geometries.at(row), named?.at(row))).flat();
}

function shapeOf(value: unknown, name: unknown): readonly BasemapShape[] {
  const geometry = drawable(value);
  return geometry ? [{ geometry, name: name === null || name === undefined ? undefined : String(name) }] : [];
}

function readGeoJson(path: string): BasemapOutlines {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw unreadableBasemap(`The basemap ${showValue(path)}`, path, cause);
  }
  try {
    return JSON.parse(text) as BasemapOutlines;
  } catch {
    // The parser's message quotes the file.
    throw new ArgumentError(`The basemap ${showValue(path)} is not GeoJSON.`, {
      hint: "Read pictures and tiles first: { basemap: await loadBasemap(data, { image: path }) }.",
      facts: { basemap: path },
    });
  }
}
