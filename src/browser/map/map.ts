// A map with zoom and tooltips. It reads numbers and strings from its own document; data never becomes code.
// `map-state.ts` has the state that is saved.
import type { MapPane, MapPayload } from "../../tables/display/live/map-payload.js";
import { lonLatOf } from "../../tables/display/live/map-plane.js";
import { unpackNumbers } from "../../tables/display/live/pack-numbers.js";
import { openSavedState } from "../page/channel.js";
import { chooseDrawing } from "../page/choose-drawing.js";
import { boxOf, find, on, readPayload } from "../page/elements.js";
import { type FeatureId, frameSelection } from "../selection/selection.js";
import { mapMoves, pointedFeatures, SLOW } from "./map-actions.js";
import { mapCanvases, paneCanvases } from "./map-canvases.js";
import { type Swipe, startPlayer, startSwipe } from "./map-dates.js";
import { type MapDecorations, mapDecorations } from "./map-decorations.js";
import { listenToKeys, listenToPointers } from "./map-input.js";
import { frameShapes } from "./map-shapes.js";
import { cornerOf, type MapState, mapState, restoredState } from "./map-state.js";
import { mapTools } from "./map-tools.js";
import { type MapTooltip, mapTooltip } from "./map-tooltip.js";
import { mapValues } from "./map-values.js";
import type { MapActions, MapView, ViewedPane } from "./map-view.js";

type MapCanvases = ReturnType<typeof mapCanvases>;
type MapValues = ReturnType<typeof mapValues>;

/** The whole map, with a pane for each date unless they are played. */
function firstView(
  { dates, plays, columns, forms: [wide] }: MapPayload,
  stage: HTMLElement,
  values: MapValues,
  selection: MapView["selection"],
): MapView {
  const { width, height } = wide.panes[0] as MapPane;
  const panes = wide.panes.map((_, index): ViewedPane => {
    const state = values.before();
    if (!plays) values.goOn(state, columns.length > 0 ? index : -1);
    return { state, shownDay: (!plays && dates[index]) || "", ...paneCanvases(stage) };
  });
  return {
    ...{ zoom: 1, left: 0, top: 0, fit: 1, sharp: 1, form: wide, width, height, panes, selection },
    ...{ at: undefined, isPinned: false, isSelected: false, cross: undefined, chosen: new Set(), tool: "move" },
    ...{ pointer: undefined, band: undefined, measured: [] },
    onChange: () => {},
  };
}

interface PlayedMap {
  readonly values: MapValues;
  readonly canvases: MapCanvases;
  readonly tooltip: MapTooltip;
  /** Counts the features by label. */
  count(): void;
}

/** Shows a date of a map that plays dates. */
function showDate(map: MapView, { values, canvases, tooltip, count }: PlayedMap, date: number): void {
  const pane = map.panes[0] as ViewedPane;
  if (date < pane.state.date) pane.state = values.before();
  const isBack = pane.state.date < 0;
  const { changed, isLess } = values.goOn(pane.state, date);
  count();
  // Features that enter or leave the canvas require a full drawing.
  const isWhole = isBack || isLess || map.chosen.size > 0 || canvases.cost() < SLOW;
  if (isWhole || !canvases.drawOver(pane, [...new Set(changed)])) canvases.drawAll();
  const { at } = map;
  if (at && canvases.isSeen(pane, at.row)) tooltip.show(pane, at.row, at.x, at.y, false, at.left);
  else if (at) tooltip.unpin();
}

interface LayoutOptions {
  readonly payload: MapPayload;
  readonly stage: HTMLElement;
  readonly canvases: MapCanvases;
  readonly tooltip: MapTooltip;
  /** Draws the map at its position. */
  draw(): void;
  /** The divider of two dates. */
  readonly swipe: Swipe | undefined;
}

/** The drawing around the map, which changes with the width of the page. */
function mapLayout(map: MapView, { payload, stage, canvases, tooltip, draw, swipe }: LayoutOptions) {
  const { forms, plays, colours } = payload;
  const layout = {
    decorations: undefined as unknown as MapDecorations,
    /** Fits the canvases to the panes of the figure at any width. */
    resize: () => {
      const matrix = layout.decorations.chart.getScreenCTM() as DOMMatrix;
      const box = boxOf(stage);
      const [x, y] = [matrix.e - box.left, matrix.f - box.top];
      map.fit = matrix.a;
      map.sharp = map.fit * Math.min(3, Math.max(1, devicePixelRatio || 1));
      canvases.resize(x, y);
      swipe?.place(map.form.panes[0] as MapPane, x, y);
      canvases.drawAll();
      draw();
    },
    /** Counts the features by label. */
    count: () => {
      const counts = new Array<number>(colours.length + 1).fill(0);
      for (const label of map.panes[0]?.state.labels ?? []) counts[label] = (counts[label] as number) + 1;
      layout.decorations.count(counts);
    },
    /** Switches to the figure's other drawing, in which the panes have other positions. */
    take: (svg: SVGSVGElement, drawing: number) => {
      map.form = forms[drawing] ?? forms[0];
      const { width, height } = map.form.panes[0] as MapPane;
      Object.assign(map, { width, height, zoom: 1, left: 0, top: 0, cross: undefined, band: undefined, measured: [] });
      stage.querySelector("svg")?.replaceWith(svg);
      layout.decorations = mapDecorations(stage, payload, map.form, () => {
        tooltip.unpin();
        canvases.drawAll();
        map.onChange();
      });
      map.chosen = layout.decorations.chosen;
      tooltip.unpin();
      layout.resize();
      if (plays && (map.panes[0]?.state.date ?? -1) >= 0) layout.count();
    },
  };
  return layout;
}

