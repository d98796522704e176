// A map that can be zoomed and pointed at. It reads numbers and texts from its own document; data never becomes code.
import type { MapFrameFacts, MapPane } from "../live/map-facts.js";
import { chooseDrawing } from "./choose-drawing.js";
import { find, make } from "./elements.js";
import { mapCanvases, paneCanvases } from "./map-canvases.js";
import { type MapDecorations, mapDecorations } from "./map-decorations.js";
import { frameShapes } from "./map-shapes.js";
import { mapValues } from "./map-values.js";
import type { MapActions, MapView, ViewedPane } from "./map-view.js";
import { readFacts } from "./read-facts.js";
import { placeTooltip, tooltipLine } from "./tooltip.js";

const REACH = 6;
/** A picture that takes longer than this is shifted and stretched while it moves, and drawn anew when it rests. */
const SLOW = 10;
const REST = 90;

async function start(): Promise<void> {
  const [root, stage, tip, said, tools] = [find("figure"), find("stage"), find("tip"), find("said"), find("tools")];
  const facts = await readFacts<MapFrameFacts>();
  find("facts").remove();
  const { names, colours, columns, dates, plays, forms } = facts;
  const { grain, deepest } = facts.shapes;
  const rows = names.map((_, row) => row);
  const [wide] = forms;
  const { width, height } = wide.panes[0] as MapPane;
  const shapes = frameShapes(facts.shapes, rows.length, width * grain, height * grain);
  const values = mapValues(columns, rows.length);
  const panes = wide.panes.map((_, index): ViewedPane => {
    const state = values.before();
    if (!plays) values.goOn(state, columns.length > 0 ? index : -1);
    return { state, day: (!plays && dates[index]) || "", ...paneCanvases(stage) };
  });
  const map: MapView = {
    zoom: 1,
    left: 0,
    top: 0,
    fit: 1,
    sharp: 1,
    form: wide,
    width,
    height,
    at: undefined,
    isPinned: false,
    cross: undefined,
    chosen: new Set(),
    panes,
  };
  const firstPane = panes[0] as ViewedPane;
  const inks = () => {
    const { color, backgroundColor } = getComputedStyle(tip);
    return [color, backgroundColor] as const;
  };
  const canvases = mapCanvases(map, { shapes, rows, grain, colours, inks });
  const { drawAll, mark, isSeen } = canvases;
  let decorations: MapDecorations;

  const hide = () => {
    map.at = undefined;
    tip.hidden = true;
    mark();
  };
  const unpin = () => {
    map.isPinned = false;
    hide();
  };
  /** Puts the tooltip where its place on the map is now. */
  const place = () => {
    const { at, zoom, left, top, width, height, fit } = map;
    if (!at) return;
    const [x, y] = [at.x * zoom + left, at.y * zoom + top];
    tip.style.visibility = x < 0 || y < 0 || x > width || y > height ? "hidden" : "";
    const box = at.pane.canvas.getBoundingClientRect();
    placeTooltip(tip, box.left + x * fit, box.top + y * fit);
  };
  /** Shows what is known of a row of a pane; nothing if the row is below 0. */
  const show = (pane: ViewedPane, row: number, x: number, y: number, isSaid = false) => {
    if (row < 0) return hide();
    map.at = { pane, row, x, y };
    mark();
    const texts = columns.map(({ label }, column) => ({ label, text: values.textOf(pane.state, column, row) }));
    const title = pane.day ? `${names[row]}, ${pane.day}` : (names[row] as string);
    const colour = colours[(pane.state.labels[row] as number) - 1];
    const lines = texts.map(({ label, text }, column) =>
      tooltipLine(label, text, column === values.drawn ? colour : undefined),
    );
    tip.replaceChildren(make("b", {}, title), make("table", {}, ...lines));
    tip.hidden = false;
    place();
    if (isSaid) said.textContent = [title, ...texts.map(({ label, text }) => `${label} ${text}`)].join(", ");
  };
  const look: MapActions["look"] = (pane, x, y, isSaid) => {
    const { zoom, left, top, fit, form } = map;
    const [mapX, mapY] = [(x - left) / zoom, (y - top) / zoom];
    const units = grain / form.times;
    const [unitX, unitY] = [(mapX - form.shift[0]) * units, (mapY - form.shift[1]) * units];
    const row = shapes.find(unitX, unitY, (REACH / fit / zoom) * units, (each) => isSeen(pane, each));
    show(pane, row, mapX, mapY, isSaid);
  };

  let [isAsked, rest] = [false, 0];
  const most = () => deepest / map.form.times;
  const onFrame = () => {
    isAsked = false;
    clearTimeout(rest);
    if (canvases.cost() < SLOW) drawAll();
    else {
      canvases.put();
      rest = setTimeout(drawAll, REST);
    }
    decorations.follow(map.zoom, map.left, map.top);
    mark();
    place();
    find<HTMLButtonElement>("in").disabled = map.zoom >= most();
    for (const id of ["out", "home"]) find<HTMLButtonElement>(id).disabled = map.zoom <= 1;
    stage.style.touchAction = map.zoom > 1 ? "none" : "pan-y";
  };
  const move = () => {
    const { width, height, zoom } = map;
    map.left = Math.max(width - width * zoom, Math.min(0, map.left));
    map.top = Math.max(height - height * zoom, Math.min(0, map.top));
    if (!isAsked) requestAnimationFrame(onFrame);
    isAsked = true;
  };
  const magnify: MapActions["magnify"] = (factor, x = map.width / 2, y = map.height / 2) => {
    const next = Math.max(1, Math.min(most(), map.zoom * factor));
    map.left = x - ((x - map.left) * next) / map.zoom;
    map.top = y - ((y - map.top) * next) / map.zoom;
    map.zoom = next;
    move();
  };
  const showAll = () => {
    [map.zoom, map.left, map.top] = [1, 0, 0];
    move();
  };

  /** Fits the canvases to the panes of the figure, whatever its width. */
  const resize = () => {
    const matrix = decorations.chart.getScreenCTM() as DOMMatrix;
    const box = stage.getBoundingClientRect();
    const [x, y] = [matrix.e - box.left, matrix.f - box.top];
    map.fit = matrix.a;
    map.sharp = map.fit * Math.min(3, Math.max(1, devicePixelRatio || 1));
    canvases.resize(x, y);
    const first = map.form.panes[0] as MapPane;
    const isHigh = map.height * map.fit > 120;
    tools.style.left = `${(first.x + map.width) * map.fit + x - (isHigh ? 32 : 30)}px`;
    tools.style.top = `${(first.y + map.height) * map.fit + y - (isHigh ? 84 : 80)}px`;
    drawAll();
    onFrame();
  };
  const count = () => {
    const counts = new Array<number>(colours.length + 1).fill(0);
    for (const label of firstPane.state.labels) counts[label] = (counts[label] as number) + 1;
    decorations.count(counts);
  };
  /** Takes the figure's other drawing, in which the panes lie elsewhere. */
  const take = (svg: SVGSVGElement, drawing: number) => {
    map.form = forms[drawing] ?? wide;
    const { width, height } = map.form.panes[0] as MapPane;
    Object.assign(map, { width, height, zoom: 1, left: 0, top: 0, cross: undefined });
    stage.querySelector("svg")?.replaceWith(svg);
    decorations = mapDecorations(stage, facts, map.form, () => {
      unpin();
      drawAll();
    });
    map.chosen = decorations.chosen;
    unpin();
    resize();
    if (plays && firstPane.state.date >= 0) count();
  };

  const actions: MapActions = { look, hide, unpin, move, magnify, showAll };
  listenToPointers(root, stage, map, actions);
  listenToKeys(root, map, actions);
  const controls: HTMLElement | null = document.getElementById("controls");
  await chooseDrawing(stage.querySelector("svg") as SVGSVGElement, controls?.offsetHeight ?? 0, take);
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"]) {
    matchMedia(query).addEventListener("change", () => {
      drawAll();
      mark();
    });
  }
  root.tabIndex = 0;
  new ResizeObserver(resize).observe(stage);
  if (plays) {
    startPlayer(dates, (date) => {
      if (date < firstPane.state.date) firstPane.state = values.before();
      const isBack = firstPane.state.date < 0;
      const { changed, isLess } = values.goOn(firstPane.state, date);
      count();
      // What has no place on the canvas yet, or none any more, asks for all.
      if (isBack || isLess || map.chosen.size > 0 || !canvases.drawOver(firstPane, changed)) drawAll();
      const { at } = map;
      if (at && isSeen(firstPane, at.row)) show(firstPane, at.row, at.x, at.y);
      else if (at) unpin();
    });
  }
  document.documentElement.className = "live";
}

