import { createHash } from "node:crypto";
import type { Markish } from "@observablehq/plot";
import type { Geometry } from "geojson";
import { centroidOf } from "../../layer/place/geometry-measures.js";
import {
  type BasemapName,
  IMAGE_OPACITY,
  NAME,
  namesWithRoom,
  OUTLINE,
} from "../../tables/display/live/map-basemap.js";
import { textWidth } from "../figure/svg-text.js";
import { type MapProjection, pixelsPerMetre, projectPoint } from "../maps/scale-bar.js";
import type { PlotDimensions } from "../tips/rendered-mark.js";
import { type SvgNode, svgElement } from "../values/palette.js";
import type { BasemapShape, DrawnBasemap } from "./basemap.js";
import { type Box, mercatorX, mercatorY } from "./mercator.js";
import type { BasemapPicture } from "./raster.js";

interface Context {
  readonly document: unknown;
  readonly ownerSVGElement: object;
  readonly projection?: MapProjection;
  path(): BasemapPath;
}
interface BasemapPath {
  (geometry: Geometry): string | null;
  bounds(geometry: Geometry): readonly [readonly [number, number], readonly [number, number]];
}

/** A map with its basemap. */
interface BasemapMap {
  readonly basemap: DrawnBasemap;
  readonly view: { readonly centre: readonly [longitude: number, latitude: number]; readonly isMercator: boolean };
}

/** The box of a picture in a chart, in pixels. */
export function pictureBox(
  context: { readonly projection?: MapProjection },
  centre: readonly [longitude: number, latitude: number],
  { west, south, east, north }: Box,
): { readonly x: number; readonly y: number; readonly width: number; readonly height: number } {
  const [x, y] = projectPoint(context, ...centre);
  const [longitude, latitude] = centre;
  // A Mercator map has the same scale in both directions. Projections clip to their frame, so corners cannot be used.
  const metre = 180 / (Math.PI * 6_371_009 * Math.cos((latitude * Math.PI) / 180));
  const scale = (pixelsPerMetre(context, centre) / metre) * 360;
  const turn = east < longitude - 180 ? 1 : west > longitude + 180 ? -1 : 0;
  const across = (side: number) => x + scale * (mercatorX(side) + turn - mercatorX(longitude));
  const down = (side: number) => y + scale * (mercatorY(side) - mercatorY(latitude));
  const [left, top] = [across(west), down(north)];
  return { x: left, y: top, width: across(east) - left, height: down(south) - top };
}

/** The names of shapes with their positions in a chart. */
export function basemapNames(shapes: readonly BasemapShape[], context: Context): readonly BasemapName[] {
  const path = context.path();
  return shapes.flatMap(({ geometry, name, place }) => {
    const middle = name === undefined ? null : (place ?? centroidOf(geometry));
    if (name === undefined || middle === null) return [];
    const [x, y] = projectPoint(context, ...middle);
    const [[left], [right]] = path.bounds(geometry);
    const width = place || geometry.type === "Point" ? 0 : right - left;
    return Number.isFinite(x) && Number.isFinite(y) ? [{ text: name, x, y, width }] : [];
  });
}

/**
 * The mark for pictures and outlines below the features of a map.
 *
 * @param headroom reserved pixels at the top of each pane
 */
