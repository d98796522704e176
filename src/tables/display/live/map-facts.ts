import type { MapGroundFacts } from "./map-ground.js";
import type { MapPlane } from "./map-plane.js";

/** Shapes as a frame reads them: integers, packed. */
export interface MapShapes {
  /** Units in a pixel of the whole map. */
  readonly grain: number;
  /** Times that the map can be magnified: until a unit is a pixel, or two are. */
  readonly deepest: number;
  /** Parts of each shape. */
  readonly parts: string;
  /** Of each part three times its vertices, and its kind: 0 ring, 1 line, 2 point. */
  readonly sizes: string;
  /** Steps from vertex to vertex; of a first one from the first of the part before. */
  readonly x: string;
  readonly y: string;
}

/** A column as tooltips show it. */
export interface IntervalColumn {
  readonly label: string;
  /** Its different values in words. */
  readonly texts: readonly string[];
  /** 1 + place of each text's label in the legend, if the column gives the colours. Packed. */
  readonly classes?: string;
  /**
   * For each date what changes, packed: the step from the row before, and how much 1 + place of the text is more than
   * that of the row before. 0 is a feature that does not exist.
   */
  readonly dates: readonly string[];
}

/** A place for a map in a chart, in its pixels. */
export interface MapPane {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How the drawing for pages of some width shows the shapes. */
export interface MapFormFacts {
  readonly panes: readonly MapPane[];
  /** The upper left corner of the map, in pixels. */
  readonly origin: readonly [left: number, top: number];
  /** In a pixel. */
  readonly metres: number;
  /** Of points, in pixels. */
  readonly radius: number;
  /** How many times as large as in the wide drawing shapes are, and how far they are shifted. */
  readonly times: number;
  readonly shift: readonly [x: number, y: number];
}

/** What the script of a map reads. */
export interface MapFrameFacts {
  /** Those that can be pointed at, and behind them the background and the outlines of the ground. */
  readonly shapes: MapShapes;
  /** The drawing for wide pages, and one for narrow pages. */
  readonly forms: readonly [wide: MapFormFacts, narrow?: MapFormFacts];
  readonly names: readonly string[];
  /** What features are known by elsewhere: steps from one to the next, packed, or texts. Left out where the names are. */
  readonly ids?: string | readonly string[];
  /** Addresses of features in another application; empty for none. */
  readonly links?: readonly string[];
  /** Left out where the projection is the caller's own. */
  readonly plane?: MapPlane;
  readonly labels: readonly string[];
  /** By label. */
  readonly colours: readonly string[];
  /** The legend's entries, in its order. */
  readonly entries: readonly string[];
  readonly columns: readonly IntervalColumn[];
  readonly dates: readonly string[];
  /** Whether the dates are played in one pane. */
  readonly plays: boolean;
  /** Whether the two dates share one pane, with a divider between them. */
  readonly swipe?: boolean;
  /** Absent where there is none. */
  readonly ground?: MapGroundFacts;
}
