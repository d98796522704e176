import type { Markish } from "@observablehq/plot";
import type { BasemapImage, BasemapName } from "../../tables/display/live/map-basemap.js";
import type { MapPane } from "../../tables/display/live/map-payload.js";
import { lonLatOf, type MapPlane, type ProjectionName, projections } from "../../tables/display/live/map-plane.js";
import type { DrawnBasemap } from "../basemap/basemap.js";
import { basemapNames, pictureBox } from "../basemap/basemap-marks.js";
import type { PlotDimensions } from "../tips/rendered-mark.js";
import type { MapDrawing } from "./map-drawing.js";
import type { Facet } from "./map-model.js";
import type { MapBasemap, MapPath } from "./map-shapes.js";
import { EARTH_RADIUS, type MapProjection, pixelsPerMetre, projectPoint } from "./scale-bar.js";

const DEGREES = 180 / Math.PI;

/** Positions and projections of the maps in a chart. */
export interface MapPanes {
  readonly basemap: MapBasemap;
  readonly panes: readonly MapPane[];
  /** Pixels from a pane's corner to the point at which the scale is measured. */
  readonly centre: readonly [x: number, y: number];
  /** Pictures, in pixels from a pane's corner. */
  readonly images: readonly BasemapImage[];
  readonly names: readonly BasemapName[];
  /** Plane of positions relative to a pane's corner; undefined for an unknown projection. */
  readonly plane: MapPlane | undefined;
}

type Scales = Readonly<Record<string, ((name: string) => number) | undefined>>;
interface Context {
  path(): MapPath;
  readonly projection?: MapProjection;
}

/** A mark that draws nothing, and its result after drawing. */
export interface PaneFinder {
  readonly mark: Markish;
  panes(): MapPanes | undefined;
}

/**
 * Finds panes with a mark, since only Plot has the fitted projection and the positions of panels, and passes both to marks.
 *
 * @param panels one for each pane
 * @param headroom reserved pixels at the top of each pane
 */
export function paneFinder(
  { centre, isMercator }: MapDrawing["view"],
  { pictures, shapes }: DrawnBasemap,
  panels: readonly Facet[],
  headroom: number,
): PaneFinder {
  let seen: MapPanes | undefined;
  const look = (_index: unknown, scales: Scales, _values: unknown, dimensions: PlotDimensions, context: Context) => {
    const { width, height, marginLeft, marginRight, marginTop, marginBottom } = dimensions;
    const top = marginTop + headroom;
    const panes = panels.map(({ fx, fy }) => ({
      x: (fx === undefined ? undefined : scales["fx"]?.(fx)) ?? marginLeft,
      y: ((fy === undefined ? undefined : scales["fy"]?.(fy)) ?? marginTop) + headroom,
      width: width - marginLeft - marginRight,
      height: height - top - marginBottom,
    }));
    const metresPerPixel = 1 / pixelsPerMetre(context, centre);
    const [x, y] = projectPoint(context, ...centre);
    const basemap = { path: context.path(), left: marginLeft, top, metresPerPixel };
    const inPane = <Place extends { readonly x: number; readonly y: number }>(point: Place): Place => ({
      ...point,
      x: point.x - marginLeft,
      y: point.y - top,
    });
    const images = pictures.flatMap(({ href, mask, box }) => {
      if (href === undefined || !isMercator) return [];
      return [inPane({ href, ...(mask === undefined ? {} : { mask }), ...pictureBox(context, centre, box) })];
    });
    const names = basemapNames(shapes, context as unknown as Parameters<typeof basemapNames>[1]).map(inPane);
    const [pane] = panes;
    const origin = [marginLeft, top] as const;
    const plane =
      pane &&
      (["mercator", "equal-earth"] as const)
        .map((name) => planeOf(name, context, centre, origin))
        .find((known) => isPlane(known, context, pane, origin));
    seen ??= { basemap, panes, centre: [x - marginLeft, y - top], plane, images, names };
    return null;
  };
  return { mark: look as unknown as Markish, panes: () => seen };
}

type Place = readonly [number, number];

/** The plane of a projection, from the drawn position and scale of a location. */
function planeOf(
  projection: ProjectionName,
  context: Context,
  [longitude, latitude]: Place,
  [left, top]: Place,
): MapPlane {
  const { y, stretch } = projections[projection];
  const north = latitude / DEGREES;
  const [atX, atY] = projectPoint(context, longitude, latitude);
  const metre = 1 / (EARTH_RADIUS * Math.cos(north));
  const scale = pixelsPerMetre(context, [longitude, latitude]) / (metre * stretch(north));
  return { projection, longitude, x: atX - left, y: atY - top + scale * y(north), scale };
}

/** Whether locations across a pane are drawn at their positions in the plane. */
function isPlane(plane: MapPlane, context: Context, { width, height }: MapPane, [left, top]: Place): boolean {
  const shares = [0.02, 0.25, 0.5, 0.75, 0.98];
  const misses = shares.flatMap((across) =>
    shares.flatMap((down) => {
      const [x, y] = [across * width, down * height];
      const [atX, atY] = projectPoint(context, ...lonLatOf(plane, x, y));
      const miss = Math.hypot(atX - left - x, atY - top - y);
      return Number.isNaN(miss) ? [] : [miss];
    }),
  );
  return misses.length > 4 && misses.every((miss) => miss < 0.01);
}