export function basemapMark({ basemap: { pictures, shapes }, view }: BasemapMap, headroom = 0): Markish {
  const shown = view.isMercator ? pictures.filter(({ href }) => href !== undefined) : [];
  const defined = new WeakSet<object>();
  return ((_index: unknown, _scales: unknown, _values: unknown, dimensions: PlotDimensions, context: Context) => {
    if (shown.length === 0 && shapes.length === 0) return null;
    const { document } = context;
    const pane = paneOf(dimensions, headroom);
    const parts = shown.map((picture) => {
      const { x, y, width, height } = pictureBox(context, view.centre, picture.box);
      const transform = `translate(${x.toFixed(2)},${y.toFixed(2)}) scale(${width.toFixed(2)},${height.toFixed(2)})`;
      return svgElement(document, "use", { href: `#${idOf(picture)}`, transform, opacity: IMAGE_OPACITY });
    });
    // Panes of small multiples share their pictures.
    const isFirst = !defined.has(context.ownerSVGElement);
    defined.add(context.ownerSVGElement);
    const definitions = isFirst && shown.length > 0 ? [pictureDefinitions(document, shown)] : [];
    const path = context.path();
    const lines = shapes.map(({ geometry }) => path(geometry) ?? "").join("");
    const outline = { d: lines, fill: "none", stroke: "currentColor" };
    const stroke = { "stroke-opacity": OUTLINE.opacity, "stroke-width": OUTLINE.width };
    const drawn = lines === "" ? [] : [svgElement(document, "path", { ...outline, ...stroke })];
    // A nested SVG clips to its box without a named clip path.
    const { x, y, width, height } = pane;
    const cut = svgElement(document, "svg", { ...pane, viewBox: `${x} ${y} ${width} ${height}` }, [
      ...definitions,
      ...parts,
      ...drawn,
    ]);
    return svgElement(document, "g", { "aria-label": "basemap" }, [cut]);
  }) as unknown as Markish;
}

/** The names of the basemap's shapes, over the features. */
export function basemapNamesMark({ basemap: { shapes } }: Pick<BasemapMap, "basemap">, headroom = 0): Markish {
  return ((_index: unknown, _scales: unknown, _values: unknown, dimensions: PlotDimensions, context: Context) => {
    const names = basemapNames(shapes, context);
    const measure = (text: string) => textWidth(text, NAME.size);
    const drawn = namesWithRoom(names, paneOf(dimensions, headroom), measure);
    return drawn.length === 0 ? null : nameTexts(context.document, drawn, { "aria-label": "names of the basemap" });
  }) as unknown as Markish;
}

/** Names with a halo, after other elements. */
export function nameTexts(
  document: unknown,
  names: readonly BasemapName[],
  attributes: Readonly<Record<string, string>>,
  before: readonly unknown[] = [],
): SvgNode {
  const drawn = names.map(({ text, x, y, width }) => {
    const at = { x: x.toFixed(1), y: (width === 0 ? y - NAME.lift : y).toFixed(1), dy: "0.35em" };
    return Object.assign(svgElement(document, "text", at), { textContent: text });
  });
  const halo = { stroke: "var(--plot-background)", "stroke-width": NAME.halo, "stroke-linejoin": "round" };
  const letters = { "font-size": NAME.size, "text-anchor": "middle", fill: "currentColor", opacity: NAME.opacity };
  const texts = svgElement(document, "g", { "paint-order": "stroke", ...halo, ...letters }, drawn);
  return svgElement(document, "g", attributes, [...before, texts] as never);
}

export function paneOf(
  { width, height, marginLeft, marginRight, marginTop, marginBottom }: PlotDimensions,
  headroom: number,
) {
  const top = marginTop + headroom;
  return { x: marginLeft, y: top, width: width - marginLeft - marginRight, height: height - top - marginBottom };
}

/** A picture has the same id everywhere in a page. */
function idOf({ href = "", mask = "" }: BasemapPicture): string {
  return `siteframe-basemap-${createHash("sha256").update(href).update(mask).digest("hex").slice(0, 16)}`;
}

/** Pictures of size 1, which each map scales and moves. */
function pictureDefinitions(document: unknown, pictures: readonly BasemapPicture[]) {
  const unit = { width: 1, height: 1, preserveAspectRatio: "none" };
  const all = pictures.flatMap((picture) => {
    const [id, { href = "", mask }] = [idOf(picture), picture];
    if (mask === undefined) return [svgElement(document, "image", { id, href, ...unit })];
    const cut = svgElement(document, "mask", { id: `${id}-mask`, maskContentUnits: "objectBoundingBox" }, [
      svgElement(document, "image", { href: mask, ...unit }),
    ]);
    return [cut, svgElement(document, "image", { id, href, ...unit, mask: `url(#${id}-mask)` })];
  });
  return svgElement(document, "defs", {}, all);
}
