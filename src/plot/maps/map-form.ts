import type { Markish } from "@observablehq/plot";
import type { Figure } from "../figure/figure.js";
import type { MapForm } from "./interactive-map.js";
import type { MapDrawing } from "./map-drawing.js";
import type { MapItem } from "./map-marks.js";
import { type Panel, paneFinder } from "./map-panes.js";

/**
 * A map with its features, whose frame is the same without them.
 *
 * @param panels one for each pane
 * @param draw draws features; with a mark that finds the panes the frame's surroundings
 * @param headroom pixels at the top of each pane that are not for the map
 */
export function mapForm(
  { view, radius }: MapDrawing,
  items: readonly MapItem[],
  draw: (items: readonly MapItem[], finder?: Markish) => Figure,
  panels: readonly Panel[] = [{}],
  headroom = 0,
): MapForm {
  const still = draw(items);
  return {
    still,
    svg: () => still.toSVG(),
    furniture: (finder) => draw([], finder),
    finder: paneFinder(view.centre, panels, headroom),
    radius,
  };
}
