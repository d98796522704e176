import type { FlatShape } from "./flat-shape.js";

/** Where degrees lie in a small map: north up, a degree of longitude as much shorter as it is in the middle. */
export interface MapFrame {
  readonly width: number;
  readonly height: number;
  /** Pixels. */
  x(longitude: number): number;
  y(latitude: number): number;
  /** Metres of one pixel. */
  readonly metres: number;
  /** Sides of what is shown, in metres. */
  readonly sides: readonly [east: number, north: number];
}

const maxWidth = 360;
const maxHeight = 240;
const minWidth = 140;
const margin = 8;
/** Degrees around a single point, some 20 m. */
const minDegrees = 0.0002;
const metresPerDegree = 111_195;

/** Fits shapes into a small map; undefined without any position. */
export function mapFrame(shapes: readonly FlatShape[]): MapFrame | undefined {
  const plain = extentOf(shapes, false);
  if (!Number.isFinite(plain.west)) return undefined;
  // Longitudes from 0 to 360 make the narrower box across the 180th meridian.
  const turned = extentOf(shapes, true);
  const isTurned = turned.east - turned.west < plain.east - plain.west;
  const { west, south, east, north } = isTurned ? turned : plain;
  const middle = [(west + east) / 2, (south + north) / 2] as const;
  const shortening = Math.max(Math.cos((middle[1] * Math.PI) / 180), 0.01);
  const across = Math.max((east - west) * shortening, minDegrees);
  const up = Math.max(north - south, minDegrees);
  const scale = Math.min((maxWidth - 2 * margin) / across, (maxHeight - 2 * margin) / up);
  const width = Math.round(Math.max(minWidth, across * scale + 2 * margin));
  const height = Math.round(Math.max(60, up * scale + 2 * margin));
  return {
    width,
    height,
    x: (longitude) => width / 2 + (turn(longitude, isTurned) - middle[0]) * shortening * scale,
    y: (latitude) => height / 2 - (latitude - middle[1]) * scale,
    metres: metresPerDegree / scale,
    sides: [(east - west) * shortening * metresPerDegree, (north - south) * metresPerDegree],
  };
}

function turn(longitude: number, isTurned: boolean): number {
  return isTurned && longitude < 0 ? longitude + 360 : longitude;
}

function extentOf(shapes: readonly FlatShape[], isTurned: boolean) {
  const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
  let [west, south, east, north] = [most, most, least, least];
  for (const { parts } of shapes) {
    for (const part of parts) {
      for (let place = 0; place + 1 < part.length; place += 2) {
        const x = turn(part[place] ?? 0, isTurned);
        const y = part[place + 1] ?? 0;
        if (x < west) west = x;
        if (x > east) east = x;
        if (y < south) south = y;
        if (y > north) north = y;
      }
    }
  }
  return { west, south, east, north };
}
