// The state of a map: what its user has set. It is JSON, so that it can be saved with the notebook.
import type { MapPayload } from "../../tables/display/live/map-payload.js";

export interface MapState {
  /** Labels of the legend: a state is only restored for a map with the same labels. */
  readonly labels: readonly string[];
  readonly scale: number;
  /** The middle of the view, as a share of the map's width and height. */
  readonly middle: readonly [x: number, y: number];
  /** The shown date, if dates are played. */
  readonly date?: string | undefined;
  /** Selected labels of the legend; empty for all. */
  readonly chosen: readonly string[];
  /** Ids of the selected features. */
  readonly ids: readonly string[];
  /** Share of the width that shows the first of two overlapping panes. */
  readonly split?: number | undefined;
}

/** The part of a view that its state depends on. Lengths are pixels of the whole map. */
interface View {
  readonly chosen: ReadonlySet<number>;
  readonly zoom: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly split?: number;
}

export function mapState(
  { labels }: Pick<MapPayload, "labels">,
  { chosen, zoom, left, top, width, height, split }: View,
  ids: readonly unknown[],
  date: string | undefined,
): MapState {
  return {
    labels,
    scale: zoom,
    middle: [(width / 2 - left) / zoom / width, (height / 2 - top) / zoom / height],
    date,
    chosen: Array.from(chosen, (label) => labels[label] as string),
    ids: ids.map(String),
    split,
  };
}

/** The corner of a view of some size with the state's middle. */
export function cornerOf({ scale: zoom, middle: [x, y] }: MapState, width: number, height: number) {
  return { zoom, left: width / 2 - x * zoom * width, top: height / 2 - y * zoom * height };
}

/**
 * The saved state, if it belongs to a map with the same labels.
 *
 * @param saved comes from a notebook or page of any author
 */
export function restoredState(saved: unknown, { labels }: Pick<MapPayload, "labels">): MapState | undefined {
  const state: Partial<Record<keyof MapState, unknown>> = Object(saved);
  const { scale, middle, chosen, ids, split = 0 } = state;
  const isValid =
    JSON.stringify(state.labels) === JSON.stringify(labels) &&
    [chosen, ids, middle].every(Array.isArray) &&
    [scale, split, ...(middle as unknown[])].every(Number.isFinite) &&
    (middle as unknown[]).length === 2 &&
    Number(scale) >= 1 &&
    Number(split) >= 0 &&
    Number(split) <= 1;
  return isValid ? (state as MapState) : undefined;
}
