import type { Position } from "geojson";

/** Area, and that times the place of its centre, from where it is counted. */
interface Moment {
  readonly area: number;
  readonly x: number;
  readonly y: number;
}

/**
 * Centre of mass of polygons in the plane of longitude and latitude, each counting by its area without its holes, whatever
 * way their rings run; null if they have no area.
 */
export function polygonsCentre(
  polygons: readonly (readonly (readonly Position[])[])[],
): readonly [number, number] | null {
  const [west = 0, south = 0] = polygons.flat(2)[0] ?? [];
  const whole = { area: 0, x: 0, y: 0 };
  for (const rings of polygons) {
    for (const [index, ring] of rings.entries()) {
      const { area, x, y } = ringMoment(ring, west, south);
      const sign = Math.sign(area) * (index === 0 ? 1 : -1);
      whole.area += sign * area;
      whole.x += sign * x;
      whole.y += sign * y;
    }
  }
  return whole.area > 0 ? [west + whole.x / whole.area, south + whole.y / whole.area] : null;
}

/** Of a ring, with the sign of the way that it runs. Far from the origin the digits of an area would be lost. */
function ringMoment(ring: readonly Position[], west: number, south: number): Moment {
  let [area, x, y] = [0, 0, 0];
  let [x0, y0] = [0, 0];
  for (const [index, [longitude = 0, latitude = 0]] of ring.entries()) {
    const [x1, y1] = [longitude - west, latitude - south];
    if (index > 0) {
      const cross = x0 * y1 - x1 * y0;
      area += cross / 2;
      x += ((x0 + x1) * cross) / 6;
      y += ((y0 + y1) * cross) / 6;
    }
    [x0, y0] = [x1, y1];
  }
  return { area, x, y };
}
