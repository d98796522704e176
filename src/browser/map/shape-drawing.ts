// Draws shapes of a map on a canvas, and marks above them.
import { make } from "../page/elements.js";
import { MOST_PIXELS, type PixelPaint, pixelSheet } from "./map-pixels.js";
import type { FrameShapes } from "./map-shapes.js";
import type { MapView, ViewedPane } from "./map-view.js";

/** Hatching of unknown values, in CSS pixels. */
export const hatching = { size: 6, lineWidth: 1.2, lineOpacity: 0.55, basemapOpacity: 0.08 };

type Pen = CanvasRenderingContext2D;

export const penOf = (canvas: HTMLCanvasElement) => canvas.getContext("2d") as Pen;

/** Maximum number of shapes in one path: long paths are slow, and so are many paths. */
export const CHUNK = 50;
/** Widths of lines, and of the edges of areas, in CSS pixels. */
const [LINE, EDGE] = [2.2, 0.6];
/** The outline of pale shapes, in CSS pixels, as in figures. */
const PALE = { width: 0.75, opacity: 0.55 };
/** With more shapes in view than this, areas have no outlines, which would not be visible. */
const OUTLINED = 4000;

/** The part of a map that a canvas shows. */
export interface CanvasView {
  /** From units of the shapes to pixels of the canvas. */
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  /** Width of the canvas. */
  readonly width: number;
  readonly height: number;
  /** Pixels of the canvas in one pixel of the whole map. */
  readonly pixel: number;
  /** Radius of points in pixels of the canvas. */
  readonly dot: number;
  readonly zoom: number;
}

export interface Paint {
  readonly style: string | CanvasPattern;
  readonly alpha: number;
  /** The color of the outline, if the paint is too pale without one. */
  readonly outline?: string;
}

/** A style as pixels: a square that is repeated. */
function pixelsOf(style: Paint["style"], side: number): Uint32Array {
  const pen = penOf(make("canvas", { width: side, height: side }));
  pen.fillStyle = style;
  pen.fillRect(0, 0, side, side);
  return new Uint32Array(pen.getImageData(0, 0, side, side).data.buffer);
}

type Kind = 0 | 1 | 2;
const KINDS = [0, 1, 2] as const;
/** Discs of a smaller radius are drawn as squares, which look the same. */
const SQUARE = 3;

