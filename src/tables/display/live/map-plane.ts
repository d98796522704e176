// Longitude and latitude of map positions: projections and their inverses.

/** The projection from longitude and latitude to positions of a map, in pixels of its wide drawing. */
export interface MapPlane {
  readonly projection: ProjectionName;
  /** Longitude in degrees at `x`. */
  readonly longitude: number;
  readonly x: number;
  /** Position of the equator. */
  readonly y: number;
  /** Pixels per radian along the equator, at true scale. */
  readonly scale: number;
}

/** A cylindrical or pseudocylindrical projection of the sphere; in radians. */
interface Projection {
  y(latitude: number): number;
  latitude(y: number): number;
  /** Distance of the meridians, relative to the equator of Mercator's projection. */
  stretch(latitude: number): number;
}

export type ProjectionName = "mercator" | "equal-earth";

const degrees = 180 / Math.PI;

/** Coefficients of Equal Earth (Šavrič, Patterson and Jenny, 2018). */
const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796];
const M = Math.sqrt(3) / 2;
const parameter = (latitude: number) => Math.asin(M * Math.sin(latitude));
const height = (l: number) => l * (A1 + A2 * l ** 2 + A3 * l ** 6 + A4 * l ** 8);
const slope = (l: number) => A1 + 3 * A2 * l ** 2 + 7 * A3 * l ** 6 + 9 * A4 * l ** 8;

export const projections: Readonly<Record<ProjectionName, Projection>> = {
  mercator: {
    y: (latitude) => Math.asinh(Math.tan(latitude)),
    latitude: (y) => Math.atan(Math.sinh(y)),
    stretch: () => 1,
  },
  "equal-earth": {
    y: (latitude) => height(parameter(latitude)),
    latitude: (y) => {
      let l = y;
      for (let step = 0; step < 12; step += 1) l -= (height(l) - y) / slope(l);
      return Math.asin(Math.sin(l) / M);
    },
    stretch: (latitude) => {
      const l = parameter(latitude);
      return Math.cos(l) / (M * slope(l));
    },
  },
};

/** Longitude and latitude of a position in degrees; NaN off the globe. */
export function lonLatOf(plane: MapPlane, x: number, y: number): readonly [longitude: number, latitude: number] {
  const { latitude, stretch } = projections[plane.projection];
  const north = latitude((plane.y - y) / plane.scale);
  const fromMiddle = (degrees * (x - plane.x)) / (plane.scale * stretch(north));
  if (!(Math.abs(fromMiddle) <= 180)) return [Number.NaN, Number.NaN];
  const east = plane.longitude + fromMiddle;
  return [east - 360 * Math.round(east / 360), north * degrees];
}
