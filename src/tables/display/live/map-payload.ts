import type { BasemapPayload } from "./map-basemap.js";
import type { MapPlane } from "./map-plane.js";

/** Shapes for a frame: packed integers. */
export interface MapShapes {
  /** Units per pixel of the whole map. */
  readonly grain: number;
  /** Maximum magnification of the map: until a unit is one or two pixels. */
  readonly deepest: number;
  /** Number of parts of each shape. */
  readonly parts: string;
  /** For each part, three times the number of its vertices, plus its kind: 0 ring, 1 line, 2 point. */
  readonly sizes: string;
  /** Differences between vertices; the first of a part is relative to the first of the previous part. */
  readonly x: string;
  readonly y: string;
}

/** A column in tooltips. */
export interface IntervalColumn {
  readonly label: string;
  /** Its distinct values as text. */
  readonly texts: readonly string[];
  /** 1 + index of each text's label in the legend, if the column determines the colors. Packed. */
  readonly classes?: string;
  /**
   * Changes at each date, packed: the distance from the previous row, and the difference of 1 + index of the text from
   * that of the previous row. 0 is a feature that does not exist.
   */
  readonly dates: readonly string[];
}

/** A pane for a map in a chart, in its pixels. */
export interface MapPane {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Layout of the shapes in the drawing for pages of some width. */
export interface MapFormPayload {
  readonly panes: readonly MapPane[];
  /** The upper left corner of the map, in pixels. */
  readonly origin: readonly [left: number, top: number];
  /** Meters per pixel. */
  readonly metres: number;
  /** Radius of points in pixels. */
  readonly radius: number;
  /** Scale relative to the wide drawing, and offset. */
  readonly times: number;
  readonly shift: readonly [x: number, y: number];
}

/** Data for the script of a map. */
export interface MapPayload {
  /** Shapes that respond to the pointer, followed by the background and the outlines of the basemap. */
  readonly shapes: MapShapes;
  /** The drawing for wide pages, and one for narrow pages. */
  readonly forms: readonly [wide: MapFormPayload, narrow?: MapFormPayload];
  readonly names: readonly string[];
  /** Ids of features in other frames: packed differences, or strings. Omitted if the names are the ids. */
  readonly ids?: string | readonly string[];
  /** Links to features in another application; empty for none. */
  readonly links?: readonly string[];
  /** Omitted for a custom projection. */
  readonly plane?: MapPlane;
  readonly labels: readonly string[];
  /** By label. */
  readonly colours: readonly string[];
  /** Indexes of the colors that need an outline. */
  readonly pale?: readonly number[];
  /** The legend's entries, in its order. */
  readonly entries: readonly string[];
  readonly columns: readonly IntervalColumn[];
  readonly dates: readonly string[];
  /** Whether the dates are played in one pane. */
  readonly plays: boolean;
  /** Whether the two dates share one pane, with a divider between them. */
  readonly swipe?: boolean;
  /** Undefined without a basemap. */
  readonly basemap?: BasemapPayload;
}
