// Pointers and keys on a map: hovering shows a tooltip, a click selects, a drag moves the map or draws a box or lasso for a
// selection, two fingers and the wheel zoom, and arrow keys move a crosshair.
import { clamp } from "../page/clamp.js";
import { boxOf, find, on } from "../page/elements.js";
import type { MapTools } from "./map-tools.js";
import type { MapActions, MapView, PanePlace } from "./map-view.js";

/** A press that moves further than this, in pixels, is a drag. */
const CLICK = 4;

/** A position on the page. */
interface Spot {
  readonly clientX: number;
  readonly clientY: number;
}

/** The pane under a pointer, and the position in it. */
function panePlace(map: MapView, { clientX, clientY }: Spot): PanePlace | undefined {
  for (const pane of map.panes) {
    const box = boxOf(pane.canvas);
    const [x, y] = [(clientX - box.left) / map.fit, (clientY - box.top) / map.fit];
    if (x >= 0 && y >= 0 && x <= map.width && y <= map.height) return { pane, x, y };
  }
  return undefined;
}

function drag(map: MapView, from: Spot, to: Spot): void {
  map.left += (to.clientX - from.clientX) / map.fit;
  map.top += (to.clientY - from.clientY) / map.fit;
}

/** Two fingers move and zoom the map. */
function pinching(map: MapView, magnify: MapActions["magnify"]) {
  let before: { readonly gap: number; readonly middle: Spot } | undefined;
  return {
    spread: ([a, b]: readonly [Spot, Spot]) => {
      const gap = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      const middle = { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 };
      const spot = panePlace(map, middle);
      if (before && spot) {
        drag(map, before.middle, middle);
        magnify(gap / before.gap, spot.x, spot.y);
      }
      before = { gap, middle };
    },
    end: () => {
      before = undefined;
    },
  };
}

/** Draws a box or lasso. */
function bandDrawing(map: MapView, mark: () => void) {
  /** Start of a box; undefined for a lasso. */
  let corner: readonly [x: number, y: number] | undefined;
  const startBand = ({ pane, x, y }: PanePlace, isBox: boolean) => {
    map.band = { pane, line: [x, y] };
    corner = isBox ? [x, y] : undefined;
  };
  const drawBand = (to: Spot) => {
    const { band } = map;
    if (!band) return;
    const box = boxOf(band.pane.canvas);
    const x = clamp(0, map.width, (to.clientX - box.left) / map.fit);
    const y = clamp(0, map.height, (to.clientY - box.top) / map.fit);
    const line = corner ? [...corner, x, corner[1], x, y, corner[0], y] : [...band.line, x, y];
    map.band = { pane: band.pane, line };
    mark();
  };
  const dropBand = () => {
    map.band = undefined;
    mark();
  };
  return { startBand, drawBand, dropBand };
}

/**
 * The wheel scrolls the page, unless the user has clicked on the map or holds Ctrl.
 *
 * @param isEntered returns whether the user has clicked on the map
 */
function listenToWheel(
  stage: HTMLElement,
  isEntered: () => boolean,
  magnify: (place: PanePlace, factor: number) => void,
  placeOf: (spot: Spot) => PanePlace | undefined,
): void {
  const hint = find("hint");
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
    if (!isEntered() && !event.ctrlKey && !event.metaKey) return showHint(boxOf(spot.pane.canvas));
    event.preventDefault();
    hint.hidden = true;
    magnify(spot, 2 ** (-event.deltaY * (event.deltaMode ? 0.05 : 0.002)));
  };
  on(stage, "wheel", onWheel, { passive: false });
}