/** Redraws the map when the colors of the page change. */
function watchColors(draw: () => void): void {
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"])
    on(matchMedia(query), "change", draw);
}

async function start(): Promise<void> {
  const [root, stage, tip] = [find("figure"), find("stage"), find("tip")];
  const payload = await readPayload<MapPayload>();
  find("payload").remove();
  const { names, colours, pale = [], dates, plays, plane, basemap } = payload;
  const { grain, deepest } = payload.shapes;
  const rows = names.map((_, row) => row);
  const ids = idsOf(payload);
  const values = mapValues(payload.columns, rows.length);
  const redraw = () => {
    canvases.drawAll();
    canvases.mark();
  };
  const selection = frameSelection(ids, () => {
    redraw();
    tools.refresh();
    map.onChange();
  });
  const map = firstView(payload, stage, values, selection);
  const shapes = frameShapes(payload.shapes, rows.length, map.width * grain, map.height * grain);
  const inks = () => {
    const { color, backgroundColor } = getComputedStyle(tip);
    return [color, backgroundColor] as const;
  };
  const canvases = mapCanvases(map, { shapes, rows, grain, colours, pale, inks, basemap });
  const { mark } = canvases;
  const swipe = payload.swipe ? startSwipe(map, dates) : undefined;
  const rowsAt = (pane: ViewedPane, row: number) =>
    shapes.shared.get(row)?.filter((other) => canvases.isSeen(pane, other)) ?? [];
  const tooltip = mapTooltip(map, payload, { values, rowsAt, mark });
  const moves = mapMoves(map, { stage, deepest, canvases, tooltip, decorations: () => layout.decorations });
  const layout = mapLayout(map, { payload, stage, canvases, tooltip, swipe, draw: moves.draw });
  const count = rows.length;
  const measureTo = (x: number, y: number) => tools.measureTo(x, y);
  const features = pointedFeatures(map, { shapes, count, grain, canvases, tooltip, moves, measureTo });
  const tools = mapTools(map, payload, ids, {
    stage,
    lonLatOf: (x, y) => {
      const { times, shift } = map.form;
      if (!plane) return undefined;
      const place = lonLatOf(plane, (x - shift[0]) / times, (y - shift[1]) / times);
      return Number.isNaN(place[0]) ? undefined : place;
    },
    ...{ centerOf: features.centerOf, goTo: features.goTo, mark },
    isSeen: (row) => features.paneOf(row) !== undefined,
  });
  const actions: MapActions = { ...features, ...tooltip, ...moves, mark, offer: tools.offer };
  listenToPointers(root, stage, map, actions);
  listenToKeys(root, map, actions, tools);
  const below = ["controls", "tools"].flatMap((id) => document.getElementById(id) ?? []);
  const roomBelow = () => below.reduce((sum, { offsetHeight }) => sum + offsetHeight, 0);
  await chooseDrawing(stage.querySelector("svg") as SVGSVGElement, roomBelow, layout.take);
  watchColors(redraw);
  root.tabIndex = 0;
  new ResizeObserver(layout.resize).observe(stage);
  const played = { values, canvases, tooltip, count: layout.count };
  const showIndex = plays
    ? startPlayer(dates, (date) => {
        showDate(map, played, date);
        map.onChange();
      })
    : undefined;
  document.documentElement.className = "live";
  saveState(map, payload, (state) => {
    Object.assign(map, cornerOf(state, map.width, map.height));
    layout.decorations.choose(state.chosen.map((label) => payload.labels.indexOf(label)));
    if (state.split !== undefined) swipe?.set(state.split);
    const date = dates.indexOf(state.date ?? "");
    if (date >= 0) showIndex?.(date);
    const selected = new Set(state.ids);
    selection.set(rows.filter((row) => selected.has(String(ids[row]))));
    moves.magnify(1);
  });
}

/** Saves and restores the state of a map. */
function saveState(map: MapView, payload: MapPayload, restore: (state: MapState) => void): void {
  const state = () => {
    const date = payload.plays ? payload.dates[map.panes[0]?.state.date ?? -1] : undefined;
    return mapState(payload, map, map.selection.ids(), date);
  };
  map.onChange = openSavedState(state, (saved) => {
    const restored = restoredState(saved, payload);
    if (restored) restore(restored);
  });
}

/** Ids of features: numbers, strings, or their names. */
function idsOf({ ids, names }: MapPayload): readonly FeatureId[] {
  if (typeof ids !== "string") return ids ?? names;
  let id = 0;
  return Array.from(unpackNumbers(ids), (step) => {
    id += step;
    return id;
  });
}

void start();
