import type { ProjectionOptions } from "@observablehq/plot";
import type { Geometry, Position } from "geojson";
import { formatLatitude, formatLongitude } from "../../core/format/format-geometry.js";
import type { BasemapShape } from "../basemap/basemap.js";
import type { Box } from "../basemap/mercator.js";
import { kindOf, type MapFeature } from "./map-features.js";

/** Projection and extent of a map. */
interface MapView {
  readonly projection: ProjectionOptions;
  /** Height of the drawing divided by its width. */
  readonly aspect: number;
  readonly centre: readonly [longitude: number, latitude: number];
  readonly isMercator: boolean;
  /** Whether one scale bar is about right in the whole map. */
  readonly hasScale: boolean;
}

/** Extent in degrees up to which a scale bar is about right in the whole map. */
const maxScaledDegrees = 60;
/** Distances of the lines of a graticule in degrees, and their maximum number. */
const graticuleSteps = [1, 2, 5, 10, 20, 30] as const;
const maxLines = 7;
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
  const { middle, width, height, isLocal } = sizeOf(extent);
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
    hasScale: Math.max(width, height) <= maxScaledDegrees,
  };
}

function sizeOf(extent: Box) {
  const middle = [(extent.west + extent.east) / 2, (extent.south + extent.north) / 2] as const;
  const width = Math.max(extent.east - extent.west, minDegrees / Math.cos(middle[1] * radians));
  const height = Math.max(extent.north - extent.south, minDegrees);
  const isLocal = width <= maxMercatorDegrees && height <= maxMercatorDegrees && Math.abs(middle[1]) < 80;
  return { middle, width, height, isLocal };
}

/** Meridians and parallels with their names, for a map of a continent or the world; empty for smaller ones. */
export function graticule(extent: Box): readonly BasemapShape[] {
  const { middle, width, height, isLocal } = sizeOf(extent);
  if (isLocal) return [];
  const step = graticuleSteps.find((degrees) => Math.max(width, height) / degrees <= maxLines) ?? 30;
  // Lines continue beyond the features, at most around the globe.
  const [west, east] = [-1, 1].map((side) => middle[0] + side * Math.min(179.99, width)) as [number, number];
  const [south, north] = [-1, 1].map((side) => Math.max(-90, Math.min(90, middle[1] + side * height))) as [
    number,
    number,
  ];
  const meridians = multiples(west, east, step);
  const parallels = multiples(south, north, step);
  const coordinates = [
    ...meridians.map((longitude) => multiples(south, north, 3, true).map((latitude) => [longitude, latitude])),
    ...parallels.map((latitude) => multiples(west, east, 3, true).map((longitude) => [longitude, latitude])),
  ];
  const nowhere: Geometry = { type: "MultiPoint", coordinates: [] };
  const across = extent.west + 0.04 * width;
  return [
    { geometry: { type: "MultiLineString", coordinates }, name: undefined },
    ...parallels.map((at) => ({ geometry: nowhere, name: formatLatitude(at), place: [across, at] as const })),
    ...meridians.map((at) => ({ geometry: nowhere, name: formatLongitude(at), place: [at, extent.south] as const })),
  ];
}

/** Multiples of a step between two numbers, with both ends if wanted. */
function multiples(from: number, to: number, step: number, hasEnds = false): readonly number[] {
  const first = Math.ceil(from / step);
  const all = Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, at) => (first + at) * step);
  return hasEnds ? [...new Set([from, ...all, to])] : all;
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

/**
 * The smallest box around geometries; undefined without any. Its east may be above 180: the box leaves out the widest gap
 * between longitudes, so that a map of the world is cut where it has no features.
 */
export function mapExtent(geometries: readonly Geometry[]): Box | undefined {
  const box = emptyBox();
  for (const geometry of geometries) eachPosition(geometry, ([x = 0, y = 0]) => grow(box, x, y));
  if (box.west > box.east) return undefined;
  // In a narrower box, no gap is as wide as the rest of the globe.
  return box.east - box.west <= 180 ? box : { ...box, ...besideWidestGap(geometries.flatMap(rangesOf)) };
}

type Range = readonly [west: number, east: number];

/** The range of longitudes outside the widest gap between ranges. */
function besideWidestGap(ranges: readonly Range[]): { readonly west: number; readonly east: number } {
  const sorted = [...ranges].sort(([a], [b]) => a - b);
  // The globe starts again after the last range.
  let reached = sorted.reduce((most, [, east]) => Math.max(most, east), Number.NEGATIVE_INFINITY) - 360;
  let widest = { gap: 0, west: (sorted[0] as Range)[0] };
  for (const [west, east] of sorted) {
    if (west - reached > widest.gap) widest = { gap: west - reached, west };
    reached = Math.max(reached, east);
  }
  return { west: widest.west, east: widest.west + 360 - widest.gap };
}

/** The longitudes of each point, line and ring of a geometry. */
function rangesOf(geometry: Geometry): readonly Range[] {
  if (geometry.type === "GeometryCollection") return geometry.geometries.flatMap(rangesOf);
  if (geometry.type === "Point") return rangeOf([geometry.coordinates]);
  if (geometry.type === "MultiPoint") return geometry.coordinates.flatMap((position) => rangeOf([position]));
  if (geometry.type === "LineString") return rangeOf(geometry.coordinates);
  if (geometry.type === "MultiPolygon") return geometry.coordinates.flat().flatMap(rangeOf);
  return geometry.coordinates.flatMap(rangeOf);
}

function rangeOf(positions: readonly Position[]): readonly Range[] {
  const [box, shifted] = [emptyBox(), emptyBox()];
  for (const [x = 0, y = 0] of positions) {
    grow(box, x, y);
    // From 0 to 360, which is narrower across the 180th meridian.
    grow(shifted, x < 0 ? x + 360 : x, y);
  }
  if (box.west > box.east) return [];
  const { west, east } = shifted.east - shifted.west < box.east - box.west ? shifted : box;
  const turn = 360 * Math.floor((west + 180) / 360);
  return [[west - turn, east - turn]];
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
