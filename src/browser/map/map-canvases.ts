// The canvases of a map's panes: their contents, and how they follow the view.
import {
  type BasemapName,
  type BasemapPayload,
  IMAGE_OPACITY,
  mostShared,
  NAME,
  namesWithRoom,
  OUTLINE,
  RING,
  ringName,
} from "../../tables/display/live/map-basemap.js";
import type { MapPane } from "../../tables/display/live/map-payload.js";
import { make, many, svgElement } from "../page/elements.js";
import type { FrameShapes } from "./map-shapes.js";
import type { MapView, ViewedPane } from "./map-view.js";
import {
  type CanvasView,
  CHUNK,
  hatching,
  type Inks,
  mapDrawing,
  mapMarks,
  type Paint,
  penOf,
  strokeTwice,
} from "./shape-drawing.js";

/** Opacity of unselected features while others are selected. */
const DIMMED = 0.4;
/** With more selected features than this, their outlines are thin so that they do not hide each other. */
const FEW = 1000;

/** A name in pixels of the pane, with the ring below it, if any. */
interface PaneName extends BasemapName {
  readonly ring?: { readonly x: number; readonly y: number; readonly radius: number };
}

interface CanvasOptions {
  readonly shapes: FrameShapes;
  /** Features that respond to the pointer; the others are drawn below them. */
  readonly rows: readonly number[];
  /** Units of the shapes in a pixel of the map. */
  readonly grain: number;
  /** By label. */
  readonly colours: readonly string[];
  /** Indexes of the colors that need an outline. */
  readonly pale: readonly number[];
  readonly basemap: BasemapPayload | undefined;
  /** The current colors of text and background. */
  inks(): Inks;
}

type Pen = CanvasRenderingContext2D;

/** The paint of unknown values, as in figures. */
function hatch(pen: Pen, ink: string, sharp: number): CanvasPattern {
  const size = Math.round(hatching.size * sharp);
  const tile = Object.assign(make("canvas"), { width: size, height: size });
  const line = penOf(tile);
  line.fillStyle = line.strokeStyle = ink;
  line.lineWidth = hatching.lineWidth * sharp;
  line.globalAlpha = hatching.basemapOpacity;
  line.fillRect(0, 0, size, size);
  line.globalAlpha = hatching.lineOpacity;
  for (const from of [-size, 0, -2 * size]) {
    line.moveTo(from, size);
    line.lineTo(from + size, 0);
  }
  line.stroke();
  return pen.createPattern(tile, "repeat") as CanvasPattern;
}

/** Three canvases of a pane, of which two are placed below and above the figure. */
export function paneCanvases(stage: HTMLElement): Pick<ViewedPane, "canvas" | "above" | "kept"> {
  const [canvas, above, kept] = [0, 0, 0].map(() => make("canvas")) as [
    HTMLCanvasElement,
    HTMLCanvasElement,
    HTMLCanvasElement,
  ];
  above.className = "above";
  stage.insertBefore(canvas, stage.querySelector("svg")).after(above);
  return { canvas, above, kept };
}

/** The part of the map that is visible. */
function canvasView(map: MapView, grain: number): CanvasView {
  const { zoom, left, top, sharp, width, height, form } = map;
  return {
    scale: (form.times * zoom * sharp) / grain,
    left: (left + form.shift[0] * zoom) * sharp,
    top: (top + form.shift[1] * zoom) * sharp,
    width: width * sharp,
    height: height * sharp,
    pixel: sharp,
    dot: form.radius * sharp,
    zoom,
  };
}

/** Fits the canvases to the panes of the figure, whose position on the stage is given. */
function fitCanvases(map: MapView, shiftX: number, shiftY: number): void {
  const { fit, sharp, width, height, form } = map;
  for (const [index, { canvas, above, kept }] of map.panes.entries()) {
    const { x, y } = form.panes[index] as MapPane;
    for (const { style } of [canvas, above]) {
      style.left = `${x * fit + shiftX}px`;
      style.top = `${y * fit + shiftY}px`;
      style.width = `${width * fit}px`;
      style.height = `${height * fit}px`;
    }
    for (const each of [canvas, above, kept]) {
      [each.width, each.height] = [Math.round(width * sharp), Math.round(height * sharp)];
    }
  }
}

