import { readFileSync } from "node:fs";
import type { ColumnTable } from "arquero";
import type { Feature, FeatureCollection, Geometry } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { isHistory } from "../../history/is-history.js";
import { Layer } from "../../layer/layer.js";
import { placedTable } from "../../layer/place/places.js";
import { isTable } from "../../tables/column/is-table.js";
import { isGeometry } from "../../tables/display/pictures/picture.js";
import { drawable } from "../maps/map-features.js";
import { type Box, overlap } from "./mercator.js";
import type { GroundPicture } from "./raster.js";
import { unreadable } from "./read-image.js";

/**
 * What is drawn as faint outlines below a map, with the names of a column `name`: a layer, a table with a column of geometries (`site.blocks()`),
 * GeoJSON, or the path of a file of GeoJSON.
 */
export type GroundOutlines =
  | Layer
  | ColumnTable
  | FeatureCollection<Geometry | null>
  | Feature<Geometry | null>
  | Geometry
  | string;

/** A ground that `readGround()` has read: pictures and tiles for a part of the world, and outlines. */
export class MapGround {
  /** What was missing. */
  readonly notes: readonly string[];
  /** Who is named below each map. */
  readonly attribution: readonly string[];
  /** @internal */
  readonly pictures: readonly GroundPicture[];
  /** @internal */
  readonly outlines: readonly GroundOutlines[];

  /** @internal */
  constructor(
    pictures: readonly GroundPicture[],
    outlines: readonly GroundOutlines[],
    notes: readonly string[],
    attribution: readonly string[],
  ) {
    this.pictures = pictures;
    this.outlines = outlines;
    this.notes = notes;
    this.attribution = attribution;
  }
}

/** What the option `ground` of maps takes; `false` is no ground, not even blocks that a layer knows. */
export type Ground = GroundOutlines | MapGround | readonly (GroundOutlines | MapGround)[] | false;

/** A shape of the ground. */
export interface GroundShape {
  readonly geometry: Geometry;
  readonly name: string | undefined;
}

/** What maps draw below their features. */
export interface DrawnGround {
  readonly pictures: readonly GroundPicture[];
  readonly shapes: readonly GroundShape[];
  readonly notes: readonly string[];
  readonly attribution: readonly string[];
}

const HINT =
  "Give a layer, a table with a column of geometries such as site.blocks(), GeoJSON or its path; pictures and tiles by await readGround(data, { … }).";

/**
 * The ground of a map.
 *
 * @param shown what the map is of, which may know its blocks
 * @throws ArgumentError for what is none, and a file that cannot be read
 */
export function drawnGround(ground: Ground | undefined, shown: unknown): DrawnGround {
  if (ground === false) return { pictures: [], shapes: [], notes: [], attribution: [] };
  const parts: readonly (GroundOutlines | MapGround)[] = Array.isArray(ground) ? ground : [ground ?? []].flat();
  const read = parts.filter((part) => part instanceof MapGround);
  const outlines = parts.flatMap((part) => (part instanceof MapGround ? part.outlines : [part]));
  return {
    pictures: read.flatMap(({ pictures }) => pictures),
    shapes: outlines.length > 0 ? outlines.flatMap(groundShapes) : knownBlocks(shown),
    notes: read.flatMap(({ notes }) => notes),
    attribution: [...new Set(read.flatMap(({ attribution }) => attribution))],
  };
}

/** The blocks that a layer or a history knows. */
function knownBlocks(shown: unknown): readonly GroundShape[] {
  const blocks = isHistory(shown) ? shown.blocks : shown instanceof Layer ? shown.input.blocks : [];
  return blocks.flatMap(({ name, geo_boundaries }) => shapeOf(geo_boundaries, name));
}

/** A map as its ground's caption tells of it. */
interface CaptionedMap {
  readonly ground: DrawnGround;
  readonly extent: Box;
  readonly view: { readonly isMercator: boolean };
}

/** Degrees, some 10 m. */
const AROUND = 0.0001;

/** What stands below a map about its ground. */
export function groundCaption({ ground, extent, view: { isMercator } }: CaptionedMap): string {
  const { pictures, notes, attribution } = ground;
  // The features of a map may lie in a row.
  const shown = {
    west: extent.west - AROUND,
    south: extent.south - AROUND,
    east: extent.east + AROUND,
    north: extent.north + AROUND,
  };
  const unseen = pictures.flatMap(({ name, href, box }) => {
    if (href === undefined || !overlap(shown, box)) return [`${name} lies outside of this map and is not shown.`];
    return isMercator ? [] : [`${name} is not shown: pictures need a map in Mercator's projection.`];
  });
  const named = attribution.length === 0 ? [] : [`Ground: ${attribution.join("; ")}.`];
  return [...unseen, ...notes, ...named].join(" ");
}

/** Checks what is given as outlines, and gives their shapes. */
export function groundShapes(given: GroundOutlines): readonly GroundShape[] {
  const outlines = typeof given === "string" ? readGeoJson(given) : given;
  if (!(outlines instanceof Layer) && !isTable(outlines)) {
    const { type } = Object(outlines) as { readonly type?: unknown };
    if (isGeometry(outlines)) return shapeOf(outlines, undefined);
    if (type !== "Feature" && type !== "FeatureCollection") {
      throw new ArgumentError(`${showValue(given)} is no ground of a map.`, { hint: HINT });
    }
  }
  const { table, geometries } = placedTable(outlines as ColumnTable, "ground");
  const column = table.columnNames().find((name) => name.toLowerCase() === "name");
  const named = column === undefined ? undefined : table.column(column);
  return Array.from({ length: geometries.length }, (_, row) => shapeOf(geometries.at(row), named?.at(row))).flat();
}

function shapeOf(value: unknown, name: unknown): readonly GroundShape[] {
  const geometry = drawable(value);
  return geometry ? [{ geometry, name: name === null || name === undefined ? undefined : String(name) }] : [];
}

function readGeoJson(path: string): GroundOutlines {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw unreadable(path, cause);
  }
  try {
    return JSON.parse(text) as GroundOutlines;
  } catch {
    // The parser's message quotes the file.
    throw new ArgumentError(`The ground ${showValue(path)} is no GeoJSON.`, {
      hint: "Pictures and tiles are read before: give await readGround(data, { image: path }).",
      facts: { ground: path },
    });
  }
}
