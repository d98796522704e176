import type { Markish, PlotOptions } from "@observablehq/plot";
import { hatch } from "../values/hatch.js";
import type { MapDrawing } from "./map-drawing.js";
import { mapFurniture } from "./map-furniture.js";
import { backgroundMark, type MapItem, mapMarks } from "./map-marks.js";

/**
 * Plot's options of one map in a chart of its own, with room below for the scale bar and the arrow.
 *
 * @param finder for a frame that draws the features itself, and the background too
 */
export function wholeMap(drawing: MapDrawing, items: readonly MapItem[], width: number, finder?: Markish) {
  const { view, height, below, radius } = drawing;
  return {
    width,
    height,
    margin: 6,
    marginLeft: 6,
    marginBottom: 32,
    projection: view.projection,
    marks: [hatch(), finder ?? backgroundMark(below), ...mapMarks(items, radius), mapFurniture(view.centre)],
  } satisfies PlotOptions;
}