void start();

// Keys and buttons of a map. Arrows move a cross, and what is under it is shown and said.

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Pixels from a pane's edge at which the map moves and not the cross. */
const EDGE = 16;
/** Pixels of a step, and of one with Shift. */
const [STEP, LEAP] = [12, 60];

function listenToKeys(root: HTMLElement, map: MapView, actions: MapActions): void {
  const { look, unpin, move, magnify, showAll } = actions;
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
    map.isPinned = false;
    look(cross.pane, cross.x, cross.y, true);
  };
  root.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[key];
    if (key === "+" || key === "=") magnify(2, map.cross?.x, map.cross?.y);
    else if (key === "-") magnify(0.5, map.cross?.x, map.cross?.y);
    else if (key === "0") showAll();
    else if (key === "Escape") {
      map.cross = undefined;
      unpin();
    } else if (arrow && event.target === root) walk(arrow, event.shiftKey ? LEAP : STEP);
    else return;
    event.preventDefault();
  });
}

/**
 * The slider and the button of a map that plays.
 *
 * @param show shows the date of a place, and is called once to begin with, for the last
 */
function startPlayer(dates: readonly string[], show: (date: number) => void): void {
  const [slider, button, label] = [find<HTMLInputElement>("slider"), find("play"), find("date")];
  let [shown, timer] = [-1, 0];
  const go = (date: number) => {
    const text = dates[date] as string;
    shown = date;
    label.textContent = text;
    slider.value = String(date);
    slider.setAttribute("aria-valuetext", text);
    show(date);
  };
  const stop = () => {
    clearTimeout(timer);
    timer = 0;
    button.textContent = "Play";
  };
  const pause = Math.max(40, Math.min(600, 12_000 / dates.length));
  const tick = () => {
    if (shown >= dates.length - 1) return stop();
    go(shown + 1);
    timer = setTimeout(tick, pause);
  };
  button.onclick = () => {
    if (timer) return stop();
    if (shown >= dates.length - 1) go(0);
    button.textContent = "Pause";
    timer = setTimeout(tick, 200);
  };
  slider.oninput = () => {
    stop();
    go(Number(slider.value));
  };
  go(dates.length - 1);
}

