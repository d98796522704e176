import { narrowWidth } from "../figure/narrow-width.js";
import type { MapForm } from "./interactive-map.js";
import type { MapDrawing } from "./map-drawing.js";

/** A map as wide as a phone. */
export function narrowForm(
  drawingOf: (width: number) => MapDrawing | undefined,
  formOf: (drawing: MapDrawing, width: number) => MapForm,
): MapForm | undefined {
  const drawing = drawingOf(narrowWidth);
  return drawing && formOf(drawing, narrowWidth);
}
