// The parts of d3 that Plot's types use. The types of d3 are thirty packages, which are not installed with Plot.
import type { GeoJSON, GeoJsonObject } from "geojson";

/** A drawing context for geometries. */
export interface GeoStream {
  point(x: number, y: number, z?: number): void;
  lineStart(): void;
  lineEnd(): void;
  polygonStart(): void;
  polygonEnd(): void;
  sphere?(): void;
}

/** A transformation of a stream of points, such as a projection. */
export interface GeoStreamWrapper {
  stream(stream: GeoStream): GeoStream;
}

/** GeoJSON, or the whole globe. */
export type GeoPermissibleObjects = GeoJSON | GeoJsonObject | { type: "Sphere" };

/** Draws geometries: as the text of an SVG path, if it has no context. */
export interface GeoPath {
  (object: GeoPermissibleObjects): string | null;
  area(object: GeoPermissibleObjects): number;
  bounds(object: GeoPermissibleObjects): [[number, number], [number, number]];
  centroid(object: GeoPermissibleObjects): [number, number];
  measure(object: GeoPermissibleObjects): number;
}

/** What a line is drawn to. */
export interface Path {
  moveTo(x: number, y: number): void;
  closePath(): void;
  lineTo(x: number, y: number): void;
  quadraticCurveTo(x1: number, y1: number, x: number, y: number): void;
  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void;
  arcTo(x1: number, y1: number, x2: number, y2: number, radius: number): void;
  arc(x: number, y: number, radius: number, start: number, end: number, anticlockwise?: boolean): void;
  rect(x: number, y: number, width: number, height: number): void;
}

/** Draws a line through points. */
export interface CurveGenerator {
  areaStart(): void;
  areaEnd(): void;
  lineStart(): void;
  lineEnd(): void;
  point(x: number, y: number): void;
}

/** Makes what draws a line through points. */
export type CurveFactory = (context: Path) => CurveGenerator;

/** Draws a symbol of a size in square pixels. */
export interface SymbolType {
  draw(context: Path, size: number): void;
}
