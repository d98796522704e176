import type { FlatShape } from "./flat-shape.js";
import type { MapFrame } from "./map-frame.js";
import { sampleEvenly } from "./sample-evenly.js";

/** Shapes with both sides below this many pixels are drawn as a point. */
const tiny = 2;

/**
 * A shape as an SVG path in tenths of a pixel, without the corners that nobody would see.
 *
 * @param maxCorners of the whole shape; its longest parts keep the most
 */
export function shapePath(
  shape: FlatShape,
  frame: MapFrame,
  maxCorners: number,
): { readonly kind: FlatShape["kind"]; readonly path: string } {
  const { kind, parts } = shape;
  if (kind === "point") {
    const points = sampleEvenly(parts, maxCorners);
    return { kind, path: points.map(([x = 0, y = 0]) => dot(frame.x(x), frame.y(y))).join("") };
  }
  const middle = middleIfTiny(parts, frame);
  if (middle) return { kind: "point", path: dot(...middle) };
  const shown = sampleEvenly(parts, Math.max(1, Math.floor(maxCorners / 4)));
  const total = shown.reduce((sum, part) => sum + part.length / 2, 0);
  const share = Math.min(1, maxCorners / total);
  const end = kind === "area" ? "z" : "";
  return { kind, path: shown.map((part) => `${linePath(part, frame, share)}${end}`).join("") };
}

function dot(x: number, y: number): string {
  return `M${Math.round(10 * x)} ${Math.round(10 * y)}h0`;
}

function middleIfTiny(parts: FlatShape["parts"], { x, y }: MapFrame): [number, number] | undefined {
  const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
  let [left, top, right, bottom] = [most, most, least, least];
  for (const part of parts) {
    for (let place = 0; place + 1 < part.length; place += 2) {
      left = Math.min(left, x(part[place] ?? 0));
      right = Math.max(right, x(part[place] ?? 0));
      top = Math.min(top, y(part[place + 1] ?? 0));
      bottom = Math.max(bottom, y(part[place + 1] ?? 0));
    }
  }
  return right - left < tiny && bottom - top < tiny ? [(left + right) / 2, (top + bottom) / 2] : undefined;
}

/** Each corner as the step from the one before; steps below half a pixel are left out. */
function linePath(part: readonly number[], { x, y }: MapFrame, share: number): string {
  const count = part.length / 2;
  const kept = Math.max(2, Math.min(count, Math.ceil(count * share)));
  let path = "";
  let [lastX, lastY] = [0, 0];
  for (let index = 0; index < kept; index += 1) {
    const corner = Math.round((index * (count - 1)) / (kept - 1));
    const nextX = Math.round(10 * x(part[2 * corner] ?? 0));
    const nextY = Math.round(10 * y(part[2 * corner + 1] ?? 0));
    if (index === 0) path = `M${nextX} ${nextY}`;
    else if (Math.hypot(nextX - lastX, nextY - lastY) < 5) continue;
    else path += `l${nextX - lastX} ${nextY - lastY}`;
    [lastX, lastY] = [nextX, nextY];
  }
  return path;
}
