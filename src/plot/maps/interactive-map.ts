import type { Markish, PlotOptions } from "@observablehq/plot";
import type { Geometry } from "geojson";
import type { IntervalColumn, MapFormPayload, MapPayload } from "../../tables/display/live/map-payload.js";
import { mostPacked, packNumbers } from "../../tables/display/live/pack-numbers.js";
import { displaySymbol, type Picture, type UnpaintedBundle } from "../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";
import { type Fallback, tipStyle, viewHtml } from "../../tables/display/view.js";
import { basemapMark, basemapNamesMark } from "../basemap/basemap-marks.js";
import type { Figure } from "../figure/figure.js";
import { displayMethod, pictureOf } from "../figure/figure-bundle.js";
import { figureText, figureWords } from "../figure/figure-text.js";
import { chartOf, type DomElement, narrowWidth, svgSize } from "../figure/svg-text.js";
import { hatch } from "../values/palette.js";
import type { MapDrawing } from "./map-drawing.js";
import { backgroundMark, type MapItem, mapMarks } from "./map-marks.js";
import { type MapPanes, type PaneFinder, type Panel, paneFinder } from "./map-panes.js";
import { mapShapes } from "./map-shapes.js";
import { mapDecorations } from "./scale-bar.js";

/** A drawn map of some width. */
interface DrawnForm {
  /** The figure without its features: title, legend, scale bar and so on, around the frame's canvases. */
  readonly decorations: Figure;
  readonly panes: MapPanes;
  /** Radius of points, in pixels. */
  readonly radius: number;
  /** Fallback below the frame. */
  readonly fallback: Fallback;
}

/** Data of an interactive map. */
interface MapContent {
  /** In the order of rows of the columns. */
  readonly features: readonly { readonly id: unknown; readonly name: string; readonly geometry: Geometry }[];
  /** URLs of features in another application, if requested. */
  readonly links?: readonly string[] | undefined;
  readonly drawing: Pick<MapDrawing, "below" | "basemap">;
  /** Labels of the legend; the classes of the first column refer to them. */
  readonly labels: readonly string[];
  /** If empty, all features have the first label. */
  readonly columns: readonly IntervalColumn[];
  readonly dates: readonly string[];
  /** Whether one pane plays the dates, instead of a pane for each date. */
  readonly plays?: boolean;
  /** Whether two dates share one pane, with a divider between them. */
  readonly swipe?: boolean;
}

/** Pixels below the map for the player, the tools, and the line of the selection, at any width. */
const [PLAYER_ROOM, TOOLS_ROOM, STATUS_ROOM] = [42, 40, 34];

