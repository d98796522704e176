import type { Markish } from "@observablehq/plot";
import type { MapPane } from "../../tables/display/live/map-facts.js";
import type { PlotDimensions } from "../tips/rendered-mark.js";
import { type MapProjection, pixelsPerMetre, projectPoint } from "./map-decorations.js";
import type { MapGround, MapPath } from "./map-shapes.js";

/** Where maps are in a chart, and how. */
export interface MapPanes {
  readonly ground: MapGround;
  readonly panes: readonly MapPane[];
  /** Pixels from a pane's corner to where the scale is told. */
  readonly centre: readonly [x: number, y: number];
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
 * @param centre longitude and latitude where the scale is told
 * @param panels one for each pane
 * @param headroom pixels at the top of each pane that are not for the map
 */
export function paneFinder(
  centre: readonly [longitude: number, latitude: number],
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
    seen ??= { ground, panes, centre: [x - marginLeft, y - top] };
    return null;
  };
  return { mark: look as unknown as Markish, found: () => seen };
}
