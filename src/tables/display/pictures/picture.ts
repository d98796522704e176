import type { MimeBundle } from "../mime-bundle.js";
import { escapeHtml } from "../text.js";

/** A small image for a value. */
export interface Picture {
  /** An SVG document, in colors that are visible on white and dark backgrounds. */
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  /** Description of the image, for screen readers and for hosts without images. */
  readonly caption: string;
}

/** Colors of images for any background. */
export const pictureColours = { mark: "#2a86c8", text: "#767676" } as const;

/**
 * The image as HTML. An `img` with embedded data is kept in untrusted notebooks, unlike inline SVG.
 *
 * @param isWide whether it fills the width of its container
 */
export function pictureImage({ svg, width, height, caption }: Picture, isWide = false): string {
  const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  return (
    `<img alt="${escapeHtml(caption)}" width="${width}" height="${height}" src="${source}" ` +
    `style="${isWide ? "width" : "max-width"}:100%;height:auto;display:block;margin:0">`
  );
}

/** The image as HTML, with its caption below. */
export function pictureHtml(picture: Picture): string {
  const words = escapeHtml(picture.caption);
  return `<div style="margin-top:8px">${pictureImage(picture)}<div style="font:12px/1.5 system-ui,sans-serif;opacity:.75">${words}</div></div>`;
}

/** A bundle with an image below it, and its description in formats without images; the same bundle without an image. */
export function withPicture(bundle: MimeBundle, picture: Picture | undefined): MimeBundle {
  if (!picture) return bundle;
  return {
    ...bundle,
    "text/html": `${bundle["text/html"] ?? ""}${pictureHtml(picture)}`,
    "text/plain": `${bundle["text/plain"]}\n${picture.caption}`,
  };
}

/** An SVG document with its title and content. */
export function svgDocument(width: number, height: number, title: string, content: string): string {
  const label = escapeHtml(title);
  return `<svg xmlns="http://www.w3.org/2000/svg" class="siteframe-picture" role="img" aria-label="${label}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="11"><title>${label}</title>${content}</svg>`;
}

/** A geometry as lists of coordinates: x and y of each position in turn. */
export interface FlatShape {
  readonly kind: "area" | "line" | "point";
  /** Rings of areas, lines, or one position each. */
  readonly parts: readonly (readonly number[])[];
}

const kinds: Readonly<Record<string, { readonly kind: FlatShape["kind"]; readonly depth: number }>> = {
  Point: { kind: "point", depth: 0 },
  MultiPoint: { kind: "point", depth: 1 },
  LineString: { kind: "line", depth: 1 },
  MultiLineString: { kind: "line", depth: 2 },
  Polygon: { kind: "area", depth: 2 },
  MultiPolygon: { kind: "area", depth: 3 },
};

/** Whether a value has the type of a GeoJSON geometry. */
export function isGeometry(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const { type, coordinates, geometries } = value as Readonly<Record<string, unknown>>;
  if (type === "GeometryCollection") return Array.isArray(geometries);
  return typeof type === "string" && Object.hasOwn(kinds, type) && Array.isArray(coordinates);
}

/** The shapes of a geometry; a collection has several. Invalid positions are left out. */
export function flatShapes(geometry: unknown, depth = 0): readonly FlatShape[] {
  if (!isGeometry(geometry) || depth > 8) return [];
  const { type, coordinates, geometries } = geometry as Readonly<Record<string, unknown>>;
  if (Array.isArray(geometries)) return geometries.flatMap((part: unknown) => flatShapes(part, depth + 1));
  const form = kinds[String(type)];
  if (!form) return [];
  const parts: number[][] = [];
  if (form.kind === "point") collectPoints(coordinates, form.depth, parts);
  else collectLines(coordinates, form.depth, parts);
  return parts.length === 0 ? [] : [{ kind: form.kind, parts }];
}

function collectPoints(coordinates: unknown, depth: number, parts: number[][]): void {
  for (const position of depth === 0 ? [coordinates] : listOf(coordinates)) {
    const part: number[] = [];
    addPosition(position, part);
    if (part.length > 0) parts.push(part);
  }
}

function collectLines(coordinates: unknown, depth: number, parts: number[][]): void {
  if (depth > 1) {
    for (const inner of listOf(coordinates)) collectLines(inner, depth - 1, parts);
    return;
  }
  const part: number[] = [];
  for (const position of listOf(coordinates)) addPosition(position, part);
  if (part.length > 0) parts.push(part);
}

function addPosition(position: unknown, part: number[]): void {
  if (!Array.isArray(position)) return;
  const [x, y]: unknown[] = position;
  if (typeof x === "number" && typeof y === "number" && Number.isFinite(x) && Math.abs(y) <= 90) part.push(x, y);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
