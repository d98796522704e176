// How a map moves: the corner and the magnification of the view.
import { clamp } from "../page/clamp.js";
import { find } from "../page/elements.js";
import type { mapCanvases } from "./map-canvases.js";
import type { MapDecorations } from "./map-decorations.js";
import type { MapTooltip } from "./map-tooltip.js";
import type { MapActions, MapView } from "./map-view.js";

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
