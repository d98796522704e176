import type { ColumnTable } from "arquero";
import type { Geometry } from "geojson";
import type { Layer } from "../../layer/layer.js";
import { eachPosition, mapExtent } from "./map-extent.js";
import { type MapFeature, mapFeatures } from "./map-features.js";
import { kindOf } from "./map-marks.js";
import { type MapView, mapView } from "./map-view.js";

/** How features are drawn on a map of some width. */
export interface MapDrawing {
  readonly view: MapView;
  readonly height: number;
  /** Radius of points in pixels: smaller where there are many. */
  readonly radius: number;
  /** The features' geometries; those too small to be seen as points. */
  readonly geometries: readonly Geometry[];
  /** Those of the background. */
  readonly below: readonly Geometry[];
}

/** The space of one map, in pixels. */
export interface MapSpace {
  readonly width: number;
  readonly maxHeight: number;
  /** Height that is not for the map itself. */
  readonly furniture: number;
}

/** Plans a map; undefined if nothing has a place. */
export function mapDrawing(
  features: readonly MapFeature[],
  background: Layer | ColumnTable | undefined,
  { width, maxHeight, furniture }: MapSpace,
): MapDrawing | undefined {
  const given = features.map(({ geometry }) => geometry);
  const below = background ? mapFeatures(background, undefined).map(({ geometry }) => geometry) : [];
  const extent = mapExtent([...below, ...given]);
  if (!extent) return undefined;
  const view = mapView(extent);
  const height = Math.round(Math.min(maxHeight, Math.max(180, width * view.aspect + furniture)));
  const scale = Math.min(height - furniture, width * view.aspect) / Math.max(extent.north - extent.south, 1e-6);
  const radius = Math.min(3.5, Math.max(1.1, Math.sqrt((width * height) / Math.max(given.length, 1)) / 2.6));
  const geometries = given.map((geometry) => visible(geometry, (1.6 * radius) / scale));
  return { view, height, radius, geometries, below };
}

/** A geometry, or the middle of its box if both sides are below `degrees`. */
function visible(geometry: Geometry, degrees: number): Geometry {
  if (kindOf(geometry) === "point") return geometry;
  const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
  let [west, south, east, north] = [most, most, least, least];
  eachPosition(geometry, ([x = 0, y = 0]) => {
    west = Math.min(west, x);
    east = Math.max(east, x);
    south = Math.min(south, y);
    north = Math.max(north, y);
  });
  if (east - west >= degrees || north - south >= degrees) return geometry;
  return { type: "Point", coordinates: [(west + east) / 2, (south + north) / 2] };
}