/** A color of a figure in the scheme of the page: on a dark page, the figure's style replaces it. */
function schemeColor(colour: string): string {
  const figure = document.querySelector("svg.siteframe-plot") as SVGSVGElement;
  const sample = figure.appendChild(svgElement("rect", { fill: colour }));
  const { fill } = getComputedStyle(sample);
  sample.remove();
  return fill;
}

/** The paint of each label. */
function labelPaints(
  pen: Pen,
  { sharp }: MapView,
  { colours, pale }: Pick<CanvasOptions, "colours" | "pale">,
  [ink]: Inks,
  isChosen: (label: number) => boolean,
): readonly Paint[] {
  return colours.map((colour, label) => {
    const style = colour.startsWith("url(")
      ? hatch(pen, ink, sharp)
      : colour === "currentColor"
        ? ink
        : schemeColor(colour);
    return { style, alpha: isChosen(label) ? 1 : 0.1, ...(pale.includes(label) ? { outline: ink } : {}) };
  });
}

/** Replaces the contents of a canvas with a drawing at another position and scale. */
function moveDrawing(pen: Pen, drawing: HTMLCanvasElement, scale: number, x: number, y: number): void {
  const { width, height } = pen.canvas;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.setTransform(scale, 0, 0, scale, x, y);
  pen.drawImage(drawing, 0, 0);
  pen.setTransform(1, 0, 0, 1, 0, 0);
}

/** A location with several visible features, of which one is at `row`. */
interface CountedLocation {
  readonly row: number;
  readonly count: number;
}

/** The rings of panes around locations with several visible features. */
function sharedRings(
  map: MapView,
  { shared, boxes }: FrameShapes,
  grain: number,
  isSeen: (pane: ViewedPane, row: number) => boolean,
  pointRadius: () => number,
): { readonly of: (pane: ViewedPane) => readonly PaneName[]; readonly forget: (pane: ViewedPane) => void } {
  const locations = [...new Set(shared.values())];
  // Counted when features are drawn, not whenever the view moves.
  const counted = new Map<ViewedPane, readonly CountedLocation[]>();
  const count = (pane: ViewedPane) => {
    const counts = locations.map((rows) => ({
      row: rows[0] as number,
      count: rows.reduce((sum, row) => sum + Number(isSeen(pane, row)), 0),
    }));
    const shown = mostShared(counts.filter((location) => location.count > 1));
    counted.set(pane, shown);
    return shown;
  };
  return {
    of(pane) {
      const { sharp, zoom, left, top, form, width, height } = map;
      const measure = (text: string) => penOf(pane.kept).measureText(text).width / sharp;
      const radius = pointRadius() / sharp;
      return (counted.get(pane) ?? count(pane)).map(({ row, count: features }) => {
        const [mapX, mapY] = [boxes[4 * row] as number, boxes[4 * row + 1] as number];
        const x = ((mapX / grain) * form.times + form.shift[0]) * zoom + left;
        const y = ((mapY / grain) * form.times + form.shift[1]) * zoom + top;
        const text = many(features);
        return ringName(text, [x, y], measure(text), radius, { x: 0, y: 0, width, height });
      });
    },
    forget: (pane) => void counted.delete(pane),
  };
}