export function listenToPointers(root: HTMLElement, stage: HTMLElement, map: MapView, actions: MapActions): void {
  const { look, hide, move, magnify, click, selectBand, mark, offer } = actions;
  const placeOf = (spot: Spot) => panePlace(map, spot);
  const hideUnpinned = () => {
    if (!map.isPinned) hide();
  };
  const fingers = new Map<number, Spot>();
  let [isEntered, travel] = [false, 0];
  const pinch = pinching(map, magnify);
  const { startBand, drawBand, dropBand } = bandDrawing(map, mark);
  on(stage, "pointerdown", (event) => {
    const spot = placeOf(event);
    if (!spot || event.button > 0) return;
    [isEntered, travel, map.cross] = [true, 0, undefined];
    root.focus({ preventScroll: true });
    fingers.set(event.pointerId, event);
    if (fingers.size > 1) dropBand();
    else if (event.shiftKey || map.tool === "lasso") startBand(spot, event.shiftKey);
    // Also receives the release outside the stage.
    stage.setPointerCapture(event.pointerId);
  });
  on(stage, "pointermove", (event) => {
    const held = fingers.get(event.pointerId);
    if (held) {
      fingers.set(event.pointerId, event);
      travel += Math.hypot(event.clientX - held.clientX, event.clientY - held.clientY);
      if (fingers.size === 2) return pinch.spread([...fingers.values()] as [Spot, Spot]);
      // Small movements during a click are not a drag.
      if (travel <= CLICK) return;
      if (map.band) return drawBand(event);
      drag(map, held, event);
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
    pinch.end();
    const isMore = event.ctrlKey || event.metaKey;
    const isDrawn = map.band && travel > CLICK && event.type === "pointerup";
    if (isDrawn) selectBand(isMore);
    if (map.band) dropBand();
    if (isDrawn || !wasHeld || travel > CLICK || event.type === "pointercancel") return;
    const spot = placeOf(event);
    if (spot) click(spot, isMore || event.shiftKey);
  };
  on(stage, "pointerup", release);
  on(stage, "pointercancel", release);
  on(stage, "lostpointercapture", ({ pointerId }) => fingers.delete(pointerId));
  on(root, "pointerleave", () => {
    map.pointer = undefined;
    hideUnpinned();
  });
  on(stage, "contextmenu", (event) => {
    const spot = placeOf(event);
    if (!spot) return;
    event.preventDefault();
    fingers.clear();
    if (map.band) dropBand();
    offer(spot);
  });

  listenToWheel(
    stage,
    () => isEntered,
    (spot, factor) => {
      hideUnpinned();
      magnify(factor, spot.x, spot.y);
    },
    placeOf,
  );
  on(window, "blur", () => {
    isEntered = false;
  });
  on(root, "focusout", ({ relatedTarget }) => {
    if (root.contains(relatedTarget as Node | null)) return;
    isEntered = false;
    map.cross = undefined;
    hideUnpinned();
  });
}

// Keys and buttons of a map. Arrows move a crosshair; the feature under it is shown and read aloud.

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Distance in pixels from a pane's edge within which the map moves instead of the crosshair. */
const EDGE = 16;
/** Pixels of a step, without and with Shift. */
const [STEP, LEAP] = [12, 60];

export function listenToKeys(root: HTMLElement, map: MapView, actions: MapActions, tools: MapTools): void {
  const { look, unpin, move, magnify, showAll, click } = actions;
  find("in").onclick = () => magnify(2);
  find("out").onclick = () => magnify(0.5);
  find("home").onclick = showAll;
  const walk = ([dx, dy]: readonly [number, number], step: number) => {
    const { width, height } = map;
    const [pane] = map.panes;
    if (!pane) return;
    map.cross ??= { pane, x: width / 2, y: height / 2 };
    const { cross } = map;
    const over = (place: number, most: number) => Math.max(0, place - most + EDGE) - Math.max(0, EDGE - place);
    [cross.x, cross.y] = [cross.x + dx * step, cross.y + dy * step];
    const [overX, overY] = [over(cross.x, width), over(cross.y, height)];
    [cross.x, cross.y, map.left, map.top] = [cross.x - overX, cross.y - overY, map.left - overX, map.top - overY];
    move();
    unpin();
    look(cross.pane, cross.x, cross.y, true);
  };
  /** Ends the last action: the tool with its drawing, else the selection and the tooltip. */
  const cancel = () => {
    if (map.tool !== "move" || map.measured.length > 0) {
      if (map.tool !== "move") tools.take(map.tool);
      return tools.forget();
    }
    map.cross = undefined;
    unpin();
    map.selection.set([]);
  };
  const enter = (isMore: boolean) => {
    const link = find("tip").querySelector("a");
    if (map.cross && !(map.isPinned && link)) click(map.cross, isMore);
    else link?.focus();
  };
  const keys: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    enter: ({ ctrlKey, metaKey }) => enter(ctrlKey || metaKey),
    backspace: () => tools.forget(true),
    n: () => tools.step(1),
    p: () => tools.step(-1),
    c: tools.copyPlace,
    l: () => tools.take("lasso"),
    m: () => tools.take("measure"),
    "/": () => find("find").focus(),
  };
  on(root, "keydown", (event) => {
    const { key } = event;
    if (event.altKey || ((event.ctrlKey || event.metaKey) && key !== "Enter")) return;
    const arrow = ARROWS[key];
    const act = keys[key.toLowerCase()];
    if (key === "+" || key === "=") magnify(2, map.cross?.x, map.cross?.y);
    else if (key === "-") magnify(0.5, map.cross?.x, map.cross?.y);
    else if (key === "0") showAll();
    // Entries of the legend handle their own keys.
    else if (event.target !== root) return;
    else if (arrow) walk(arrow, event.shiftKey ? LEAP : STEP);
    else if (act) act(event);
    else return;
    event.preventDefault();
  });
  // For any focus: on a button below the map, or on the link of a card.
  on(document, "keydown", ({ key, target }) => {
    if (key !== "Escape") return;
    if (find("tip").contains(target as Node)) return root.focus();
    cancel();
  });
}
