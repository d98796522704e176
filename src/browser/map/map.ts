// A map with zoom and tooltips. It reads numbers and strings from its own document; data never becomes code.
import type { MapFrameFacts, MapPane } from "../../tables/display/live/map-payload.js";
import { lonLatOf } from "../../tables/display/live/map-plane.js";
import { unpackNumbers } from "../../tables/display/live/pack-numbers.js";
import { isWebAddress } from "../../tables/display/live/web-address.js";
import { chooseDrawing } from "../page/choose-drawing.js";
import { find, make, many } from "../page/elements.js";
import { readFacts } from "../page/read-payload.js";
import { placeTooltip, tooltipLine } from "../page/tooltip.js";
import { type FeatureId, frameSelection } from "../selection/selection.js";
import { mapCanvases, paneCanvases } from "./map-canvases.js";
import { type MapDecorations, mapDecorations } from "./map-decorations.js";
import { listenToPointers } from "./map-pointers.js";
import { frameShapes } from "./map-shapes.js";
import { startSwipe } from "./map-swipe.js";
import { type MapTools, mapTools } from "./map-tools.js";
import { mapValues } from "./map-values.js";
import type { MapActions, MapView, ViewedPane } from "./map-view.js";

const REACH = 6;
/**
 * A drawing that takes longer than this, in milliseconds, is not repeated for every frame of a movement. It is shifted
 * and scaled, and redrawn at most a quarter of the time, and once the movement ends.
 */
const SLOW = 30;
const REST = 90;
/** A found feature fills this share of a pane, unless it is small compared with its neighbors. */
const SHARE = 0.3;
/** A feature that fills less of a pane is also enlarged by going to the next one. */
const SMALL = 0.012;