const style = `#figure { position: relative; outline: none; } #stage { position: relative; overflow: hidden; }
#stage > svg { position: relative; display: block; width: 100%; height: auto; pointer-events: none; } #stage > svg.siteframe-plot { background: none; }
#stage > svg [data-entry] { pointer-events: auto; } #figure:focus-visible { box-shadow: inset 0 0 0 2px var(--accent); } #figure [role=button]:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
canvas { position: absolute; } canvas.above { pointer-events: none; }
#stage.draws canvas { cursor: crosshair; } [hidden] { display: none !important; }
button { box-sizing: border-box; border: 1px solid var(--line); background: var(--ground); color: var(--text); font: inherit; cursor: pointer; }
#tools, #status { display: flex; box-sizing: border-box; align-items: center; gap: 6px; padding: 0 6px; } #tools { height: ${TOOLS_ROOM}px; } #status { height: ${STATUS_ROOM}px; color: var(--soft); }
.group { display: flex; min-width: 0; } .group button { width: 32px; min-width: 24px; height: 32px; padding: 0; } .group button + button { margin-left: -1px; } .group button:first-child { border-radius: 6px 0 0 6px; } .group button:last-child { border-radius: 0 6px 6px 0; } .group button:only-child { border-radius: 6px; }
button svg { display: block; width: 16px; height: 16px; margin: auto; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; } #more svg { stroke-width: 2.6; } button:focus-visible { z-index: 1; } button[aria-pressed=true] { background: var(--accent); color: var(--ground); }
#find { flex: 1 1 0; min-width: 3rem; max-width: 14rem; height: 32px; box-sizing: border-box; margin: 0; padding: 0 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: var(--text); font: inherit; } #find::placeholder { color: var(--soft); opacity: 1; } #find:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#told { flex: 0 1 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } #status button { height: 28px; } #status .group { flex: none; } #status > button { flex: none; padding: 0 8px; border-radius: 6px; }
#menu { position: fixed; z-index: 4; display: grid; min-width: 10rem; max-width: 96vw; padding: 4px 0; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); box-shadow: 0 3px 10px #0003; } #menu button { border: 0; padding: 8px 12px; text-align: left; } #menu button:is(:hover, :focus-visible) { background: color-mix(in srgb, var(--accent) 18%, var(--ground)); }
#tip.pinned a { pointer-events: auto; } #tip a { display: inline-block; padding: 4px 0; color: var(--accent); }
button:disabled { color: var(--soft); cursor: default; } button:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#hint { position: absolute; z-index: 2; pointer-events: none; display: grid; place-items: center; background: #0007; color: #fff; font-size: 14px; text-align: center; }
#controls { display: flex; box-sizing: border-box; height: ${PLAYER_ROOM}px; align-items: center; gap: 10px; padding: 0 8px; }
#controls input { flex: 1; min-width: 4rem; margin: 0; accent-color: var(--accent); } #play { min-width: 4.6rem; padding: 5px 10px; border-radius: 6px; } #date { min-width: 5.4rem; font-weight: 600; font-size: 13px; font-variant-numeric: tabular-nums; }
#divider { position: absolute; z-index: 1; width: 30px; margin-left: -15px; cursor: ew-resize; touch-action: none; outline: none; background: linear-gradient(var(--text), var(--text)) center / 2px 100% no-repeat; }
#divider i { position: absolute; top: 50%; left: 1px; box-sizing: border-box; width: 28px; height: 28px; margin-top: -14px; border: 2px solid var(--text); border-radius: 50%; background: var(--ground); } #divider i::after { content: "‹ ›"; position: absolute; inset: 0; font: 700 15px/21px system-ui, sans-serif; text-align: center; }
#divider:focus-visible i { outline: 3px solid var(--accent); outline-offset: 1px; } #divider b { position: absolute; top: 4px; right: 21px; padding: 1px 5px; border-radius: 4px; background: var(--ground); font-size: 13px; white-space: nowrap; user-select: none; } #divider b + b { right: auto; left: 21px; }
@media (pointer: coarse) { #tools button { width: 36px; height: 36px; } #find { height: 36px; } }
@media print { #tools, #status, #play, #controls input { display: none; } }`;

/** A map of some width: a fallback, and the parts of its frame. */
export interface MapForm {
  readonly fallback: Figure;
  /** The fallback as an image file. */
  svg(): string;
  /** Draws the same without features, and with a mark that finds the panes. */
  decorations(finder: Markish): Figure;
  readonly finder: PaneFinder;
  /** Radius of points, in pixels. */
  readonly radius: number;
}

/** A map with zoom and tooltips. */
export interface InteractiveMap {
  readonly wide: MapForm;
  /** The same for narrow pages, drawn on demand. */
  narrow(): MapForm | undefined;
  content(): MapContent;
}

/** A static figure that is displayed as an interactive map. */
export function interactiveMap(map: InteractiveMap): Figure {
  const { fallback } = map.wide;
  const show = () => interactiveBundle(map, figureText(...partsOf(fallback)));
  return Object.assign(fallback, { [displaySymbol]: displayMethod(show) });
}

/**
 * An interactive map, as HTML.
 *
 * @param small the same for narrow pages
 * @param title a description of the map
 */
function mapFrame(wide: DrawnForm, small: DrawnForm | undefined, map: MapContent, title: string): string {
  // Two drawings of a plane without meters cannot be related.
  const narrow = small && Number.isFinite(timesOf(small, wide)) ? small : undefined;
  const label = `${escapeHtml(title)} ${KEYS}`;
  const room = TOOLS_ROOM + STATUS_ROOM + (map.plays ? PLAYER_ROOM : 0);
  return viewHtml({
    title,
    fallback: wide.fallback,
    ...(narrow ? { narrow: narrow.fallback } : {}),
    style: `${tipStyle}${style}:fullscreen #stage > svg { height: calc(100vh - ${room}px); }`,
    room,
    mayDownload: true,
    mayFillScreen: true,
    mayOpen: map.links !== undefined,
    body:
      `<div id="figure" role="group" aria-roledescription="map" aria-label="${label}"><div id="stage">${wide.decorations.toSVG()}</div>` +
      `<div id="hint" hidden></div>${map.swipe ? divider(map.dates) : ""}</div>` +
      `${narrow ? `<template id="narrow">${narrow.decorations.toSVG()}</template>` : ""}` +
      `${map.plays ? player(map.dates) : ""}${tools}<div id="menu" role="menu" aria-label="More" hidden></div>` +
      `<div id="tip" hidden></div><div id="said" role="status"></div>`,
    payload: payloadOf(wide, narrow, map),
    script: "map",
  });
}

