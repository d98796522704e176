import type { Markish, PlotOptions } from "@observablehq/plot";
import type { Geometry } from "geojson";
import type { IntervalColumn, MapFormFacts, MapFrameFacts } from "../../tables/display/live/map-facts.js";
import { displaySymbol, type Picture, type UnpaintedBundle } from "../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";
import { type Still, tipStyle, viewHtml } from "../../tables/display/view.js";
import { chartOf } from "../figure/chart-of.js";
import type { Figure } from "../figure/figure.js";
import { displayMethod, pictureOf } from "../figure/figure-bundle.js";
import { figureText, figureWords } from "../figure/figure-text.js";
import { type DomElement, narrowWidth, svgSize } from "../figure/svg-text.js";
import { hatch } from "../values/palette.js";
import { mapDecorations } from "./map-decorations.js";
import type { MapDrawing } from "./map-drawing.js";
import { backgroundMark, type MapItem, mapMarks } from "./map-marks.js";
import { type MapPanes, type PaneFinder, type Panel, paneFinder } from "./map-panes.js";
import { mapShapes } from "./map-shapes.js";

/** A map of some width, as it was drawn. */
interface DrawnForm {
  /** The figure without its features: title, legend, scale bar and the like, around the frame's canvases. */
  readonly furniture: Figure;
  readonly panes: MapPanes;
  /** Of points, in pixels. */
  readonly radius: number;
  /** What lies below the frame. */
  readonly still: Still;
}

/** What a map knows that can be zoomed and pointed at. */
interface MapFacts {
  /** In the order of rows of the columns. */
  readonly features: readonly { readonly name: string; readonly geometry: Geometry }[];
  /** What is drawn below, for orientation. */
  readonly background: readonly Geometry[];
  /** Labels of the legend; the classes of the first column are theirs. */
  readonly labels: readonly string[];
  /** Without any, all features are the first label. */
  readonly columns: readonly IntervalColumn[];
  readonly dates: readonly string[];
  /** Whether there is one pane in which the dates are played, and not a pane for each. */
  readonly plays?: boolean;
}

/** Pixels below the map for the player, whatever the width. */
const PLAYER_ROOM = 42;

const style = `#figure { position: relative; outline: none; } #stage { position: relative; overflow: hidden; }
#stage > svg { position: relative; display: block; width: 100%; height: auto; pointer-events: none; } #stage > svg.siteframe-plot { background: none; }
#stage > svg [data-entry] { pointer-events: auto; } #figure:focus-visible { box-shadow: inset 0 0 0 2px var(--accent); } #figure [role=button]:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
canvas { position: absolute; } canvas.above { pointer-events: none; }
#tools { position: absolute; z-index: 2; display: flex; flex-direction: column; }
button { box-sizing: border-box; border: 1px solid var(--line); background: var(--ground); color: var(--text); font: inherit; cursor: pointer; }
#tools button { width: 26px; height: 26px; padding: 0; font: 15px/1 system-ui, sans-serif; } #tools button + button { border-top: 0; } #tools button:first-child { border-radius: 5px 5px 0 0; } #tools button:last-child { border-radius: 0 0 5px 5px; }
button:disabled { color: var(--soft); cursor: default; } button:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#hint { position: absolute; z-index: 2; pointer-events: none; display: grid; place-items: center; background: #0007; color: #fff; font-size: 14px; text-align: center; } #hint[hidden] { display: none; }
#controls { display: flex; box-sizing: border-box; height: ${PLAYER_ROOM}px; align-items: center; gap: 10px; padding: 0 8px; }
#controls input { flex: 1; min-width: 4rem; margin: 0; accent-color: var(--accent); } #play { min-width: 4.6rem; padding: 5px 10px; border-radius: 6px; } #date { min-width: 5.4rem; font-weight: 600; font-size: 13px; font-variant-numeric: tabular-nums; }
@media print { #tools, #play, #controls input { display: none; } }`;

