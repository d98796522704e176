import { formatDegrees, formatExtent, formatScale } from "../../../core/format/format-geometry.js";
import { formatCount } from "../../../core/format/format-number.js";
import { niceAtMost } from "../../../core/nice-number.js";
import { type FlatShape, flatShapes, type Picture, pictureColours, svgDocument } from "./picture.js";

/** Positions of degrees in a small map: north is up, and a degree of longitude has its length at the center. */
interface MapFrame {
  readonly width: number;
  readonly height: number;
  /** Pixels. */
  x(longitude: number): number;
  y(latitude: number): number;
  /** Meters per pixel. */
  readonly metres: number;
  /** Sides of the visible area in meters. */
  readonly sides: readonly [east: number, north: number];
}

const maxWidth = 360;
const maxHeight = 240;
const minWidth = 140;
const margin = 8;
/** Degrees around a single point, about 20 m. */
const minDegrees = 0.0002;
const metresPerDegree = 111_195;

/** Shapes with both sides below this number of pixels are drawn as a point. */
const tiny = 2;

/** More features than this are sampled. */
const limit = 600;
/** More shapes than this, from collections and multi-geometries, are sampled too. */
const maxShapes = 2000;
/** Maximum number of corners of all shapes; larger maps are simplified. */
const maxCorners = 12_000;
const footer = 20;

/** The data of a small map. */
export interface MapSource {
  readonly count: number;
  /** The GeoJSON geometry of a row, or any other value for none. */
  readonly geometryAt: (row: number) => unknown;
}

/**
 * A small map of many geometries as an SVG of bounded size: at most 600 of them, evenly sampled.
 *
 * @returns undefined if none of them has a position
 */
export function sketchMap({ count, geometryAt }: MapSource): Picture | undefined {
  const drawn = Math.min(count, limit);
  const features = Array.from({ length: drawn }, (_, index) =>
    flatShapes(geometryAt(Math.floor((index * count) / drawn))),
  ).filter((shapes) => shapes.length > 0);
  const shapes = sampleEvenly(features.flat(), maxShapes);
  const frame = mapFrame(shapes);
  if (!frame) return undefined;
  const caption = captionOf(features.length, drawn, count, frame);
  const { width, height } = frame;
  const content = `${marks(shapes, frame, pictureColours.mark)}${decorations(frame)}`;
  return { svg: svgDocument(width, height + footer, caption, content), width, height: height + footer, caption };
}

/** Geometries in the background of small maps of single features. */
export type SketchBasemap = readonly PlacedShapes[];

interface PlacedShapes {
  readonly shapes: readonly FlatShape[];
  readonly extent: Extent;
}

/** Reads geometries once for many small maps. */
export function sketchBasemap({ count, geometryAt }: MapSource): SketchBasemap {
  return Array.from({ length: count }, (_, row) => flatShapes(geometryAt(row)))
    .filter((shapes) => shapes.length > 0)
    .map((shapes) => ({ shapes, extent: extentOf(shapes, false) }));
}

/** A small map of one feature. */
export interface PlaceSketch {
  /** Size in pixels, including the legend below the map. */
  readonly width: number;
  readonly height: number;
  /** Minimum width of the visible area in meters. Around a larger feature, the map shows its size again. */
  readonly metres: number;
}

/**
 * A small map of one geometry, with the other geometries around it in gray.
 *
 * @returns undefined if it has no position
 */
export function sketchPlace(
  geometry: unknown,
  basemap: SketchBasemap,
  { width, height, metres }: PlaceSketch,
): Picture | undefined {
  const shapes = flatShapes(geometry);
  const box = boxOf(shapes);
  if (!box) return undefined;
  const size = { width, height: height - footer };
  const frame = frameOf(box, size, (across, up) => {
    const half = (pixels: number, degrees: number) => (degrees > minDegrees ? pixels / 2 / degrees : Infinity);
    return Math.min(half(size.width, across), half(size.height, up), size.width / (metres / metresPerDegree));
  });
  const isNear = ({ extent }: PlacedShapes) =>
    frame.x(extent.east) > 0 &&
    frame.x(extent.west) < size.width &&
    frame.y(extent.south) > 0 &&
    frame.y(extent.north) < size.height;
  const near = sampleEvenly(
    basemap.filter(isNear).flatMap((placed) => placed.shapes),
    limit,
  );
  const { mark, text } = pictureColours;
  const center = [(box.west + box.east) / 2, (box.south + box.north) / 2] as const;
  const caption = `Map around ${formatDegrees(center)}: ${formatExtent(size.width * frame.metres)} from west to east. North is up.`;
  const edge = `<rect x=".5" y=".5" width="${size.width - 1}" height="${size.height - 1}" rx="4" fill="none" stroke="${text}" stroke-opacity=".5"/>`;
  const clip = `<clipPath id="c"><rect width="${size.width}" height="${size.height}" rx="4"/></clipPath>`;
  const drawn = `${marks(near, frame, text)}${marks(shapes, frame, mark)}`;
  const content = `${clip}<g clip-path="url(#c)">${drawn}</g>${edge}${decorations(frame)}`;
  return { svg: svgDocument(width, height, caption, content), width, height, caption };
}

