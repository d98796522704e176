import type { Markish } from "@observablehq/plot";
import { formatScale } from "../../core/format/format-geometry.js";
import { niceAtMost } from "../../core/nice-number.js";
import { svgElement } from "../values/palette.js";

interface Stream {
  point(x: number, y: number): void;
}
/** A projection as Plot passes it to marks. */
export interface MapProjection {
  stream(sink: object): Stream;
}
interface MapContext {
  readonly document: unknown;
  readonly ownerSVGElement: object;
  readonly projection?: MapProjection;
}
interface MapDimensions {
  readonly width: number;
  readonly height: number;
  readonly marginLeft: number;
  readonly marginRight: number;
}

/** In meters. */
export const EARTH_RADIUS = 6_371_009;

/**
 * A scale bar, exact in the middle of the map, and a north arrow. A map of the world has no scale bar, since its scale varies.
 *
 * @param position below the map, or in the upper right corner of the first panel: all panels have the same scale
 */
export function mapDecorations(
  { centre, hasScale }: { readonly centre: readonly [longitude: number, latitude: number]; readonly hasScale: boolean },
  position: "below" | "corner",
): Markish {
  const drawn = new WeakSet<object>();
  return ((_index: unknown, _scales: unknown, _values: unknown, dimensions: MapDimensions, context: MapContext) => {
    if (drawn.has(context.ownerSVGElement)) return svgElement(context.document, "g", {});
    drawn.add(context.ownerSVGElement);
    const { width, height, marginLeft, marginRight } = dimensions;
    const perMetre = pixelsPerMetre(context, centre);
    const make = (name: string, attributes: Readonly<Record<string, string | number>>) =>
      svgElement(context.document, name, attributes);
    const bottom = position === "below" ? height - 10 : 20;
    const right = width - marginRight - 12;
    const parts = northArrow(make, right, bottom);
    const metres = niceAtMost((width - marginLeft - marginRight) / 4 / perMetre);
    if (hasScale && Number.isFinite(metres)) {
      const length = metres * perMetre;
      const start = position === "below" ? marginLeft + 8 : right - 82 - length;
      parts.push(
        make("path", {
          d: `M${start.toFixed(1)},${bottom - 5}v5h${length.toFixed(1)}v-5`,
          fill: "none",
          stroke: "currentColor",
          "stroke-width": 1.2,
          // A frame updates it when the map is zoomed.
          "data-bar": position,
        }),
        text(make, start + length + 6, bottom, formatScale(metres), "start"),
      );
    }
    return svgElement(context.document, "g", { "aria-label": "scale bar and north arrow" }, parts);
  }) as unknown as Markish;
}

/** Pixels per meter to the east, exact at a location. */
export function pixelsPerMetre(
  context: object,
  [longitude, latitude]: readonly [longitude: number, latitude: number],
): number {
  const metre = 180 / (Math.PI * EARTH_RADIUS * Math.cos((latitude * Math.PI) / 180));
  // Short, since a projection clips to the frame, and a map may have an extent of a few meters.
  const from = projectPoint(context, longitude - 0.5 * metre, latitude);
  const to = projectPoint(context, longitude + 0.5 * metre, latitude);
  return Math.hypot(to[0] - from[0], to[1] - from[1]);
}

type Make = (name: string, attributes: Readonly<Record<string, string | number>>) => ReturnType<typeof svgElement>;

function northArrow(make: Make, x: number, bottom: number) {
  const arrow = make("path", { d: `M${x},${bottom - 16}l5,15l-5,-4l-5,4Z`, fill: "currentColor" });
  return [arrow, text(make, x - 9, bottom, "N", "end")];
}

function text(make: Make, x: number, y: number, content: string, anchor: string) {
  const element = make("text", { x: x.toFixed(1), y, "text-anchor": anchor, fill: "currentColor" });
  Object.assign(element, { textContent: content });
  return element;
}

/** The position of a location in a chart, in pixels. */
export function projectPoint(
  { projection }: Pick<MapContext, "projection">,
  longitude: number,
  latitude: number,
): readonly [number, number] {
  let origin: readonly [number, number] = [Number.NaN, Number.NaN];
  const nothing = () => undefined;
  const sink = {
    point: (x: number, y: number) => {
      origin = [x, y];
    },
    lineStart: nothing,
    lineEnd: nothing,
    polygonStart: nothing,
    polygonEnd: nothing,
  };
  projection?.stream(sink).point(longitude, latitude);
  return origin;
}