export function mapCanvases(map: MapView, { shapes, rows, grain, colours, pale, inks, ...options }: CanvasOptions) {
  const { draw, outline, pointRadius } = mapDrawing(shapes);
  const firstLine = shapes.count - (options.basemap?.outlines ?? 0);
  const below = Array.from({ length: firstLine - rows.length }, (_, index) => rows.length + index);
  const view = () => canvasView(map, grain);
  const basemap = basemapCanvas(
    map,
    options.basemap,
    (pen, shape) => outline(pen, [firstLine + shape], view()),
    () => drawAll(),
  );
  const isChosen = (label: number) => map.chosen.size === 0 || map.chosen.has(label);
  const paints = (pen: Pen) => labelPaints(pen, map, { colours, pale }, inks(), isChosen);
  const outlineRows = (pen: Pen, rows: readonly number[]) => {
    const isFew = rows.length <= FEW;
    const thin = (isFew ? 2 : 1) * map.sharp;
    for (let from = 0; from < rows.length; from += CHUNK) {
      outline(pen, rows.slice(from, from + CHUNK), view());
      strokeTwice(pen, inks(), isFew ? 2 * thin : 0, thin);
    }
  };
  const labelOf = ({ state }: ViewedPane, row: number) => (state.labels[row] as number) - 1;
  const isSeen = (pane: ViewedPane, row: number) => labelOf(pane, row) >= 0 && isChosen(labelOf(pane, row));

  const rings = sharedRings(map, shapes, grain, isSeen, () => pointRadius(view()));

  let [before, cost, finished, drawnAt] = [0, 0, 0, { zoom: 1, left: 0, top: 0 }];
  /** Places the finished drawing on the page, at the position of the view. */
  const put = () => {
    const { zoom, left, top, sharp } = map;
    const scale = zoom / drawnAt.zoom;
    const [x, y] = [left - drawnAt.left * scale, top - drawnAt.top * scale];
    for (const pane of map.panes) {
      const pen = penOf(pane.canvas);
      moveDrawing(pen, pane.kept, scale, x * sharp, y * sharp);
      basemap.above(pen, inks(), rings.of(pane));
    }
  };
  const drawRows = (pane: ViewedPane, drawn: readonly number[]) => {
    rings.forget(pane);
    const pen = penOf(pane.kept);
    const { rows: selected } = map.selection;
    const all = paints(pen);
    if (selected.size === 0) return draw(pen, drawn, view(), (row) => labelOf(pane, row), all);
    // Unselected features are below, and paler.
    const dimmed = all.map((paint) => ({ ...paint, alpha: DIMMED * paint.alpha }));
    const paintOf = (row: number) => {
      const label = labelOf(pane, row);
      return label >= 0 && selected.has(row) ? label + all.length : label;
    };
    draw(pen, drawn, view(), paintOf, [...dimmed, ...all]);
    outlineRows(
      pen,
      drawn.filter((row) => selected.has(row) && isSeen(pane, row)),
    );
  };
  const drawAll = () => {
    const began = performance.now();
    const [ink] = inks();
    for (const pane of map.panes) {
      const pen = penOf(pane.kept);
      pen.clearRect(0, 0, pane.kept.width, pane.kept.height);
      basemap.below(pen, ink);
      pen.globalAlpha = 1;
      draw(pen, below, view(), () => 0, [{ style: ink, alpha: 0.14 }]);
      drawRows(pane, rows);
    }
    drawnAt = { zoom: map.zoom, left: map.left, top: map.top };
    put();
    finished = performance.now();
    // The smaller of two times: a busy computer distorts single measurements.
    [before, cost] = [finished - began, Math.min(before, finished - began)];
  };
  /**
   * Draws rows of a pane over its contents; false if the contents are of another part of the map, or something is
   * selected.
   */
  const drawOver = (pane: ViewedPane, changed: readonly number[]) => {
    if (
      map.selection.rows.size > 0 ||
      drawnAt.zoom !== map.zoom ||
      drawnAt.left !== map.left ||
      drawnAt.top !== map.top
    )
      return false;
    drawRows(pane, changed);
    put();
    return true;
  };
  const mark = mapMarks(map, { outline, view, inks, isSeen });
  const resize = (shiftX: number, shiftY: number) => fitCanvases(map, shiftX, shiftY);
  return { drawAll, drawOver, put, mark, resize, isSeen, cost: () => cost, drawnAt: () => finished };
}

