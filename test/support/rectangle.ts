import type { Polygon } from "geojson";

/** A rectangle in degrees, counter-clockwise from its south-west corner. */
export function rectangle(west: number, south: number, width: number, height = width): Polygon {
  const [east, north] = [west + width, south + height];
  return {
    type: "Polygon",
    coordinates: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ],
  };
}
