/** A box in degrees. `east` may exceed 180 if the box crosses the 180th meridian. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

const radians = Math.PI / 180;

/** The position of a longitude on Mercator's square, whose sides are 1. */
export function mercatorX(longitude: number): number {
  return (longitude + 180) / 360;
}

/** The position of a latitude on Mercator's square, from the north. */
export function mercatorY(latitude: number): number {
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + (latitude * radians) / 2)) / (2 * Math.PI);
}

/** The longitude of a position on Mercator's square. */
export function longitudeAt(x: number): number {
  return x * 360 - 180;
}

/** The latitude of a position on Mercator's square. */
export function latitudeAt(y: number): number {
  return (2 * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - Math.PI / 2) / radians;
}

/** Width and height of a box on Mercator's square. */
export function mercatorSize({ west, south, east, north }: Box): { readonly width: number; readonly height: number } {
  return { width: mercatorX(east) - mercatorX(west), height: mercatorY(south) - mercatorY(north) };
}

/** A box moved by full turns to be near another. */
export function nearTo(box: Box, other: Box): Box {
  const turns = Math.round((other.west + other.east - box.west - box.east) / 720);
  return turns === 0 ? box : { ...box, west: box.west + 360 * turns, east: box.east + 360 * turns };
}

/** The intersection of two boxes, in the turn of the first; undefined if empty. */
export function overlap(a: Box, other: Box): Box | undefined {
  const b = nearTo(other, a);
  const shared = {
    west: Math.max(a.west, b.west),
    south: Math.max(a.south, b.south),
    east: Math.min(a.east, b.east),
    north: Math.min(a.north, b.north),
  };
  return shared.west < shared.east && shared.south < shared.north ? shared : undefined;
}
