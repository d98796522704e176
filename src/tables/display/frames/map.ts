// A map that can be zoomed and pointed at. It reads numbers and texts from its own document; data never becomes code.
import type { MapFrameFacts, MapPane } from "../live/map-facts.js";
import { chooseDrawing } from "./choose-drawing.js";
import { find, make } from "./elements.js";
import { mapCanvases, paneCanvases } from "./map-canvases.js";
import { type MapDecorations, mapDecorations } from "./map-decorations.js";
import { listenToKeys } from "./map-keys.js";
import { startPlayer } from "./map-player.js";
import { listenToPointers } from "./map-pointer.js";
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
