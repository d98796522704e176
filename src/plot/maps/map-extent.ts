import type { Geometry, Position } from "geojson";

/** A box in degrees. `east` may pass 180 where the box crosses the 180th meridian. */
export interface MapExtent {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The smallest box around geometries; undefined without any. */
export function mapExtent(geometries: Iterable<Geometry>): MapExtent | undefined {
  const box = emptyBox();
  // The same with longitudes from 0 to 360, which is the narrower one across the 180th meridian.
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

/** Calls for every position of a geometry. */
export function eachPosition(geometry: Geometry, call: (position: Position) => void): void {
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

type Box = { -readonly [Side in keyof MapExtent]: number };

function emptyBox(): Box {
  const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
  return { west: most, south: most, east: least, north: least };
}

function grow(box: Box, x: number, y: number): void {
  box.west = Math.min(box.west, x);
  box.east = Math.max(box.east, x);
  box.south = Math.min(box.south, y);
  box.north = Math.max(box.north, y);
}
