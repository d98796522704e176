// The marks above a map: the feature of the tooltip, the crosshair, the measured line, and the shape that is being drawn.
import type { MapView, ViewedPane } from "./map-view.js";
import { type CanvasView, penOf } from "./shape-drawing.js";

type Pen = CanvasRenderingContext2D;

export type Inks = readonly [text: string, basemap: string];

/** Strokes the path with the background color, and thinner with the text color. */
export function strokeTwice(pen: Pen, [inner, outer]: Inks, thick: number, thin: number): void {
  for (const [width, style] of [
    [thick, outer],
    [thin, inner],
  ] as const) {
    if (width === 0) continue;
    [pen.lineWidth, pen.strokeStyle] = [width, style];
    pen.stroke();
  }
}

interface MarkOptions {
  /** Makes outlines of rows the current path. */
  outline(pen: Pen, rows: readonly number[], view: CanvasView): void;
  view(): CanvasView;
  inks(): Inks;
  isSeen(pane: ViewedPane, row: number): boolean;
}

/** Returns a function that draws the marks. */
export function mapMarks(map: MapView, { outline, view, inks, isSeen }: MarkOptions): () => void {
  /** The measured line, and how it would be closed. */
  const markMeasured = (pen: Pen) => {
    const { measured, zoom, left, top, sharp } = map;
    const places = measured.map(([x, y]) => [(x * zoom + left) * sharp, (y * zoom + top) * sharp] as const);
    const path = (from: readonly (readonly [number, number])[]) => {
      pen.beginPath();
      for (const [x, y] of from) pen.lineTo(x, y);
    };
    const [first, last] = [places[0], places.at(-1)];
    if (!first || !last) return;
    if (places.length > 2) {
      path([last, first]);
      pen.setLineDash([4 * sharp, 4 * sharp]);
      strokeTwice(pen, inks(), 3 * sharp, sharp);
      pen.setLineDash([]);
    }
    path(places);
    strokeTwice(pen, inks(), 4 * sharp, 2 * sharp);
    for (const [x, y] of places) {
      pen.beginPath();
      pen.arc(x, y, 3 * sharp, 0, 7);
      strokeTwice(pen, inks(), 4 * sharp, 2 * sharp);
    }
  };
  const markBand = (pen: Pen, line: readonly number[]) => {
    pen.beginPath();
    for (let at = 0; at < line.length; at += 2)
      pen.lineTo((line[at] as number) * map.sharp, (line[at + 1] as number) * map.sharp);
    pen.closePath();
    pen.globalAlpha = 0.12;
    [pen.fillStyle] = inks();
    pen.fill();
    pen.globalAlpha = 1;
    strokeTwice(pen, inks(), 3 * map.sharp, map.sharp);
  };
  /** Marks the feature of the tooltip, the crosshair, and the shape that is being drawn. */
  const mark = () => {
    const { at, cross, sharp, band } = map;
    for (const pane of map.panes) {
      const pen = penOf(pane.above);
      pen.clearRect(0, 0, pane.above.width, pane.above.height);
      if (at && isSeen(pane, at.row)) {
        outline(pen, [at.row], view());
        strokeTwice(pen, inks(), 4 * sharp, 2 * sharp);
      }
      markMeasured(pen);
      if (band?.pane === pane) markBand(pen, band.line);
      if (!cross || (cross.pane !== pane && map.split === undefined)) continue;
      const [x, y, arm] = [cross.x * sharp, cross.y * sharp, 7 * sharp];
      pen.beginPath();
      pen.moveTo(x - arm, y);
      pen.lineTo(x + arm, y);
      pen.moveTo(x, y - arm);
      pen.lineTo(x, y + arm);
      strokeTwice(pen, inks(), 4 * sharp, 1.5 * sharp);
    }
  };
  return mark;
}