/** Adds shapes to the path of a pen. */
function shapePaths({ parts, starts, kinds, x, y, boxes }: FrameShapes) {
  const box = (row: number, side: Kind | 3) => boxes[4 * row + side] as number;
  const extent = (row: number, { scale }: CanvasView) =>
    Math.max(box(row, 2) - box(row, 0), box(row, 3) - box(row, 1)) * scale;
  const isPoint = (row: number) => kinds[parts[row] as number] === 2;
  const isSmall = (row: number, view: CanvasView) => !isPoint(row) && extent(row, view) < 1.6 * view.dot;
  const pointRadius = ({ dot, zoom }: CanvasView) => dot * Math.min(2.5, Math.sqrt(zoom));
  const isInView = (row: number, { scale, left, top, width, height, dot }: CanvasView) => {
    const room = 3 * dot;
    const [from, to] = [box(row, 0) * scale + left, box(row, 2) * scale + left];
    const [above, below] = [box(row, 1) * scale + top, box(row, 3) * scale + top];
    return from < width + room && to > -room && above < height + room && below > -room && from <= to;
  };
  const xAt = (at: number, { scale, left }: CanvasView) => (x[at] as number) * scale + left;
  const yAt = (at: number, { scale, top }: CanvasView) => (y[at] as number) * scale + top;
  const eachPart = (row: number, kind: Kind, call: (start: number, end: number) => void) => {
    for (let part = parts[row] as number; part < (parts[row + 1] as number); part += 1)
      if (kinds[part] === kind) call(starts[part] as number, starts[part + 1] as number);
  };
  const trace = (pen: Pen, row: number, kind: Kind, view: CanvasView) =>
    eachPart(row, kind, (start, end) => {
      pen.moveTo(xAt(start, view), yAt(start, view));
      for (let at = start + 1; at < end; at += 1) pen.lineTo(xAt(at, view), yAt(at, view));
      if (kind === 0) pen.closePath();
    });
  const disc = (pen: Pen, px: number, py: number, size: number) => {
    // Tiny squares look like discs, and are drawn faster.
    if (size < SQUARE) pen.rect(px - 0.9 * size, py - 0.9 * size, 1.8 * size, 1.8 * size);
    else {
      pen.moveTo(px + size, py);
      pen.arc(px, py, size, 0, 7);
    }
  };
  /** Center of a row's box, across or down. */
  const middle = (row: number, side: 0 | 1, { scale, left, top }: CanvasView) =>
    ((box(row, side) + box(row, side === 0 ? 2 : 3)) / 2) * scale + (side === 0 ? left : top);
  const discInMiddle = (pen: Pen, row: number, view: CanvasView, size: number) =>
    disc(pen, middle(row, 0, view), middle(row, 1, view), size);
  const points = (pen: Pen, row: number, view: CanvasView, size: number) =>
    eachPart(row, 2, (at) => disc(pen, xAt(at, view), yAt(at, view), size));

  /** Adds the shapes of a kind in a row to a path: a ring, a line or points. Small shapes become dots. */
  const add = (pen: Pen, row: number, kind: Kind, view: CanvasView) => {
    if (isSmall(row, view)) {
      if (kind === 0) discInMiddle(pen, row, view, view.dot);
    } else if (kind === 2) points(pen, row, view, pointRadius(view));
    else trace(pen, row, kind, view);
  };
  /** Makes outlines of rows the current path. */
  const outline = (pen: Pen, rows: readonly number[], view: CanvasView) => {
    pen.beginPath();
    const size = Math.max(3, pointRadius(view) + 2 * view.pixel);
    for (const row of rows) {
      if (!isInView(row, view)) continue;
      if (isPoint(row)) points(pen, row, view, size);
      else if (isSmall(row, view)) discInMiddle(pen, row, view, size);
      else for (const kind of [0, 1] as const) trace(pen, row, kind, view);
    }
  };
  return { extent, isPoint, isSmall, isInView, pointRadius, xAt, yAt, middle, eachPart, add, outline };
}

type PaintedRows = Paint & { readonly rows: readonly number[] };

/** Draws many small shapes as pixels. */
function shapePixels({ parts, starts, kinds }: FrameShapes, paths: ReturnType<typeof shapePaths>) {
  const { extent, isPoint, isSmall, pointRadius, xAt, yAt, middle, eachPart } = paths;
  const sheet = pixelSheet((width, height) => new ImageData(width, height));
  const canvas = make("canvas");
  const known = new Map<string, Uint32Array>();
  const pixelPaint = ({ style, alpha }: Paint, side: number): PixelPaint => {
    if (typeof style !== "string") return { pixels: pixelsOf(style, side), side, alpha };
    const pixels = known.get(style) ?? pixelsOf(style, 1);
    known.set(style, pixels);
    return { pixels, side: 1, alpha };
  };
  const isForPixels = (row: number, kind: Kind, view: CanvasView) =>
    kind === 0 ? extent(row, view) <= MOST_PIXELS && !isPoint(row) : pointRadius(view) < SQUARE;
  const places: number[] = [];
  const ends: number[] = [];
  /** Draws a row's areas or points onto the sheet. */
  const fillPixels = (row: number, kind: Kind, view: CanvasView, paint: PixelPaint) => {
    if (isSmall(row, view)) {
      if (kind === 0) sheet.square(middle(row, 0, view), middle(row, 1, view), 0.9 * view.dot, paint);
      return;
    }
    if (kind === 2) {
      const size = 0.9 * pointRadius(view);
      return eachPart(row, 2, (at) => sheet.square(xAt(at, view), yAt(at, view), size, paint));
    }
    let length = 0;
    ends.length = 0;
    for (let part = parts[row] as number; part < (parts[row + 1] as number); part += 1) {
      if (kinds[part] !== 0) continue;
      const end = starts[part + 1] as number;
      for (let at = starts[part] as number; at < end; at += 1) {
        places[length] = xAt(at, view);
        places[length + 1] = yAt(at, view);
        length += 2;
      }
      ends.push(length);
    }
    if (length > 0) sheet.fill(places, ends, paint);
  };
  /** Draws those rows above the contents of a canvas. */
  const drawRows = (pen: Pen, lists: readonly PaintedRows[], kind: Kind, view: CanvasView) => {
    const { width, height } = pen.canvas;
    sheet.clear(width, height);
    for (const list of lists) {
      if (list.rows.length === 0) continue;
      const paint = pixelPaint(list, Math.round(hatching.size * view.pixel));
      for (const row of list.rows) if (isForPixels(row, kind, view)) fillPixels(row, kind, view, paint);
    }
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    penOf(canvas).putImageData(sheet.image(), 0, 0);
    pen.drawImage(canvas, 0, 0);
  };
  return { isForPixels, drawRows };
}

