// Draws shapes of a map on a canvas.
import type { FrameShapes } from "./map-shapes.js";

/** Shapes in one path: long ones are slow. */
const CHUNK = 400;
/** With more shapes in view than this areas have no outline, which nobody would see. */
const OUTLINED = 4000;

/** Which part of a map a canvas shows. */
export interface CanvasView {
  /** From units of the shapes to pixels of the canvas. */
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  /** Of the canvas. */
  readonly width: number;
  readonly height: number;
  /** Pixels of the canvas in one of the whole map. */
  readonly pixel: number;
  /** Radius of points in pixels of the canvas. */
  readonly dot: number;
  readonly zoom: number;
}

export interface Paint {
  readonly style: string | CanvasPattern;
  readonly alpha: number;
}

type Pen = CanvasRenderingContext2D;
type Kind = 0 | 1 | 2;
const KINDS = [0, 1, 2] as const;

export function mapDrawing({ parts, starts, kinds, x, y, boxes }: FrameShapes) {
  const has = KINDS.map((kind) => kinds.includes(kind));
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
    // A square that is too small to be told from a disc is drawn faster.
    if (size < 3) pen.rect(px - 0.9 * size, py - 0.9 * size, 1.8 * size, 1.8 * size);
    else {
      pen.moveTo(px + size, py);
      pen.arc(px, py, size, 0, 7);
    }
  };
  const discInMiddle = (pen: Pen, row: number, { scale, left, top }: CanvasView, size: number) =>
    disc(pen, ((box(row, 0) + box(row, 2)) / 2) * scale + left, ((box(row, 1) + box(row, 3)) / 2) * scale + top, size);
  const points = (pen: Pen, row: number, view: CanvasView, size: number) =>
    eachPart(row, 2, (at) => disc(pen, xAt(at, view), yAt(at, view), size));

  /** Puts into a path what a row is of a kind: a ring, a line or points; what is small is a dot. */
  const add = (pen: Pen, row: number, kind: Kind, view: CanvasView) => {
    if (isSmall(row, view)) {
      if (kind === 0) discInMiddle(pen, row, view, view.dot);
    } else if (kind === 2) points(pen, row, view, pointRadius(view));
    else trace(pen, row, kind, view);
  };
  /** Rows of one paint. */
  const fill = (pen: Pen, rows: readonly number[], kind: Kind, view: CanvasView, isOutlined: boolean) => {
    pen.lineWidth = (kind === 1 ? 2.2 : 0.6) * view.pixel;
    for (let from = 0; from < rows.length; from += CHUNK) {
      pen.beginPath();
      for (const row of rows.slice(from, from + CHUNK)) add(pen, row, kind, view);
      if (kind !== 1) pen.fill();
      if (kind === 1 || (kind === 0 && isOutlined)) pen.stroke();
    }
  };

  /**
   * @param rows those that may be seen
   * @param paintOf the place of a row's paint; -1 for none
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
    for (const kind of KINDS) {
      if (!has[kind] && kind > 0) continue;
      for (const { style, alpha, rows } of lists) {
        if (rows.length === 0) continue;
        pen.globalAlpha = alpha;
        pen.fillStyle = pen.strokeStyle = style;
        fill(pen, rows, kind, view, count < OUTLINED);
      }
    }
    pen.globalAlpha = 1;
  };
  /** Makes a row's outline the path. */
  const outline = (pen: Pen, row: number, view: CanvasView) => {
    pen.beginPath();
    const size = Math.max(3, pointRadius(view) + 2 * view.pixel);
    if (isPoint(row)) points(pen, row, view, size);
    else if (isSmall(row, view)) discInMiddle(pen, row, view, size);
    else for (const kind of [0, 1] as const) trace(pen, row, kind, view);
  };
  return { draw, outline };
}