// Pointers on a map: what they are over has a tooltip, a drag moves the map, two fingers and the wheel magnify it.

/** A press that travels further than this, in pixels, is a drag. */
const CLICK = 4;

/** A place of the page. */
interface Spot {
  readonly clientX: number;
  readonly clientY: number;
}

function listenToPointers(root: HTMLElement, stage: HTMLElement, map: MapView, actions: MapActions): void {
  const { look, hide, move, magnify } = actions;
  const hint = find("hint");
  /** The pane that a pointer is over, and where in it. */
  const placeOf = ({ clientX, clientY }: Spot) => {
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
    // Its end is heard also where it is let go outside.
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    const held = fingers.get(event.pointerId);
    if (held) {
      fingers.set(event.pointerId, event);
      travel += Math.hypot(event.clientX - held.clientX, event.clientY - held.clientY);
      if (fingers.size === 2) return spread();
      // The hand that clicks trembles.
      if (travel <= CLICK) return;
      drag(held, event);
      return move();
    }
    if (map.isPinned) return;
    const spot = placeOf(event);
    if (spot) look(spot.pane, spot.x, spot.y);
    else hide();
  });
  const release = (event: PointerEvent) => {
    const wasHeld = fingers.delete(event.pointerId);
    pinch = undefined;
    if (!wasHeld || travel > CLICK || event.type === "pointercancel") return;
    const spot = placeOf(event);
    if (!spot) return;
    look(spot.pane, spot.x, spot.y, true);
    map.isPinned = !map.isPinned && map.at !== undefined;
  };
  stage.addEventListener("pointerup", release);
  stage.addEventListener("pointercancel", release);
  stage.addEventListener("lostpointercapture", ({ pointerId }) => fingers.delete(pointerId));
  root.addEventListener("pointerleave", hideUnpinned);

  // The wheel scrolls the page, unless someone has clicked on the map or holds Ctrl.
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