/** A button with a drawing of 16 by 16. */
function toolButton(id: string, label: string, path: string, more = ""): string {
  return (
    `<button id="${id}" type="button" aria-label="${label}" title="${label}"${more}>` +
    `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg></button>`
  );
}

const KEYS =
  "Plus and minus zoom, 0 shows all. Arrows move a crosshair, Enter selects the feature below it. N and P go to the next and " +
  "the previous feature, slash searches. L draws a lasso, M measures, C copies coordinates, Escape clears.";

const tools =
  `<div id="tools" role="group" aria-label="Tools of the map"><span class="group">` +
  toolButton("in", "Zoom in", "M8 3v10M3 8h10") +
  toolButton("out", "Zoom out", "M3 8h10") +
  toolButton("home", "Whole map", "M2.5 8L8 3l5.5 5M4 7v6.5h8V7") +
  `</span><input id="find" type="search" placeholder="Find name or id" aria-label="Find a feature by name or id" autocomplete="off" spellcheck="false"><span class="group">` +
  toolButton(
    "lasso",
    "Select with a lasso",
    "M5 10.5C3 10 2 8.5 2 7 2 4.5 4.7 2.5 8 2.5s6 2 6 4.5-2.7 4.5-6 4.5M6.5 11.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0c0 1.5-.5 2-2 2.5",
    ` aria-pressed="false"`,
  ) +
  toolButton(
    "measure",
    "Measure",
    "M2 10.5L10.5 2l3.5 3.5L5.5 14zM5 7.5l1.5 1.5M7 5.5l1 1M9 3.5l1.5 1.5",
    ` aria-pressed="false"`,
  ) +
  `</span><span class="group">` +
  toolButton("more", "More", "M3 8h.01M8 8h.01M13 8h.01", ` aria-haspopup="menu" aria-expanded="false"`) +
  `</span></div><div id="status"><span class="group">` +
  toolButton("before", "Previous feature", "M10 3l-5 5 5 5") +
  toolButton("next", "Next feature", "M6 3l5 5-5 5") +
  `</span><span id="told"></span><button id="copy" type="button" hidden></button><button id="clear" type="button" hidden>Clear</button></div>`;

function player(dates: readonly string[]): string {
  const last = dates.length - 1;
  return (
    `<div id="controls"><button id="play" type="button">Play</button>` +
    `<input id="slider" type="range" min="0" max="${last}" value="${last}" aria-label="Date"><output id="date"></output></div>`
  );
}

function divider(dates: readonly string[]): string {
  const [before, after] = dates.map((date) => `<b>${escapeHtml(date)}</b>`);
  return `<div id="divider" role="slider" tabindex="0" aria-label="Divider between ${escapeHtml(dates.join(" and "))}" aria-valuemin="0" aria-valuemax="100"><i></i>${before}${after}</div>`;
}

function payloadOf(wide: DrawnForm, narrow: DrawnForm | undefined, map: MapContent): MapPayload {
  const { features, links, drawing, labels, columns, dates, plays = false, swipe = false } = map;
  const { below, basemap } = drawing;
  const { images, names } = wide.panes;
  const lines = basemap.shapes.map(({ geometry }) => geometry);
  const scale = wide.decorations.scale("color");
  return {
    shapes: mapShapes([...features.map(({ geometry }) => geometry), ...below, ...lines], wide.panes.basemap),
    forms: narrow ? [formPayload(wide, wide), formPayload(narrow, wide)] : [formPayload(wide, wide)],
    names: features.map(({ name }) => name),
    ...idPayload(features),
    ...(links?.some(Boolean) ? { links } : {}),
    ...(wide.panes.plane ? { plane: wide.panes.plane } : {}),
    labels,
    // The caller's colors, if set.
    colours: labels.map((label) => String(scale?.apply(label) ?? "currentColor")),
    entries: scale?.domain ? [...scale.domain].map(String) : [],
    columns,
    dates,
    plays,
    ...(swipe ? { swipe } : {}),
    ...(images.length + lines.length > 0 ? { basemap: { images, names, outlines: lines.length } } : {}),
  };
}

/** Integer ids as differences, others as strings; empty if the ids are the names. */
function idPayload(features: MapContent["features"]): Pick<MapPayload, "ids"> {
  const ids = features.map(({ id }) => id);
  if (ids.every((id): id is number => Number.isSafeInteger(id))) {
    let before = 0;
    const steps = ids.map((id) => {
      const step = id - before;
      before = id;
      return step;
    });
    if (steps.every((step) => Math.abs(step) <= mostPacked)) return { ids: packNumbers(steps) };
  }
  const texts = ids.map(String);
  return texts.every((text, row) => text === features[row]?.name) ? {} : { ids: texts };
}

