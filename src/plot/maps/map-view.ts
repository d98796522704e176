import type { ProjectionOptions } from "@observablehq/plot";
import type { MapExtent } from "./map-extent.js";

/** How a map of an extent is drawn. */
export interface MapView {
  readonly projection: ProjectionOptions;
  /** Height by width of what is drawn. */
  readonly aspect: number;
  readonly centre: readonly [longitude: number, latitude: number];
}

/** Degrees across which Mercator's scale changes by less than what can be seen on a site. */
const maxMercatorDegrees = 4;
/** Degrees around a single point, some 20 m. */
const minDegrees = 0.0002;
const radians = Math.PI / 180;

/**
 * North up. Mercator, which keeps shapes, up to a few degrees; beyond, Equal Earth, which keeps areas comparable.
 * Both are turned to the extent's middle, so that the 180th meridian is no edge.
 */
export function mapView(extent: MapExtent): MapView {
  const middle = [(extent.west + extent.east) / 2, (extent.south + extent.north) / 2] as const;
  const width = Math.max(extent.east - extent.west, minDegrees / Math.cos(middle[1] * radians));
  const height = Math.max(extent.north - extent.south, minDegrees);
  const isLocal = width <= maxMercatorDegrees && height <= maxMercatorDegrees && Math.abs(middle[1]) < 80;
  const [west, east] = [middle[0] - width / 2, middle[0] + width / 2];
  const south = Math.max(middle[1] - height / 2, -89.9);
  const north = Math.min(middle[1] + height / 2, 89.9);
  // Points, since a polygon across half the globe has no clear inside.
  const domain = {
    type: "MultiPoint",
    coordinates: [west, middle[0], east].flatMap((x) => [south, middle[1], north].map((y) => [x, y])),
  } as const;
  const type = isLocal ? "mercator" : "equal-earth";
  return {
    projection: {
      type,
      domain: domain as unknown as NonNullable<ProjectionOptions["domain"]>,
      rotate: [-middle[0], 0],
      inset: 8,
    },
    aspect: height / (width * Math.cos(middle[1] * radians)),
    centre: middle,
  };
}
