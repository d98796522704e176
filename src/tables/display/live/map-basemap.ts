// The basemap of a map, for its drawing and its frame.

/** A picture in pixels of the wide map, relative to the corner of its pane. */
export interface BasemapImage {
  readonly href: string;
  /** White for its nonempty parts. */
  readonly mask?: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A name at a position in pixels. */
export interface BasemapName {
  readonly text: string;
  /** Its center. */
  readonly x: number;
  readonly y: number;
  /** Width of the shape that it names; 0 for a point, above which it is placed. */
  readonly width: number;
}

/** Data about the basemap for the frame of a map. */
export interface BasemapPayload {
  readonly images: readonly BasemapImage[];
  /** Number of the last shapes that are outlines of the basemap. */
  readonly outlines: number;
  readonly names: readonly BasemapName[];
}

/** Pictures are paler than the features on them, on light and dark backgrounds. */
export const IMAGE_OPACITY = 0.62;
export const OUTLINE = { opacity: 0.4, width: 1 } as const;
/** A ring around a location with several features. */
export const RING = { gap: 3, width: 1.2 } as const;
export const NAME = { opacity: 0.9, size: 11, halo: 3, lift: 9 } as const;

/** A rectangle in pixels. */
interface Pane {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The names that fit, with their positions: of shapes at least as wide as their names, inside the pane, and without
 * overlaps. The name of a point is above it, else below it, and moves sideways from the edge of the pane.
 *
 * @param measure returns the width of a string
 */
export function namesWithRoom<Name extends BasemapName>(
  names: readonly Name[],
  pane: Pane,
  measure: (text: string) => number,
): readonly Name[] {
  const placed: (readonly [left: number, top: number, right: number, bottom: number])[] = [];
  const hasRoom = (name: Name) => {
    const width = measure(name.text);
    const middle = name.width === 0 ? name.y - NAME.lift : name.y;
    const box = [name.x - width / 2, middle - NAME.size / 2, name.x + width / 2, middle + NAME.size / 2] as const;
    const isInside =
      box[0] >= pane.x && box[2] <= pane.x + pane.width && box[1] >= pane.y && box[3] <= pane.y + pane.height;
    if ((name.width > 0 && width > name.width) || !isInside) return false;
    if (placed.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]))
      return false;
    placed.push(box);
    return true;
  };
  return names.flatMap((name) => positionsOf(name, pane, measure(name.text)).find(hasRoom) ?? []);
}

/** Positions of a name, best first. */
function positionsOf<Name extends BasemapName>(
  name: Name,
  { x, y, width, height }: Pane,
  room: number,
): readonly Name[] {
  if (name.width > 0) return [name];
  if (name.x < x || name.x > x + width || name.y < y || name.y > y + height) return [];
  const moved = { ...name, x: Math.max(x + room / 2, Math.min(name.x, x + width - room / 2)) };
  return [moved, { ...moved, y: moved.y + 2 * NAME.lift }];
}

/** Maximum number of rings on a map. */
const MOST_RINGS = 50;

/** The locations with most features, which get the first rings. */
export function mostShared<Place extends { readonly count: number }>(places: readonly Place[]): readonly Place[] {
  return [...places].sort((a, b) => b.count - a.count).slice(0, MOST_RINGS);
}

/**
 * The number of a ring, as the name of a point: above the ring, or below it if the pane ends there.
 *
 * @param width of the number
 * @param radius of the points
 */
export function ringName(text: string, [x, y]: readonly [number, number], width: number, radius: number, pane: Pane) {
  const [room, lift] = [width / 2 + 1, radius + RING.gap - 1];
  const isBelow = y - lift - NAME.lift - NAME.size / 2 < pane.y;
  return {
    text,
    x: Math.min(Math.max(x, pane.x + room), pane.x + pane.width - room),
    y: isBelow ? y + lift + 2 * NAME.lift : y - lift,
    width: 0,
    ring: { x, y, radius: radius + RING.gap },
  };
}
