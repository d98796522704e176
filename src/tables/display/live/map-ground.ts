// What lies below a map, as its drawing and its frame have it.

/** A picture in pixels of the wide map, from the corner of its pane. */
export interface GroundImage {
  readonly href: string;
  /** White where there is something in it. */
  readonly mask?: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A name, where it stands in pixels. */
export interface GroundName {
  readonly text: string;
  /** Its middle. */
  readonly x: number;
  readonly y: number;
  /** Of the shape that it names; 0 where that is a point, above which it stands. */
  readonly width: number;
}

/** What the frame of a map reads of its ground. */
export interface MapGroundFacts {
  readonly images: readonly GroundImage[];
  /** How many of the last shapes are outlines of the ground. */
  readonly outlines: number;
  readonly names: readonly GroundName[];
}

/** Pictures are paler than what is drawn on them, on light and on dark ground. */
export const IMAGE_OPACITY = 0.62;
export const OUTLINE = { opacity: 0.4, width: 1 } as const;
export const NAME = { opacity: 0.9, size: 11, halo: 3, lift: 9 } as const;

/**
 * The names that have room: those of shapes at least as wide as they, within the pane, and none over another.
 *
 * @param measure the width of a text
 */
export function namesWithRoom(
  names: readonly GroundName[],
  pane: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  measure: (text: string) => number,
): readonly GroundName[] {
  const placed: (readonly [left: number, top: number, right: number, bottom: number])[] = [];
  return names.filter((name) => {
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
  });
}