/** Fits shapes into a small map; undefined without any position. */
function mapFrame(shapes: readonly FlatShape[]): MapFrame | undefined {
  const box = boxOf(shapes);
  if (!box) return undefined;
  return frameOf(box, undefined, (across, up) =>
    Math.min((maxWidth - 2 * margin) / across, (maxHeight - 2 * margin) / up),
  );
}

/** The box around shapes; undefined without any position. */
function boxOf(shapes: readonly FlatShape[]): Box | undefined {
  const plain = extentOf(shapes, false);
  if (!Number.isFinite(plain.west)) return undefined;
  // Longitudes from 0 to 360 give the narrower box across the 180th meridian.
  const turned = extentOf(shapes, true);
  const isTurned = turned.east - turned.west < plain.east - plain.west;
  return isTurned ? { ...turned, isTurned } : { ...plain, isTurned };
}

/**
 * A map with a box at its center.
 *
 * @param size in pixels. Default: the size of the box
 * @param scaleOf returns the pixels per degree of latitude, given the sides of the box in such degrees
 */
function frameOf(
  { west, south, east, north, isTurned }: Box,
  size: { readonly width: number; readonly height: number } | undefined,
  scaleOf: (across: number, up: number) => number,
): MapFrame {
  const middle = [(west + east) / 2, (south + north) / 2] as const;
  const shortening = Math.max(Math.cos((middle[1] * Math.PI) / 180), 0.01);
  const across = Math.max((east - west) * shortening, minDegrees);
  const up = Math.max(north - south, minDegrees);
  const scale = scaleOf(across, up);
  const width = size?.width ?? Math.round(Math.max(minWidth, across * scale + 2 * margin));
  const height = size?.height ?? Math.round(Math.max(60, up * scale + 2 * margin));
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

interface Extent {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

interface Box extends Extent {
  /** Whether its longitudes are from 0 to 360. */
  readonly isTurned: boolean;
}

function extentOf(shapes: readonly FlatShape[], isTurned: boolean): Extent {
  const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
  let [west, south, east, north] = [most, most, least, least];
  for (const { parts } of shapes) {
    for (const part of parts) {
      for (let center = 0; center + 1 < part.length; center += 2) {
        const x = turn(part[center] as number, isTurned);
        const y = part[center + 1] as number;
        if (x < west) west = x;
        if (x > east) east = x;
        if (y < south) south = y;
        if (y > north) north = y;
      }
    }
  }
  return { west, south, east, north };
}

/**
 * A shape as an SVG path in tenths of a pixel, without invisible corners.
 *
 * @param maxCorners maximum for the whole shape; its longest parts keep the most
 */
function shapePath(
  shape: FlatShape,
  frame: MapFrame,
  maxCorners: number,
): { readonly kind: FlatShape["kind"]; readonly path: string } {
  const { kind, parts } = shape;
  if (kind === "point") {
    const points = sampleEvenly(parts, maxCorners);
    return { kind, path: points.map(([x = 0, y = 0]) => dot(frame.x(x), frame.y(y))).join("") };
  }
  const middle = middleIfTiny(parts, frame);
  if (middle) return { kind: "point", path: dot(...middle) };
  const sampled = sampleEvenly(parts, Math.max(1, Math.floor(maxCorners / 4)));
  const total = sampled.reduce((sum, part) => sum + part.length / 2, 0);
  const share = Math.min(1, maxCorners / total);
  const end = kind === "area" ? "z" : "";
  return { kind, path: sampled.map((part) => `${linePath(part, frame, share)}${end}`).join("") };
}

function dot(x: number, y: number): string {
  return `M${Math.round(10 * x)} ${Math.round(10 * y)}h0`;
}

function middleIfTiny(parts: FlatShape["parts"], { x, y }: MapFrame): [number, number] | undefined {
  const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
  let [left, top, right, bottom] = [most, most, least, least];
  for (const part of parts) {
    for (let center = 0; center + 1 < part.length; center += 2) {
      left = Math.min(left, x(part[center] as number));
      right = Math.max(right, x(part[center] as number));
      top = Math.min(top, y(part[center + 1] as number));
      bottom = Math.max(bottom, y(part[center + 1] as number));
    }
  }
  return right - left < tiny && bottom - top < tiny ? [(left + right) / 2, (top + bottom) / 2] : undefined;
}

/** Each corner as the difference from the previous one; differences below half a pixel are left out. */
function linePath(part: readonly number[], { x, y }: MapFrame, share: number): string {
  const count = part.length / 2;
  const kept = Math.max(2, Math.min(count, Math.ceil(count * share)));
  let path = "";
  let [lastX, lastY] = [0, 0];
  for (let index = 0; index < kept; index += 1) {
    const corner = Math.round((index * (count - 1)) / (kept - 1));
    const nextX = Math.round(10 * x(part[2 * corner] as number));
    const nextY = Math.round(10 * y(part[2 * corner + 1] as number));
    if (index === 0) path = `M${nextX} ${nextY}`;
    else if (Math.hypot(nextX - lastX, nextY - lastY) < 5) continue;
    else path += `l${nextX - lastX} ${nextY - lastY}`;
    [lastX, lastY] = [nextX, nextY];
  }
  return path;
}

function captionOf(placed: number, drawn: number, count: number, { sides }: MapFrame): string {
  const all = formatCount(count);
  const features = count === 1 ? "feature" : "features";
  const what =
    count > drawn
      ? `${placed} of ${all} ${features}, evenly sampled`
      : placed < count
        ? `${placed} of ${all} ${features}, the others have no location`
        : `${all} ${features}`;
  const [east, north] = sides;
  const size =
    east < 1 && north < 1
      ? "one place"
      : `${formatExtent(east)} from west to east, ${formatExtent(north)} from south to north`;
  return `Map of ${what}: ${size}. North is up.`;
}

function marks(shapes: readonly FlatShape[], frame: MapFrame, colour: string): string {
  const corners = Math.floor(maxCorners / shapes.length);
  const paths = { area: "", line: "", point: "" };
  for (const shape of shapes) {
    const { kind, path } = shapePath(shape, frame, corners);
    // Areas separately, because they may overlap; points together, because they are short.
    if (kind === "point") paths.point += path;
    else paths[kind] += `<path d="${path}"/>`;
  }
  const radius = Math.min(3, Math.max(1, Math.sqrt((frame.width * frame.height) / shapes.length) / 4));
  return (
    `<g transform="scale(.1)" stroke="${colour}" stroke-linejoin="round" stroke-linecap="round">` +
    `<g fill="${colour}" fill-opacity=".4" fill-rule="evenodd" stroke-width="7">${paths.area}</g>` +
    `<g fill="none" stroke-width="18">${paths.line}</g>` +
    `${paths.point === "" ? "" : `<path fill="none" stroke-width="${Math.round(20 * radius)}" d="${paths.point}"/>`}</g>`
  );
}

/** A scale bar and an arrow to the north, below the map. */
function decorations({ width, height, metres }: MapFrame): string {
  const { text } = pictureColours;
  const base = height + footer - 6;
  const bar = niceAtMost((width / 3) * metres);
  const label = formatScale(bar);
  const length = (bar / metres).toFixed(1);
  const right = width - 14;
  return (
    `<path d="M8 ${base - 5}v5h${length}v-5" fill="none" stroke="${text}" stroke-width="1.2"/>` +
    `<g fill="${text}"><text x="${(Number(length) + 14).toFixed(1)}" y="${base}">${label}</text>` +
    `<text x="${right - 8}" y="${base}" text-anchor="end">N</text>` +
    `<path d="M${right} ${base - 12}l4 12l-4 -3l-4 3Z"/></g>`
  );
}

/** At most a number of items, evenly spaced. */
function sampleEvenly<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)] as Item);
}
