import type { MapFormFacts } from "../live/map-facts.js";
import type { MapState } from "./map-values.js";
import type { FrameSelection } from "./selection.js";

/** A pane of a map as the page has it. */
export interface ViewedPane {
  state: MapState;
  /** Of all that it shows; empty where the dates are played or there is none. */
  readonly day: string;
  /** What is seen, what is marked above it, and what was drawn last. */
  readonly canvas: HTMLCanvasElement;
  readonly above: HTMLCanvasElement;
  readonly kept: HTMLCanvasElement;
}

/** What the parts of a map's script share. Lengths are pixels of the whole map. */
export interface MapView {
  /** How many times the map is magnified, and where its corner is. */
  zoom: number;
  left: number;
  top: number;
  /** CSS pixels and canvas pixels of one of the map. */
  fit: number;
  sharp: number;
  form: MapFormFacts;
  /** Of a pane. */
  width: number;
  height: number;
  /** What the tooltip is of: a row of a pane, and where; from `left` to `x` it is beside it. */
  at:
    | {
        readonly pane: ViewedPane;
        readonly row: number;
        readonly x: number;
        readonly y: number;
        readonly left: number;
      }
    | undefined;
  /** Whether the tooltip stays where it is. */
  isPinned: boolean;
  /** What the arrow keys move. */
  cross: { readonly pane: ViewedPane; x: number; y: number } | undefined;
  /** Labels that are singled out, by their place; none means all. */
  chosen: ReadonlySet<number>;
  readonly panes: readonly ViewedPane[];
  /** The share of the width in which the first of two panes is seen, where they lie over each other. */
  split?: number;
  /** What a press on the map does. */
  tool: MapTool;
  readonly selection: FrameSelection;
  /** Where the pointer is. */
  pointer: PanePlace | undefined;
  /** The box or lasso that is being drawn, in pixels of a pane as they are shown: x, y, x, y and so on. */
  band: { readonly pane: ViewedPane; readonly line: readonly number[] } | undefined;
  /** Places that are measured along. */
  measured: readonly (readonly [x: number, y: number])[];
}

export type MapTool = "move" | "lasso" | "measure";

/** In pixels of a pane as they are shown. */
export interface PanePlace {
  readonly pane: ViewedPane;
  readonly x: number;
  readonly y: number;
}

/** What pointers and keys do to a map. */
export interface MapActions {
  /** Looks at a place of a pane, in its pixels as they are shown. */
  look(pane: ViewedPane, x: number, y: number, isSaid?: boolean): void;
  /** Takes the tooltip away. */
  hide(): void;
  unpin(): void;
  /** What a click does: selects what is there, or measures to there. */
  click(place: PanePlace, isMore: boolean): void;
  /** Selects what is in the box or lasso that was drawn. */
  selectBand(isMore: boolean): void;
  /** Marks what the view says is marked. */
  mark(): void;
  /** Offers what can be done with a place. */
  offer(place: PanePlace): void;
  /** Follows the view after its corner has been moved. */
  move(): void;
  /** Magnifies; what is at a place of a pane stays there. */
  magnify(factor: number, x?: number, y?: number): void;
  showAll(): void;
}
