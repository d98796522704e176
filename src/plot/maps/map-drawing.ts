import type { ProjectionOptions } from "@observablehq/plot";
import type { Geometry, Position } from "geojson";
import type { Box } from "../basemap/mercator.js";
import { kindOf, type MapFeature } from "./map-features.js";

/** Projection and extent of a map. */
interface MapView {
  readonly projection: ProjectionOptions;
  /** Height of the drawing divided by its width. */
  readonly aspect: number;
  readonly centre: readonly [longitude: number, latitude: number];
  readonly isMercator: boolean;
}

/** Extent in degrees in which changes of Mercator's scale are invisible. */
const maxMercatorDegrees = 4;
/** Degrees around a single point, about 20 m. */
const minDegrees = 0.0002;
const radians = Math.PI / 180;

/** Drawing of features on a map of some width. */
export interface MapDrawing {
  readonly view: MapView;
  readonly height: number;
  /** Radius of points in pixels: smaller if there are many. */
  readonly radius: number;
  /** The features' geometries; invisibly small ones as points. */
  readonly geometries: readonly Geometry[];
  /** Extent of the map. */
  readonly extent: Box;
}

/** The space of one map, in pixels. */
interface MapSpace {
  readonly width: number;
  readonly maxHeight: number;
  /** Reserved height outside of the map itself. */
  readonly decorations: number;
}

/** Fits features into a space. */
export function mapDrawing(
  features: readonly MapFeature[],
  extent: Box,
  { width, maxHeight, decorations }: MapSpace,
): MapDrawing {
  const given = features.map(({ geometry }) => geometry);
  const view = mapView(extent);
  const height = Math.round(Math.min(maxHeight, Math.max(180, width * view.aspect + decorations)));
  const scale = Math.min(height - decorations, width * view.aspect) / Math.max(extent.north - extent.south, 1e-6);
  const radius = Math.min(3.5, Math.max(1.1, Math.sqrt((width * height) / Math.max(given.length, 1)) / 2.6));
  const geometries = given.map((geometry) => visible(geometry, (1.6 * radius) / scale));
  return { view, height, radius, geometries, extent };
}

/**
 * North up. Mercator, which keeps shapes, up to a few degrees; beyond that Equal Earth, which keeps areas comparable.
 * Both are rotated to the middle of the extent, so that the 180th meridian is not an edge.
 */
function mapView(extent: Box): MapView {
  const middle = [(extent.west + extent.east) / 2, (extent.south + extent.north) / 2] as const;
  const width = Math.max(extent.east - extent.west, minDegrees / Math.cos(middle[1] * radians));
  const height = Math.max(extent.north - extent.south, minDegrees);
  const isLocal = width <= maxMercatorDegrees && height <= maxMercatorDegrees && Math.abs(middle[1]) < 80;
  const [west, east] = [middle[0] - width / 2, middle[0] + width / 2];
  const south = Math.max(middle[1] - height / 2, -89.9);
  const north = Math.min(middle[1] + height / 2, 89.9);
  // Points, since the inside of a polygon across half the globe is ambiguous.
  const domain = {
    type: "MultiPoint",
    coordinates: [west, middle[0], east].flatMap((x) => [south, middle[1], north].map((y) => [x, y])),
  } as const;
  const type = isLocal ? "mercator" : "equal-earth";
  return {
    projection: {
      type,
      domain: domain as unknown as NonNullable<ProjectionOptions["domain"]>,
      rotate: [-middle[0], 0],
      inset: 8,
    },
    aspect: height / (width * Math.cos(middle[1] * radians)),
    centre: middle,
    isMercator: isLocal,
  };
}

/** A geometry, or the middle of its box if both sides are below `degrees`. */
function visible(geometry: Geometry, degrees: number): Geometry {
  if (kindOf(geometry) === "point") return geometry;
  const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
  let [west, south, east, north] = [most, most, least, least];
  eachPosition(geometry, ([x = 0, y = 0]) => {
    west = Math.min(west, x);
    east = Math.max(east, x);
    south = Math.min(south, y);
    north = Math.max(north, y);
  });
  if (east - west >= degrees || north - south >= degrees) return geometry;
  return { type: "Point", coordinates: [(west + east) / 2, (south + north) / 2] };
}

/** The smallest box around geometries; undefined without any. */
export function mapExtent(geometries: Iterable<Geometry>): Box | undefined {
  const box = emptyBox();
  // The same with longitudes from 0 to 360, which is narrower across the 180th meridian.
  const shifted = emptyBox();
  for (const geometry of geometries) {
    eachPosition(geometry, ([x = 0, y = 0]) => {
      grow(box, x, y);
      grow(shifted, x < 0 ? x + 360 : x, y);
    });
  }
  if (box.west > box.east) return undefined;
  return shifted.east - shifted.west < box.east - box.west ? shifted : box;
}

/** Calls a function for every position of a geometry. */
function eachPosition(geometry: Geometry, call: (position: Position) => void): void {
  if (geometry.type === "GeometryCollection") {
    for (const part of geometry.geometries) eachPosition(part, call);
    return;
  }
  visit(geometry.coordinates, call);
}

type Nested = Position | readonly Nested[];

function visit(coordinates: Nested, call: (position: Position) => void): void {
  if (typeof coordinates[0] === "number") call(coordinates as Position);
  else for (const part of coordinates as readonly Nested[]) visit(part, call);
}

type GrowingBox = { -readonly [Side in keyof Box]: number };

function emptyBox(): GrowingBox {
  const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
  return { west: most, south: most, east: least, north: least };
}

function grow(box: GrowingBox, x: number, y: number): void {
  box.west = Math.min(box.west, x);
  box.east = Math.max(box.east, x);
  box.south = Math.min(box.south, y);
  box.north = Math.max(box.north, y);
}
