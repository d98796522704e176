import type { Markish } from "@observablehq/plot";
import type { MapPane } from "../../tables/display/live/map-facts.js";
import type { GroundImage, GroundName } from "../../tables/display/live/map-ground.js";
import { lonLatOf, type MapPlane, type ProjectionName, projections } from "../../tables/display/live/map-plane.js";
import { groundNames, pictureBox } from "../ground/ground-marks.js";
import type { PlotDimensions } from "../tips/rendered-mark.js";
import type { MapDrawing } from "./map-drawing.js";
import type { MapGround, MapPath } from "./map-shapes.js";
import { EARTH_RADIUS, type MapProjection, pixelsPerMetre, projectPoint } from "./scale-bar.js";

const DEGREES = 180 / Math.PI;

/** Where maps are in a chart, and how. */
export interface MapPanes {
  readonly ground: MapGround;
  readonly panes: readonly MapPane[];
  /** Pixels from a pane's corner to where the scale is told. */
  readonly centre: readonly [x: number, y: number];
  /** Pixels from a pane's corner, too. */
  readonly images: readonly GroundImage[];
  readonly names: readonly GroundName[];
  /** Of places from a pane's corner; undefined where the projection is none that we know. */
  readonly plane: MapPlane | undefined;
}

/** The names of a panel of small multiples. */
export interface Panel {
  readonly fx?: string;
  readonly fy?: string;
}

type Scales = Readonly<Record<string, ((name: string) => number) | undefined>>;
interface Context {
  path(): MapPath;
  readonly projection?: MapProjection;
}

/** A mark that draws nothing, and what it has found once it was drawn. */
export interface PaneFinder {
  readonly mark: Markish;
  found(): MapPanes | undefined;
}

/**
 * Only Plot knows the projection that it fits to the frame, and where panels are; a mark gets to see both.
 *
 * @param panels one for each pane
 * @param headroom pixels at the top of each pane that are not for the map
 */
export function paneFinder(
  { view: { centre, isMercator }, ground: { pictures, shapes } }: MapDrawing,
  panels: readonly Panel[],
  headroom = 0,
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
    const ground = { path: context.path(), left: marginLeft, top, metresPerPixel };
    const inPane = <Place extends { readonly x: number; readonly y: number }>(place: Place): Place => ({
      ...place,
      x: place.x - marginLeft,
      y: place.y - top,
    });
    const images = pictures.flatMap(({ href, mask, box }) => {
      if (href === undefined || !isMercator) return [];
      return [inPane({ href, ...(mask === undefined ? {} : { mask }), ...pictureBox(context, centre, box) })];
    });
    const names = groundNames(shapes, context as unknown as Parameters<typeof groundNames>[1]).map(inPane);
    const [pane] = panes;
    const origin = [marginLeft, top] as const;
    const plane =
      pane &&
      (["mercator", "equal-earth"] as const)
        .map((name) => planeOf(name, context, centre, origin))
        .find((known) => isPlane(known, context, pane, origin));
    seen ??= { ground, panes, centre: [x - marginLeft, y - top], plane, images, names };
    return null;
  };
  return { mark: look as unknown as Markish, found: () => seen };
}

type Place = readonly [number, number];

/** What a projection's plane would be, by how a place and its scale are drawn. */
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

/** Whether places all over a pane are drawn where the plane says that they are. */
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
