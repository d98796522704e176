// Pointers on a map: hovering shows a tooltip, a click selects, a drag moves the map or draws a box or lasso for a
// selection, two fingers and the wheel zoom.
import { find } from "../page/elements.js";
import type { MapActions, MapView, PanePlace } from "./map-view.js";

/** A press that moves further than this, in pixels, is a drag. */
const CLICK = 4;

/** A position on the page. */
interface Spot {
  readonly clientX: number;
  readonly clientY: number;
}

export function listenToPointers(root: HTMLElement, stage: HTMLElement, map: MapView, actions: MapActions): void {
  const { look, hide, move, magnify, click, selectBand, mark, offer } = actions;
  const hint = find("hint");
  /** The pane under a pointer, and the position in it. */
  const placeOf = ({ clientX, clientY }: Spot): PanePlace | undefined => {
    for (const pane of map.panes) {
      const box = pane.canvas.getBoundingClientRect();
      const [x, y] = [(clientX - box.left) / map.fit, (clientY - box.top) / map.fit];
      if (x >= 0 && y >= 0 && x <= map.width && y <= map.height) return { pane, x, y };
    }
    return undefined;
  };
  const hideUnpinned = () => {
    if (!map.isPinned) hide();
  };
  const fingers = new Map<number, Spot>();
  let [isEntered, travel] = [false, 0];
  let pinch: { readonly gap: number; readonly middle: Spot } | undefined;
  /** Start of a box that is being drawn with Shift; undefined for a lasso. */
  let corner: readonly [x: number, y: number] | undefined;
  const drawBand = (to: Spot) => {
    const { band } = map;
    if (!band) return;
    const box = band.pane.canvas.getBoundingClientRect();
    const x = Math.max(0, Math.min(map.width, (to.clientX - box.left) / map.fit));
    const y = Math.max(0, Math.min(map.height, (to.clientY - box.top) / map.fit));
    const line = corner ? [...corner, x, corner[1], x, y, corner[0], y] : [...band.line, x, y];
    map.band = { pane: band.pane, line };
    mark();
  };
  const dropBand = () => {
    map.band = undefined;
    mark();
  };
  const drag = (from: Spot, to: Spot) => {
    map.left += (to.clientX - from.clientX) / map.fit;
    map.top += (to.clientY - from.clientY) / map.fit;
  };
  const spread = () => {
    const [a, b] = [...fingers.values()] as [Spot, Spot];
    const gap = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    const middle = { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 };
    const spot = placeOf(middle);
    if (pinch && spot) {
      drag(pinch.middle, middle);
      magnify(gap / pinch.gap, spot.x, spot.y);
    }
    pinch = { gap, middle };
  };
  stage.addEventListener("pointerdown", (event) => {
    const spot = placeOf(event);
    if (!spot || event.button > 0) return;
    [isEntered, travel, map.cross] = [true, 0, undefined];
    root.focus({ preventScroll: true });
    fingers.set(event.pointerId, event);
    if (fingers.size > 1) dropBand();
    else if (event.shiftKey || map.tool === "lasso") {
      map.band = { pane: spot.pane, line: [spot.x, spot.y] };
      corner = event.shiftKey ? [spot.x, spot.y] : undefined;
    }
    // Also receives the release outside the stage.
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    const held = fingers.get(event.pointerId);
    if (held) {
      fingers.set(event.pointerId, event);
      travel += Math.hypot(event.clientX - held.clientX, event.clientY - held.clientY);
      if (fingers.size === 2) return spread();
      // Small movements during a click are not a drag.
      if (travel <= CLICK) return;
      if (map.band) return drawBand(event);
      drag(held, event);
      return move();
    }
    const spot = placeOf(event);
    map.pointer = spot;
    if (map.isPinned) return;
    if (spot) look(spot.pane, spot.x, spot.y);
    else hide();
  });
  const release = (event: PointerEvent) => {
    const wasHeld = fingers.delete(event.pointerId);
    pinch = undefined;
    const isMore = event.ctrlKey || event.metaKey;
    const isDrawn = map.band && travel > CLICK && event.type === "pointerup";
    if (isDrawn) selectBand(isMore);
    if (map.band) dropBand();
    if (isDrawn || !wasHeld || travel > CLICK || event.type === "pointercancel") return;
    const spot = placeOf(event);
    if (spot) click(spot, isMore || event.shiftKey);
  };
  stage.addEventListener("pointerup", release);
  stage.addEventListener("pointercancel", release);
  stage.addEventListener("lostpointercapture", ({ pointerId }) => fingers.delete(pointerId));
  root.addEventListener("pointerleave", () => {
    map.pointer = undefined;
    hideUnpinned();
  });
  stage.addEventListener("contextmenu", (event) => {
    const spot = placeOf(event);
    if (!spot) return;
    event.preventDefault();
    fingers.clear();
    if (map.band) dropBand();
    offer(spot);
  });

  // The wheel scrolls the page, unless the user has clicked on the map or holds Ctrl.
  let hinting = 0;
  const showHint = ({ left, top, width, height }: DOMRect) => {
    for (const [name, pixels] of Object.entries({ left, top, width, height }))
      hint.style.setProperty(name, `${pixels}px`);
    hint.textContent = "Click the map, or hold Ctrl, to zoom";
    hint.hidden = false;
    clearTimeout(hinting);
    hinting = setTimeout(() => {
      hint.hidden = true;
    }, 1200);
  };
  const onWheel = (event: WheelEvent) => {
    const spot = placeOf(event);
    if (!spot) return;
    if (!isEntered && !event.ctrlKey && !event.metaKey) return showHint(spot.pane.canvas.getBoundingClientRect());
    event.preventDefault();
    hint.hidden = true;
    hideUnpinned();
    magnify(2 ** (-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), spot.x, spot.y);
  };
  stage.addEventListener("wheel", onWheel, { passive: false });
  addEventListener("blur", () => {
    isEntered = false;
  });
  root.addEventListener("focusout", ({ relatedTarget }) => {
    if (root.contains(relatedTarget as Node | null)) return;
    isEntered = false;
    map.cross = undefined;
    hideUnpinned();
  });
}
