import type { MapFormPayload } from "../../tables/display/live/map-payload.js";
import type { FrameSelection } from "../selection/selection.js";
import type { FeatureValues } from "./map-values.js";

/** A pane of a map on the page. */
export interface ViewedPane {
  state: FeatureValues;
  /** The date of its contents; empty while dates are played, or without dates. */
  readonly shownDay: string;
  /** The visible canvas, the marks above it, and the last drawing. */
  readonly canvas: HTMLCanvasElement;
  readonly above: HTMLCanvasElement;
  readonly kept: HTMLCanvasElement;
}

/** State shared by the parts of a map's script. Lengths are pixels of the whole map. */
export interface MapView {
  /** Magnification of the map, and position of its corner. */
  zoom: number;
  left: number;
  top: number;
  /** CSS pixels and canvas pixels per pixel of the map. */
  fit: number;
  sharp: number;
  form: MapFormPayload;
  /** Size of a pane. */
  width: number;
  height: number;
  /**
   * The target of the tooltip: a row of a pane, and its position; the tooltip is next to the range from `left` to `x`.
   */
  at:
    | {
        readonly pane: ViewedPane;
        readonly row: number;
        readonly x: number;
        readonly y: number;
        readonly left: number;
      }
    | undefined;
  /** Whether the tooltip is pinned. */
  isPinned: boolean;
  /** The crosshair, which the arrow keys move. */
  cross: { readonly pane: ViewedPane; x: number; y: number } | undefined;
  /** Indices of the selected labels; empty for all. */
  chosen: ReadonlySet<number>;
  readonly panes: readonly ViewedPane[];
  /** Share of the width that shows the first of two overlapping panes. */
  split?: number;
  /** Effect of a press on the map. */
  tool: MapTool;
  readonly selection: FrameSelection;
  /** Whether features have been selected, so that the user needs no hint. */
  isSelected: boolean;
  /** Position of the pointer. */
  pointer: PanePlace | undefined;
  /** The box or lasso that is being drawn, in visible pixels of a pane: x, y, x, y and so on. */
  band: { readonly pane: ViewedPane; readonly line: readonly number[] } | undefined;
  /** Points of the measured line. */
  measured: readonly (readonly [x: number, y: number])[];
  /** Called when something has changed that is saved. */
  onChange(): void;
}

export type MapTool = "move" | "lasso" | "measure";

/** In visible pixels of a pane. */
export interface PanePlace {
  readonly pane: ViewedPane;
  readonly x: number;
  readonly y: number;
}

/** Actions of pointers and keys on a map. */
export interface MapActions {
  /** Shows the feature at a position of a pane, in its visible pixels. */
  look(pane: ViewedPane, x: number, y: number, isSaid?: boolean): void;
  /** Hides the tooltip. */
  hide(): void;
  unpin(): void;
  /** Handles a click: selects the feature there, or adds a point of a measurement. */
  click(place: PanePlace, isMore: boolean): void;
  /** Selects the features in the box or lasso. */
  selectBand(isMore: boolean): void;
  /** Draws the marks of the view. */
  mark(): void;
  /** Opens the menu for a position. */
  offer(place: PanePlace): void;
  /** Updates the map after its corner has moved. */
  move(): void;
  /** Zooms around a position of a pane. */
  magnify(factor: number, x?: number, y?: number): void;
  showAll(): void;
}