async function start(): Promise<void> {
  const [root, stage, tip, said] = [find("figure"), find("stage"), find("tip"), find("said")];
  const facts = await readFacts<MapFrameFacts>();
  find("facts").remove();
  const { names, colours, columns, dates, plays, forms, plane, links } = facts;
  const { grain, deepest } = facts.shapes;
  const rows = names.map((_, row) => row);
  const [wide] = forms;
  const { width, height } = wide.panes[0] as MapPane;
  const ids = idsOf(facts);
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
    tool: "move",
    selection: frameSelection(ids, () => {
      drawAll();
      mark();
      tools.refresh();
    }),
    pointer: undefined,
    band: undefined,
    measured: [],
  };
  const firstPane = panes[0] as ViewedPane;
  const inks = () => {
    const { color, backgroundColor } = getComputedStyle(tip);
    return [color, backgroundColor] as const;
  };
  const canvases = mapCanvases(map, { shapes, rows, grain, colours, inks, basemap: facts.basemap });
  const { drawAll, mark, isSeen } = canvases;
  const placeDivider = facts.swipe ? startSwipe(map, dates) : undefined;
  let decorations: MapDecorations;

  const hide = () => {
    map.at = undefined;
    tip.hidden = true;
    mark();
  };
  const unpin = () => {
    pin(false);
    hide();
  };
  /** Moves the tooltip to the current position of its target. */
  const place = () => {
    const { at, zoom, left, top, width, height, fit } = map;
    if (!at) return;
    const [x, y] = [at.x * zoom + left, at.y * zoom + top];
    tip.style.visibility = x < 0 || y < 0 || x > width || y > height ? "hidden" : "";
    const box = at.pane.canvas.getBoundingClientRect();
    placeTooltip(tip, box.left + x * fit, box.top + y * fit, box.left + (at.left * zoom + left) * fit);
  };
  const linkOf = (row: number) => {
    const href = links?.[row];
    // The data may come from any author.
    if (href === undefined || !isWebAddress(href)) return [];
    const attributes = { href, target: "_blank", rel: "noopener noreferrer", "aria-label": `Open ${names[row]}` };
    return [make("a", attributes, "Open")];
  };
  /** Shows the description of a row of a pane; hides it for a row below 0. */
  const show = (pane: ViewedPane, row: number, x: number, y: number, isSaid = false, from = x) => {
    if (row < 0) return hide();
    map.at = { pane, row, x, y, left: from };
    mark();
    const texts = columns.map(({ label }, column) => ({ label, text: values.textOf(pane.state, column, row) }));
    const title = pane.day ? `${names[row]}, ${pane.day}` : (names[row] as string);
    const colour = colours[(pane.state.labels[row] as number) - 1];
    const lines = texts.map(({ label, text }, column) =>
      tooltipLine(label, text, column === values.drawn ? colour : undefined),
    );
    tip.replaceChildren(make("b", {}, title), make("table", {}, ...lines), ...linkOf(row));
    tip.hidden = false;
    place();
    if (isSaid) said.textContent = [title, ...texts.map(({ label, text }) => `${label} ${text}`)].join(", ");
  };
  const pin = (isPinned: boolean) => {
    map.isPinned = isPinned;
    tip.classList.toggle("pinned", isPinned);
  };
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
    show(
      pane,
      shapes.find(...toUnits(mapX, mapY), reach, (row) => isSeen(pane, row)),
      mapX,
      mapY,
      isSaid,
    );
  };
  const click: MapActions["click"] = ({ pane, x, y }, isMore) => {
    if (map.tool === "measure") return tools.measureTo((x - map.left) / map.zoom, (y - map.top) / map.zoom);
    look(pane, x, y, true);
    const row = map.at?.row;
    const { selection } = map;
    const isAgain = row !== undefined && map.isPinned && selection.rows.size === 1 && selection.rows.has(row);
    pin(row !== undefined && (isMore || !isAgain));
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
    unpin();
    map.selection.set(found, isMore);
    said.textContent = `${many(map.selection.rows.size)} selected`;
  };
  const paneOf = (row: number) =>
    [map.at?.pane, map.cross?.pane, ...panes].find((pane) => pane !== undefined && isSeen(pane, row));
  const goTo = (row: number, isClose: boolean) => {
    const pane = paneOf(row);
    if (!pane) return;
    const { width, height, zoom } = map;
    const [x, y] = toPixels(shapes.centre(row));
    const [left, top, right, bottom] = shapes.boxes.subarray(4 * row) as unknown as readonly [
      number,
      number,
      number,
      number,
    ];
    /** Its share of the pane while the whole map is visible. */
    const share = Math.max(right - left, 1, bottom - top) / unit() / Math.min(width, height);
    const around = Math.max(4, Math.sqrt(rows.length) / 6);
    const near = Math.max(zoom, Math.min(most(), SHARE / share, around));
    const next = Math.min(isClose || share * zoom < SMALL ? near : zoom, Math.max(1, 0.8 / share));
    const isIn = (place: number, length: number) => place > 0.1 * length && place < 0.9 * length;
    if (next !== zoom || !isIn(x * zoom + map.left, width) || !isIn(y * zoom + map.top, height)) {
      [map.zoom, map.left, map.top] = [next, width / 2 - x * next, height / 2 - y * next];
      move();
    }
    map.cross = undefined;
    pin(true);
    map.selection.set([row]);
    // Shown next to the feature.
    show(pane, row, Math.min(toPixels([right, y])[0], (width - map.left) / next), y, true, toPixels([left, y])[0]);
  };

  let [isAsked, rest] = [false, 0];
  const most = () => deepest / map.form.times;
  const onFrame = () => {
    isAsked = false;
    clearTimeout(rest);
    const cost = canvases.cost();
    if (cost < SLOW || performance.now() - canvases.drawnAt() > 3 * cost) drawAll();
    else {
      canvases.put();
      rest = setTimeout(drawAll, REST);
    }
    decorations.follow(map.zoom, map.left, map.top);
    mark();
    place();
    find<HTMLButtonElement>("in").disabled = map.zoom >= most();
    for (const id of ["out", "home"]) find<HTMLButtonElement>(id).disabled = map.zoom <= 1;
    stage.style.touchAction = map.zoom > 1 || map.tool === "lasso" ? "none" : "pan-y";
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

  /** Fits the canvases to the panes of the figure at any width. */
  const resize = () => {
    const matrix = decorations.chart.getScreenCTM() as DOMMatrix;
    const box = stage.getBoundingClientRect();
    const [x, y] = [matrix.e - box.left, matrix.f - box.top];
    map.fit = matrix.a;
    map.sharp = map.fit * Math.min(3, Math.max(1, devicePixelRatio || 1));
    canvases.resize(x, y);
    placeDivider?.(map.form.panes[0] as MapPane, x, y);
    drawAll();
    onFrame();
  };
  const count = () => {
    const counts = new Array<number>(colours.length + 1).fill(0);
    for (const label of firstPane.state.labels) counts[label] = (counts[label] as number) + 1;
    decorations.count(counts);
  };
  /** Switches to the figure's other drawing, in which the panes have other positions. */
  const take = (svg: SVGSVGElement, drawing: number) => {
    map.form = forms[drawing] ?? wide;
    const { width, height } = map.form.panes[0] as MapPane;
    Object.assign(map, { width, height, zoom: 1, left: 0, top: 0, cross: undefined, band: undefined, measured: [] });
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

  const tools = mapTools(map, facts, ids, {
    stage,
    lonLatOf: (x, y) => {
      const { times, shift } = map.form;
      if (!plane) return undefined;
      const place = lonLatOf(plane, (x - shift[0]) / times, (y - shift[1]) / times);
      return Number.isNaN(place[0]) ? undefined : place;
    },
    centreOf: (row) => toPixels(shapes.centre(row)),
    isSeen: (row) => paneOf(row) !== undefined,
    goTo,
    mark,
  });
  const actions: MapActions = {
    look,
    hide,
    unpin,
    move,
    magnify,
    showAll,
    click,
    selectBand,
    mark,
    offer: tools.offer,
  };
  listenToPointers(root, stage, map, actions);
  listenToKeys(root, map, actions, tools);
  const below = ["controls", "tools", "status"].flatMap((id) => document.getElementById(id) ?? []);
  const roomBelow = () => below.reduce((sum, { offsetHeight }) => sum + offsetHeight, 0);
  await chooseDrawing(stage.querySelector("svg") as SVGSVGElement, roomBelow, take);
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
      // Features that enter or leave the canvas require a full drawing.
      const isWhole = isBack || isLess || map.chosen.size > 0 || canvases.cost() < SLOW;
      if (isWhole || !canvases.drawOver(firstPane, [...new Set(changed)])) drawAll();
      const { at } = map;
      if (at && isSeen(firstPane, at.row)) show(firstPane, at.row, at.x, at.y, false, at.left);
      else if (at) unpin();
    });
  }
  document.documentElement.className = "live";
}

/** Ids of features: numbers, strings, or their names. */
function idsOf({ ids, names }: MapFrameFacts): readonly FeatureId[] {
  if (typeof ids !== "string") return ids ?? names;
  let id = 0;
  return Array.from(unpackNumbers(ids), (step) => {
    id += step;
    return id;
  });
}

void start();

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

function listenToKeys(root: HTMLElement, map: MapView, actions: MapActions, tools: MapTools): void {
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
  root.addEventListener("keydown", (event) => {
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
  document.addEventListener("keydown", ({ key, target }) => {
    if (key !== "Escape") return;
    if (find("tip").contains(target as Node)) return root.focus();
    cancel();
  });
}

/**
 * The slider and the button of a map that plays dates.
 *
 * @param show shows the date of an index, and is called once at the start with the last
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