export function mapDrawing(shapes: FrameShapes) {
  const has = KINDS.map((kind) => shapes.kinds.includes(kind));
  const paths = shapePaths(shapes);
  const { isInView, add, outline, pointRadius } = paths;
  const pixels = shapePixels(shapes, paths);

  /** Draws rows of one paint. */
  const fill = (
    pen: Pen,
    { style, alpha, outline, rows }: PaintedRows,
    kind: Kind,
    view: CanvasView,
    isMany: boolean,
  ) => {
    const stroke = (color: Paint["style"], width: number, opacity: number) => {
      [pen.strokeStyle, pen.lineWidth, pen.globalAlpha] = [color, width * view.pixel, opacity];
      pen.stroke();
      pen.globalAlpha = alpha;
    };
    const edge = isMany ? undefined : outline;
    pen.fillStyle = style;
    pen.globalAlpha = alpha;
    for (let from = 0; from < rows.length; from += CHUNK) {
      pen.beginPath();
      for (const row of rows.slice(from, from + CHUNK)) add(pen, row, kind, view);
      if (kind !== 1) pen.fill();
      // The outline of a line is a wider line below it.
      if (edge) stroke(edge, kind === 1 ? LINE + 2 * PALE.width : PALE.width, PALE.opacity * alpha);
      if (kind === 1) stroke(style, LINE, alpha);
      else if (kind === 0 && !isMany && !edge) stroke(style, EDGE, alpha);
    }
  };

  /** Draws the shapes of a kind; if there are many, the small ones as pixels, above the others. */
  const drawKind = (pen: Pen, lists: readonly PaintedRows[], kind: Kind, view: CanvasView, isMany: boolean) => {
    const hasPixels = isMany && kind !== 1;
    for (const list of lists) {
      const rows = hasPixels ? list.rows.filter((row) => !pixels.isForPixels(row, kind, view)) : list.rows;
      if (rows.length > 0) fill(pen, { ...list, rows }, kind, view, isMany);
    }
    pen.globalAlpha = 1;
    if (hasPixels) pixels.drawRows(pen, lists, kind, view);
  };

  /**
   * @param rows rows that may be visible
   * @param paintOf returns the index of a row's paint; -1 for none
   */
  const draw = (
    pen: Pen,
    rows: readonly number[],
    view: CanvasView,
    paintOf: (row: number) => number,
    paints: readonly Paint[],
  ) => {
    const lists = paints.map((paint) => ({ ...paint, rows: [] as number[] }));
    let count = 0;
    for (const row of rows) {
      const list = lists[paintOf(row)];
      if (!list || !isInView(row, view)) continue;
      list.rows.push(row);
      count += 1;
    }
    for (const kind of KINDS) if (has[kind] || kind === 0) drawKind(pen, lists, kind, view, count >= OUTLINED);
  };
  return { draw, outline, pointRadius };
}

// The marks above a map: the feature of the tooltip, the crosshair, the measured line, and the shape that is being drawn.

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