/** A map of some width: a still, and what its frame is made of once it is shown. */
export interface MapForm {
  readonly still: Figure;
  /** The still as an image file. */
  svg(): string;
  /** Draws the same without features, and with a mark that finds the panes. */
  furniture(finder: Markish): Figure;
  readonly finder: PaneFinder;
  /** Of points, in pixels. */
  readonly radius: number;
}

/** A map that can be zoomed and pointed at. */
export interface InteractiveMap {
  readonly wide: MapForm;
  /** The same for narrow pages. It is drawn when the map is shown. */
  narrow(): MapForm | undefined;
  facts(): MapFacts;
}

/** The still figure, which shows itself as a map that can be zoomed and pointed at. */
export function interactiveMap(map: InteractiveMap): Figure {
  const { still } = map.wide;
  const show = () => interactiveBundle(map, figureText(...partsOf(still)));
  return Object.assign(still, { [displaySymbol]: displayMethod(show) });
}

/**
 * A map that can be zoomed and pointed at, as HTML.
 *
 * @param small the same for narrow pages
 * @param title what it shows in words
 */
function mapFrame(wide: DrawnForm, small: DrawnForm | undefined, map: MapFacts, title: string): string {
  // Of a plane without metres nobody knows how two drawings of it relate.
  const narrow = small && Number.isFinite(timesOf(small, wide)) ? small : undefined;
  const label = `${escapeHtml(title)} Plus and minus zoom, arrows move a cross, 0 shows all.`;
  return viewHtml({
    title,
    still: wide.still,
    ...(narrow ? { narrow: narrow.still } : {}),
    style: tipStyle + style,
    room: map.plays ? PLAYER_ROOM : 0,
    body:
      `<div id="figure" role="group" aria-roledescription="map" aria-label="${label}"><div id="stage">${wide.furniture.toSVG()}</div>` +
      `<div id="tools"><button id="in" type="button" aria-label="Zoom in">+</button><button id="out" type="button" aria-label="Zoom out">−</button>` +
      `<button id="home" type="button" aria-label="Whole map">⌂</button></div><div id="hint" hidden></div></div>` +
      `${narrow ? `<template id="narrow">${narrow.furniture.toSVG()}</template>` : ""}` +
      `${map.plays ? player(map.dates) : ""}<div id="tip" hidden></div><div id="said" role="status"></div>`,
    facts: { facts: factsOf(wide, narrow, map) },
    script: "map",
  });
}

function player(dates: readonly string[]): string {
  const last = dates.length - 1;
  return (
    `<div id="controls"><button id="play" type="button">Play</button>` +
    `<input id="slider" type="range" min="0" max="${last}" value="${last}" aria-label="Date"><output id="date"></output></div>`
  );
}

function factsOf(wide: DrawnForm, narrow: DrawnForm | undefined, map: MapFacts): MapFrameFacts {
  const { features, background, labels, columns, dates, plays = false } = map;
  const scale = wide.furniture.scale("color");
  return {
    shapes: mapShapes([...features.map(({ geometry }) => geometry), ...background], wide.panes.ground),
    forms: narrow ? [formFacts(wide, wide), formFacts(narrow, wide)] : [formFacts(wide, wide)],
    names: features.map(({ name }) => name),
    labels,
    // The caller's colours, if there are any.
    colours: labels.map((label) => String(scale?.apply(label) ?? "currentColor")),
    entries: scale?.domain ? [...scale.domain].map(String) : [],
    columns,
    dates,
    plays,
  };
}

/** Shapes are in pixels of the wide map; in another form they are so many times as large, and shifted. */
function formFacts(form: DrawnForm, wide: DrawnForm): MapFormFacts {
  const { ground, panes, centre } = form.panes;
  const times = timesOf(form, wide);
  const [x, y] = wide.panes.centre;
  const shift = form === wide ? ([0, 0] as const) : ([centre[0] - times * x, centre[1] - times * y] as const);
  return {
    panes,
    origin: [ground.left, ground.top],
    metres: ground.metresPerPixel,
    radius: form.radius,
    times,
    shift,
  };
}

