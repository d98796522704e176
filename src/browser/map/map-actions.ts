// Actions of a map: moving, pointing, selecting and searching.
import { clamp } from "../page/clamp.js";
import { find, many } from "../page/elements.js";
import type { mapCanvases } from "./map-canvases.js";
import type { MapDecorations } from "./map-decorations.js";
import type { FrameShapes } from "./map-shapes.js";
import type { MapTooltip } from "./map-tooltip.js";
import type { MapActions, MapView, ViewedPane } from "./map-view.js";

/**
 * A drawing that takes longer than this, in milliseconds, is not repeated for every frame of a movement. It is shifted
 * and scaled, and redrawn at most a quarter of the time, and once the movement ends.
 */
export const SLOW = 30;
const REST = 90;

interface MoveOptions {
  readonly stage: HTMLElement;
  /** Maximum magnification of the wide map. */
  readonly deepest: number;
  readonly canvases: ReturnType<typeof mapCanvases>;
  readonly tooltip: MapTooltip;
  decorations(): MapDecorations;
}

export interface MapMoves extends Pick<MapActions, "move" | "magnify" | "showAll"> {
  /** Maximum magnification. */
  most(): number;
  /** Draws the map at its position. */
  draw(): void;
}

export function mapMoves(map: MapView, { stage, deepest, canvases, tooltip, decorations }: MoveOptions): MapMoves {
  let [isAsked, rest] = [false, 0];
  const most = () => deepest / map.form.times;
  const draw = () => {
    isAsked = false;
    clearTimeout(rest);
    const cost = canvases.cost();
    if (cost < SLOW || performance.now() - canvases.drawnAt() > 3 * cost) canvases.drawAll();
    else {
      canvases.put();
      rest = setTimeout(canvases.drawAll, REST);
    }
    decorations().follow(map.zoom, map.left, map.top);
    canvases.mark();
    tooltip.place();
    find<HTMLButtonElement>("in").disabled = map.zoom >= most();
    for (const id of ["out", "home"]) find<HTMLButtonElement>(id).disabled = map.zoom <= 1;
    stage.style.touchAction = map.zoom > 1 || map.tool === "lasso" ? "none" : "pan-y";
  };
  const move = () => {
    const { width, height, zoom } = map;
    map.left = clamp(width - width * zoom, 0, map.left);
    map.top = clamp(height - height * zoom, 0, map.top);
    if (!isAsked) requestAnimationFrame(draw);
    isAsked = true;
    map.onChange();
  };
  const magnify: MapActions["magnify"] = (factor, x = map.width / 2, y = map.height / 2) => {
    const next = clamp(1, most(), map.zoom * factor);
    map.left = x - ((x - map.left) * next) / map.zoom;
    map.top = y - ((y - map.top) * next) / map.zoom;
    map.zoom = next;
    move();
  };
  const showAll = () => {
    [map.zoom, map.left, map.top] = [1, 0, 0];
    move();
  };
  return { most, draw, move, magnify, showAll };
}

// Finds the features of a map under the pointer, in a box or lasso, and by name or id.

const REACH = 6;
/** Maximum width of a feature that tooltips do not cover, in CSS pixels. */
const SMALL_WIDTH = 160;
/** A found feature fills this share of a pane, unless it is small compared with its neighbors. */
const SHARE = 0.3;
/** A feature that fills less of a pane is also enlarged by going to the next one. */
const SMALL = 0.012;

interface FeatureOptions {
  readonly shapes: FrameShapes;
  /** Number of features that respond to the pointer. */
  readonly count: number;
  /** Units of the shapes in a pixel of the wide map. */
  readonly grain: number;
  readonly canvases: ReturnType<typeof mapCanvases>;
  readonly tooltip: MapTooltip;
  readonly moves: MapMoves;
  /** Adds a point to the measured line. */
  measureTo(x: number, y: number): void;
}