// The basemap below the features of a map's pane, and the names above them.

/**
 * @param trace makes the outline of a basemap shape the current path
 * @param onLoad called when a picture can be drawn
 */
function basemapCanvas(
  map: MapView,
  { images, outlines, names }: BasemapPayload = { images: [], outlines: 0, names: [] },
  trace: (pen: Pen, shape: number) => void,
  onLoad: () => void,
) {
  const pictures = images.map(() => make("canvas"));
  for (const [index, { href, mask }] of images.entries()) {
    void Promise.all([href, ...(mask ? [mask] : [])].map(loadImage)).then(([image, white]) => {
      const picture = pictures[index];
      const pen = picture?.getContext("2d");
      if (!picture || !pen || !image) return;
      [picture.width, picture.height] = [image.naturalWidth, image.naturalHeight];
      pen.drawImage(image, 0, 0);
      pen.globalCompositeOperation = "destination-in";
      if (white) pen.drawImage(white, 0, 0, picture.width, picture.height);
      onLoad();
    });
  }
  /** Converts pixels of the wide map to pixels of the canvas. */
  const place = ({ form, zoom, left, top, sharp }: MapView) => ({
    scale: form.times * zoom * sharp,
    x: (left + form.shift[0] * zoom) * sharp,
    y: (top + form.shift[1] * zoom) * sharp,
  });
  return {
    /** Pictures and outlines. */
    below(pen: Pen, ink: string) {
      const { scale, x, y } = place(map);
      pen.globalAlpha = IMAGE_OPACITY;
      for (const [index, image] of images.entries()) {
        const picture = pictures[index] as HTMLCanvasElement;
        pen.drawImage(picture, image.x * scale + x, image.y * scale + y, image.width * scale, image.height * scale);
      }
      [pen.globalAlpha, pen.strokeStyle, pen.lineWidth] = [OUTLINE.opacity, ink, OUTLINE.width * map.sharp];
      for (let shape = 0; shape < outlines; shape += 1) {
        trace(pen, shape);
        pen.stroke();
      }
      pen.globalAlpha = 1;
    },
    /** Rings with numbers, and names, whose size does not depend on the zoom. */
    above(pen: Pen, [ink, paper]: Inks, rings: readonly PaneName[]) {
      const { sharp, width, height } = map;
      const { scale, x, y } = place(map);
      pen.font = `${NAME.size * sharp}px system-ui, sans-serif`;
      [pen.textAlign, pen.textBaseline, pen.lineJoin] = ["center", "middle", "round"];
      [pen.lineWidth, pen.strokeStyle, pen.fillStyle, pen.globalAlpha] = [NAME.halo * sharp, paper, ink, NAME.opacity];
      const shown = names.map(
        (name): PaneName => ({
          ...name,
          x: (name.x * scale + x) / sharp,
          y: (name.y * scale + y) / sharp,
          width: (name.width * scale) / sharp,
        }),
      );
      const pane = { x: 0, y: 0, width, height };
      for (const name of namesWithRoom([...rings, ...shown], pane, (text) => pen.measureText(text).width / sharp)) {
        const middle = (name.width === 0 ? name.y - NAME.lift : name.y) * sharp;
        pen.strokeText(name.text, name.x * sharp, middle);
        pen.fillText(name.text, name.x * sharp, middle);
        if (!name.ring) continue;
        pen.beginPath();
        pen.arc(name.ring.x * sharp, name.ring.y * sharp, name.ring.radius * sharp, 0, 7);
        strokeTwice(pen, [ink, paper], NAME.halo * sharp, RING.width * sharp);
        [pen.lineWidth, pen.strokeStyle] = [NAME.halo * sharp, paper];
      }
      pen.globalAlpha = 1;
    },
  };
}

async function loadImage(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return image;
}