function timesOf(form: DrawnForm, wide: DrawnForm): number {
  return form === wide ? 1 : wide.panes.ground.metresPerPixel / form.panes.ground.metresPerPixel;
}

/** The frame over its still, and the still as an image. */
export function interactiveBundle(map: InteractiveMap, text: string): UnpaintedBundle {
  const svg = map.wide.svg();
  const [png, wide] = [pictureOf(svg, "png"), pictureOf(svg, "shortest")];
  const form = map.narrow();
  const narrow = form && pictureOf(form.svg(), "shortest");
  const html = htmlOf(map, stillOf(wide), form && narrow && { form, still: stillOf(narrow) });
  return {
    bundle: { "text/plain": text, "text/html": html, "image/png": png.token },
    pictures: [png, wide, ...(narrow ? [narrow] : [])],
  };
}

/** The same at once, with SVG alone. */
export function interactiveHtmlNow(map: InteractiveMap): string {
  const narrow = map.narrow();
  return htmlOf(map, drawnStill(map.wide.svg()), narrow && { form: narrow, still: drawnStill(narrow.svg()) });
}

function htmlOf(
  { wide, facts }: InteractiveMap,
  picture: Still,
  narrow?: { readonly form: MapForm; readonly still: Still },
): string {
  const small = narrow && drawnForm(narrow.form, narrow.still);
  return mapFrame(drawnForm(wide, picture), small, facts(), figureWords(...partsOf(wide.still)));
}

function drawnForm({ furniture, finder, radius }: MapForm, still: Still): DrawnForm {
  const around = furniture(finder.mark);
  const panes = finder.found();
  if (!panes) throw new Error("Plot has not drawn the mark that finds the map's place.");
  return { furniture: around, panes, radius, still };
}

function partsOf(figure: Figure): readonly [figure: DomElement, chart: DomElement | undefined] {
  const element = figure as unknown as DomElement;
  return [element, chartOf(element)];
}

/** The picture below a frame. */
function stillOf({ token, svg }: Picture): Still {
  return { image: token, ...svgSize(svg) };
}

function drawnStill(svg: string): Still {
  return { image: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`, ...svgSize(svg) };
}

/**
 * A map with its features, whose frame is the same without them.
 *
 * @param panels one for each pane
 * @param draw draws features; with a mark that finds the panes the frame's surroundings
 * @param headroom pixels at the top of each pane that are not for the map
 */
export function mapForm(
  { view, radius }: MapDrawing,
  items: readonly MapItem[],
  draw: (items: readonly MapItem[], finder?: Markish) => Figure,
  panels: readonly Panel[] = [{}],
  headroom = 0,
): MapForm {
  const still = draw(items);
  return {
    still,
    svg: () => still.toSVG(),
    furniture: (finder) => draw([], finder),
    finder: paneFinder(view.centre, panels, headroom),
    radius,
  };
}

/** A map as wide as a phone. */
export function narrowForm(
  drawingOf: (width: number) => MapDrawing | undefined,
  formOf: (drawing: MapDrawing, width: number) => MapForm,
): MapForm | undefined {
  const drawing = drawingOf(narrowWidth);
  return drawing && formOf(drawing, narrowWidth);
}

/**
 * Plot's options of one map in a chart of its own, with room below for the scale bar and the arrow.
 *
 * @param finder for a frame that draws the features itself, and the background too
 */
export function wholeMap(drawing: MapDrawing, items: readonly MapItem[], width: number, finder?: Markish) {
  const { view, height, below, radius } = drawing;
  return {
    width,
    height,
    margin: 6,
    marginLeft: 6,
    marginBottom: 32,
    projection: view.projection,
    marks: [hatch(), finder ?? backgroundMark(below), ...mapMarks(items, radius), mapDecorations(view.centre)],
  } satisfies PlotOptions;
}