export function pointedFeatures(
  map: MapView,
  { shapes, count, grain, canvases: { isSeen }, tooltip, moves, measureTo }: FeatureOptions,
) {
  const { panes } = map;
  /** Units of the shapes in a pixel of the whole map. */
  const unit = () => grain / map.form.times;
  const toUnits = (x: number, y: number) =>
    [(x - map.form.shift[0]) * unit(), (y - map.form.shift[1]) * unit()] as const;
  const toPixels = ([x, y]: readonly [x: number, y: number]) =>
    [x / unit() + map.form.shift[0], y / unit() + map.form.shift[1]] as const;
  const look: MapActions["look"] = (given, x, y, isSaid) => {
    const { zoom, left, top, fit, split } = map;
    const pane = split === undefined ? given : (panes[x < split * map.width ? 0 : 1] as ViewedPane);
    const [mapX, mapY] = [(x - left) / zoom, (y - top) / zoom];
    const reach = (REACH / fit / zoom) * unit();
    const row = shapes.find(...toUnits(mapX, mapY), reach, (row) => isSeen(pane, row));
    let [start, end] = [mapX, mapX];
    if (row >= 0) {
      const [fromX, fromY, toX] = shapes.boxes.subarray(4 * row) as unknown as [number, number, number];
      const [[from], [to]] = [toPixels([fromX, fromY]), toPixels([toX, fromY])];
      // Next to a small feature instead of the pointer, so that the tooltip does not cover it.
      if ((to - from) * zoom * fit <= SMALL_WIDTH) [start, end] = [from, to];
    }
    tooltip.show(pane, row, end, mapY, isSaid, start);
  };
  const click: MapActions["click"] = ({ pane, x, y }, isMore) => {
    if (map.tool === "measure") return measureTo((x - map.left) / map.zoom, (y - map.top) / map.zoom);
    look(pane, x, y, true);
    const row = map.at?.row;
    const { selection } = map;
    const isAgain = row !== undefined && map.isPinned && selection.rows.size === 1 && selection.rows.has(row);
    tooltip.pin(row !== undefined && (isMore || !isAgain));
    if (isMore) selection.set(row === undefined ? [] : [row], true);
    else selection.set(row === undefined || isAgain ? [] : [row]);
  };
  const selectBand: MapActions["selectBand"] = (isMore) => {
    if (!map.band) return;
    const { pane, line } = map.band;
    const { zoom, left, top } = map;
    const ring = Array.from({ length: line.length / 2 }, (_, at) =>
      toUnits(((line[2 * at] as number) - left) / zoom, ((line[2 * at + 1] as number) - top) / zoom),
    );
    const found = shapes.within(ring.flat(), (row) => isSeen(pane, row));
    tooltip.unpin();
    map.selection.set(found, isMore);
    find("said").textContent = `${many(map.selection.rows.size)} selected`;
  };
  const paneOf = (row: number) =>
    [map.at?.pane, map.cross?.pane, ...panes].find((pane) => pane !== undefined && isSeen(pane, row));
  const goTo = (row: number, isClose: boolean) => {
    const pane = paneOf(row);
    if (!pane) return;
    const { width, height, zoom } = map;
    const [x, y] = toPixels(shapes.centre(row));
    const [left, top, right, bottom] = shapes.boxes.subarray(4 * row) as unknown as [number, number, number, number];
    /** Its share of the pane while the whole map is visible. */
    const share = Math.max(right - left, 1, bottom - top) / unit() / Math.min(width, height);
    const around = Math.max(4, Math.sqrt(count) / 6);
    const near = Math.max(zoom, Math.min(moves.most(), SHARE / share, around));
    const next = Math.min(isClose || share * zoom < SMALL ? near : zoom, Math.max(1, 0.8 / share));
    const isIn = (place: number, length: number) => place > 0.1 * length && place < 0.9 * length;
    if (next !== zoom || !isIn(x * zoom + map.left, width) || !isIn(y * zoom + map.top, height)) {
      [map.zoom, map.left, map.top] = [next, width / 2 - x * next, height / 2 - y * next];
      moves.move();
    }
    map.cross = undefined;
    tooltip.pin(true);
    map.selection.set([row]);
    // Shown next to the feature.
    const end = Math.min(toPixels([right, y])[0], (width - map.left) / next);
    tooltip.show(pane, row, end, y, true, toPixels([left, y])[0]);
  };
  return { look, click, selectBand, goTo, paneOf, centerOf: (row: number) => toPixels(shapes.centre(row)) };
}