/** Shapes are in pixels of the wide map; in another form they are scaled and shifted. */
function formPayload(form: DrawnForm, wide: DrawnForm): MapFormPayload {
  const { basemap, panes, centre } = form.panes;
  const times = timesOf(form, wide);
  const [x, y] = wide.panes.centre;
  const shift = form === wide ? ([0, 0] as const) : ([centre[0] - times * x, centre[1] - times * y] as const);
  return {
    panes,
    origin: [basemap.left, basemap.top],
    metres: basemap.metresPerPixel,
    radius: form.radius,
    times,
    shift,
  };
}

function timesOf(form: DrawnForm, wide: DrawnForm): number {
  return form === wide ? 1 : wide.panes.basemap.metresPerPixel / form.panes.basemap.metresPerPixel;
}

/** The frame over its fallback, and the fallback as an image. */
export function interactiveBundle(map: InteractiveMap, text: string): UnpaintedBundle {
  const svg = map.wide.svg();
  const [png, wide] = [pictureOf(svg, "png"), pictureOf(svg, "shortest")];
  const form = map.narrow();
  const narrow = form && pictureOf(form.svg(), "shortest");
  const html = htmlOf(map, fallbackOf(wide), form && narrow && { form, fallback: fallbackOf(narrow) });
  return {
    bundle: { "text/plain": text, "text/html": html, "image/png": png.token },
    pictures: [png, wide, ...(narrow ? [narrow] : [])],
  };
}

/** The same synchronously, with SVG only. */
export function interactiveHtmlNow(map: InteractiveMap): string {
  const narrow = map.narrow();
  return htmlOf(map, drawnFallback(map.wide.svg()), narrow && { form: narrow, fallback: drawnFallback(narrow.svg()) });
}

function htmlOf(
  { wide, content }: InteractiveMap,
  picture: Fallback,
  narrow?: { readonly form: MapForm; readonly fallback: Fallback },
): string {
  const small = narrow && drawnForm(narrow.form, narrow.fallback);
  return mapFrame(drawnForm(wide, picture), small, content(), figureWords(...partsOf(wide.fallback)));
}

function drawnForm({ decorations, finder, radius }: MapForm, fallback: Fallback): DrawnForm {
  const around = decorations(finder.mark);
  const panes = finder.panes();
  if (!panes) throw new Error("Plot has not drawn the mark that finds the map's place.");
  return { decorations: around, panes, radius, fallback };
}

function partsOf(figure: Figure): readonly [figure: DomElement, chart: DomElement | undefined] {
  const element = figure as unknown as DomElement;
  return [element, chartOf(element)];
}

/** The picture below a frame. */
function fallbackOf({ token, svg }: Picture): Fallback {
  return { image: token, ...svgSize(svg) };
}

function drawnFallback(svg: string): Fallback {
  return { image: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`, ...svgSize(svg) };
}

/**
 * A map with its features; its frame is the same without them.
 *
 * @param panels one for each pane
 * @param draw draws features; with a mark that finds the panes, the surroundings of the frame
 * @param headroom reserved pixels at the top of each pane
 */
export function mapForm(
  drawing: MapDrawing,
  items: readonly MapItem[],
  draw: (items: readonly MapItem[], finder?: Markish) => Figure,
  panels: readonly Panel[] = [{}],
  headroom = 0,
): MapForm {
  const fallback = draw(items);
  return {
    fallback,
    svg: () => fallback.toSVG(),
    decorations: (finder) => draw([], finder),
    finder: paneFinder(drawing, panels, headroom),
    radius: drawing.radius,
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
 * Plot's options of a single map in a chart, with space below for the scale bar and the arrow.
 *
 * @param finder for a frame that draws the features and the background itself
 */
export function wholeMap(drawing: MapDrawing, items: readonly MapItem[], width: number, finder?: Markish) {
  const { view, height, below, radius } = drawing;
  const drawn = finder ? [] : [basemapMark(drawing), backgroundMark(below)];
  const names = finder ? [] : [basemapNamesMark(drawing)];
  return {
    width,
    height,
    margin: 6,
    marginLeft: 6,
    marginBottom: 32,
    projection: view.projection,
    marks: [hatch(), finder, ...drawn, ...mapMarks(items, radius), ...names, mapDecorations(view.centre)],
  } satisfies PlotOptions;
}
