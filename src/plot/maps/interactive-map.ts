import { isForOthers } from "../../core/provenance.js";
import { readerWord } from "../../core/translate.js";
import type { MapFormPayload, MapPayload } from "../../tables/display/live/map-payload.js";
import { mostPacked, packNumbers } from "../../tables/display/live/pack-numbers.js";
import { displaySymbol, type UnpaintedBundle } from "../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";
import { type Fallback, tipStyle, viewHtml } from "../../tables/display/view.js";
import type { Figure } from "../figure/figure.js";
import { displayMethod, pictureOf } from "../figure/figure-bundle.js";
import { figureText, figureWords } from "../figure/figure-text.js";
import { chartOf, type DomElement, narrowWidth, svgSize } from "../figure/svg-text.js";
import { darkStyle, paleColors } from "../values/palette.js";
import {
  drawEmptyMap,
  drawFrame,
  drawMap,
  type MapForm,
  type MapLayout,
  type MapPlan,
  mapLayouts,
} from "./draw-map.js";
import type { MapModel } from "./map-model.js";
import type { MapPanes } from "./map-panes.js";
import { mapShapes } from "./map-shapes.js";

/** An interactive map of some width. */
interface FrameForm {
  /** The figure without its features, around the frame's canvases. */
  readonly decorations: Figure;
  readonly panes: MapPanes;
  /** Radius of points, in pixels. */
  readonly radius: number;
  /** Fallback below the frame. */
  readonly fallback: Fallback;
}

/** A map for wide pages, and for narrow ones. */
interface FrameForms {
  readonly wide: FrameForm;
  readonly narrow: FrameForm | undefined;
}

/** Maximum length of the drawing of a map in a report, which is printed sharply; larger ones become pictures. */
const MOST_PRINTED = 1_500_000;

/** Pixels below the map for the player, and for the tools with the line of the selection, at any width. */
const [PLAYER_ROOM, TOOLS_ROOM] = [42, 40];

const style = `#figure { position: relative; outline: none; } #stage { position: relative; overflow: hidden; }
#stage > svg { position: relative; display: block; width: 100%; height: auto; pointer-events: none; } #stage > svg.siteframe-plot { background: none; }
#stage > svg [data-entry] { pointer-events: auto; } #figure:focus-visible { box-shadow: inset 0 0 0 2px var(--accent); } #figure [role=button]:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
canvas { position: absolute; } canvas.above { pointer-events: none; }
#stage.draws canvas { cursor: crosshair; } [hidden] { display: none !important; }
button { box-sizing: border-box; border: 1px solid var(--line); background: var(--ground); color: var(--text); font: inherit; cursor: pointer; }
#tools, #status { display: flex; box-sizing: border-box; align-items: center; gap: 6px; min-width: 0; } #tools { position: relative; height: ${TOOLS_ROOM}px; padding: 0 6px; } #status { flex: 2 1 0; color: var(--soft); }
.group { display: flex; min-width: 0; } .group button { width: 32px; min-width: 24px; height: 32px; padding: 0; } .group button + button { margin-left: -1px; } .group button:first-child { border-radius: 6px 0 0 6px; } .group button:last-child { border-radius: 0 6px 6px 0; } .group button:only-child { border-radius: 6px; }
button svg { display: block; width: 16px; height: 16px; margin: auto; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; } #more svg { stroke-width: 2.6; } button:focus-visible { z-index: 1; } button[aria-pressed=true] { background: var(--accent); color: var(--ground); }
#find { flex: 1 1 0; min-width: 2.5rem; max-width: 14rem; height: 32px; box-sizing: border-box; margin: 0; padding: 0 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: var(--text); font: inherit; } #find::placeholder { color: var(--soft); opacity: 1; } #find:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#told { flex: 0 1 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } #status button { flex: none; height: 28px; padding: 0 8px; border-radius: 6px; }
@media (max-width: 560px) { #status { position: absolute; z-index: 1; right: 36px; bottom: calc(100% + var(--above)); max-width: calc(100% - 42px); } #told { padding: 2px 6px; border-radius: 6px; background: var(--ground); } #told:empty { display: none; } }
#menu { position: fixed; z-index: 4; display: grid; min-width: 10rem; max-width: 96vw; padding: 4px 0; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); box-shadow: 0 3px 10px #0003; } #menu button { border: 0; padding: 8px 12px; text-align: left; } #menu button:is(:hover, :focus-visible) { background: color-mix(in srgb, var(--accent) 18%, var(--ground)); }
#tip.pinned a { pointer-events: auto; } #tip a { display: inline-block; padding: 4px 0; color: var(--accent); }
button:disabled { color: var(--soft); cursor: default; } button:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#hint { position: absolute; z-index: 2; pointer-events: none; display: grid; place-items: center; background: #0007; color: #fff; font-size: 14px; text-align: center; }
#controls { display: flex; box-sizing: border-box; height: ${PLAYER_ROOM}px; align-items: center; gap: 10px; padding: 0 8px; }
#controls input { flex: 1; min-width: 4rem; margin: 0; accent-color: var(--accent); } #play { min-width: 4.6rem; padding: 5px 10px; border-radius: 6px; } #date { min-width: 5.4rem; font-weight: 600; font-size: 13px; font-variant-numeric: tabular-nums; }
#divider { position: absolute; z-index: 1; width: 30px; margin-left: -15px; cursor: ew-resize; touch-action: none; outline: none; background: linear-gradient(var(--text), var(--text)) center / 2px 100% no-repeat; }
#divider i { position: absolute; top: 50%; left: 1px; box-sizing: border-box; width: 28px; height: 28px; margin-top: -14px; border: 2px solid var(--text); border-radius: 50%; background: var(--ground); } #divider i::after { content: "‹ ›"; position: absolute; inset: 0; font: 700 15px/21px system-ui, sans-serif; text-align: center; }
#divider:focus-visible i { outline: 3px solid var(--accent); outline-offset: 1px; } #divider b { position: absolute; top: 4px; right: 21px; padding: 1px 5px; border-radius: 4px; background: var(--ground); font-size: 13px; white-space: nowrap; user-select: none; } #divider b + b { right: auto; left: 21px; }
@media (pointer: coarse) { .group button { width: 34px; height: 36px; } #find { height: 36px; } }
@media print { #tools, #play, #controls input { display: none; } }`;

/** A map as an image and as interactive HTML. */
interface MapOutputs {
  /** The map without scripts. */
  readonly fallback: Figure;
  /** The fallback as an image file. */
  svg(): string;
  /** The same at another date, by its index. */
  svgAt(date: number): string;
  /**
   * The interactive map, and its fallback as an image.
   *
   * @param text description for terminals
   */
  bundle(text: string): UnpaintedBundle;
  /** The interactive map, synchronously: its fallback is an SVG. */
  html(): string;
}

/** A figure that is displayed as an interactive map. */
export function figureOfMap(model: MapModel, layout: MapLayout): Figure {
  const outputs = mapOutputs(model, layout);
  if (!outputs) return drawEmptyMap(model, layout);
  const { fallback } = outputs;
  const show = () => outputs.bundle(figureText(...partsOf(fallback)));
  return Object.assign(fallback, { [displaySymbol]: displayMethod(show) });
}

/** Draws the fallback of a map, and the rest on demand; undefined without dates, and without features with a location. */
export function mapOutputs(model: MapModel, layout: MapLayout): MapOutputs | undefined {
  const { extent, plotOptions, dates } = model;
  if (!extent || (layout !== "one" && dates.length === 0)) return undefined;
  const rule = mapLayouts[layout];
  const wide = rule.form(model, extent, { width: plotOptions.width ?? rule.width, isNarrow: false });
  // A width set by the caller applies to all pages.
  const narrowForm = () =>
    plotOptions.width === undefined ? rule.form(model, extent, { width: narrowWidth, isNarrow: true }) : undefined;
  const draw = (plan: MapPlan) => drawMap(model, layout, plan);
  const imageOf = (figure: Figure) => (layout === "animation" ? shortPaths(figure.toSVG()) : figure.toSVG());
  const fallback = draw(wide.fallback);
  const svg = () => imageOf(fallback);
  /** @param sourceOf the address of an image */
  const html = (image: string, sourceOf: (image: string) => string) => {
    const formOf = ({ frame }: MapForm, file: string): FrameForm => ({
      ...drawFrame(model, layout, frame),
      radius: frame.drawing.radius,
      fallback: { image: sourceOf(file), ...svgSize(file) },
    });
    const narrow = narrowForm();
    const forms = { wide: formOf(wide, image), narrow: narrow && formOf(narrow, imageOf(draw(narrow.fallback))) };
    return mapFrame(model, layout, forms, figureWords(...partsOf(fallback)));
  };
  return {
    fallback,
    svg,
    svgAt: (date) => imageOf(draw({ ...wide.fallback, panels: [{ date, facet: {} }] })),
    bundle: (text) => {
      const image = svg();
      const png = pictureOf(image, "png");
      const pictures = [png];
      const content = html(image, (file) => {
        const picture = pictureOf(file, isForOthers() && file.length < MOST_PRINTED ? "svg" : "shortest");
        pictures.push(picture);
        return picture.token;
      });
      return { bundle: { "text/plain": text, "text/html": content, "image/png": png.token }, pictures };
    },
    html: () => html(svg(), (file) => `data:image/svg+xml;base64,${Buffer.from(file).toString("base64")}`),
  };
}

function partsOf(figure: Figure): readonly [figure: DomElement, chart: DomElement | undefined] {
  const element = figure as unknown as DomElement;
  return [element, chartOf(element)];
}

/** Rounds coordinates to a tenth of a pixel, which halves the size without a visible difference. */
function shortPaths(svg: string): string {
  return svg.replace(/ d="[^"]*"/g, (path) => path.replace(/(\.\d)\d+/g, "$1"));
}

/**
 * A map with zoom and tooltips, as HTML: a frame over its fallback.
 *
 * @param title a description of the map
 */
function mapFrame(model: MapModel, layout: MapLayout, { wide, narrow: small }: FrameForms, title: string): string {
  // Two drawings of a plane without meters cannot be related.
  const narrow = small && Number.isFinite(timesOf(small, wide)) ? small : undefined;
  const label = `${escapeHtml(title)} ${KEYS}`;
  const plays = layout === "animation";
  const room = TOOLS_ROOM + (plays ? PLAYER_ROOM : 0);
  return viewHtml({
    title,
    fallback: wide.fallback,
    ...(narrow ? { narrow: narrow.fallback } : {}),
    style: `${tipStyle}${style}${darkStyle(model.colours.join())}#tools { --above: ${plays ? PLAYER_ROOM : 0}px; } :fullscreen #stage > svg { height: calc(100vh - ${room}px); }`,
    room,
    mayDownload: true,
    mayFillScreen: true,
    mayOpen: model.links !== undefined,
    body:
      `<div id="figure" role="group" aria-roledescription="map" aria-label="${label}"><div id="stage">${wide.decorations.toSVG()}</div>` +
      `<div id="hint" hidden></div>${layout === "swipe" ? divider(model.dates) : ""}</div>` +
      `${narrow ? `<template id="narrow">${narrow.decorations.toSVG()}</template>` : ""}` +
      `${plays ? player(model.dates) : ""}${tools}<div id="menu" role="menu" aria-label="More" hidden></div>` +
      `<div id="tip" hidden></div><div id="said" role="status"></div>`,
    payload: payloadOf(model, layout, { wide, narrow }),
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
  toolButton("before", "Previous feature", "M10 3l-5 5 5 5") +
  toolButton("next", "Next feature", "M6 3l5 5-5 5") +
  `</span><span class="group">` +
  toolButton("more", "More", "M3 8h.01M8 8h.01M13 8h.01", ` aria-haspopup="menu" aria-expanded="false"`) +
  `</span><div id="status"><span id="told"></span><button id="copy" type="button" hidden></button><button id="clear" type="button" hidden>Clear</button></div></div>`;

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

function payloadOf(model: MapModel, layout: MapLayout, { wide, narrow }: FrameForms): MapPayload {
  const { features, links, background, basemap, labels, tipColumns, dates } = model;
  const { images, names } = wide.panes;
  const lines = basemap.shapes.map(({ geometry }) => geometry);
  const scale = wide.decorations.scale("color");
  // The caller's colors, if set.
  const colours = labels.map((label) => String(scale?.apply(label) ?? "currentColor"));
  const pale = colours.flatMap((colour, index) => (paleColors.has(colour) ? [index] : []));
  return {
    shapes: mapShapes([...features.map(({ geometry }) => geometry), ...background, ...lines], wide.panes.basemap),
    forms: narrow ? [formPayload(wide, wide), formPayload(narrow, wide)] : [formPayload(wide, wide)],
    names: features.map(({ name }) => name),
    ...idPayload(features),
    ...(links?.some(Boolean) ? { links } : {}),
    ...(wide.panes.plane ? { plane: wide.panes.plane } : {}),
    labels: labels.map(readerWord),
    colours,
    ...(pale.length > 0 ? { pale } : {}),
    entries: scale?.domain ? [...scale.domain].map((label) => readerWord(String(label))) : [],
    columns: tipColumns(),
    dates,
    plays: layout === "animation",
    ...(layout === "swipe" ? { swipe: true } : {}),
    ...(images.length + lines.length > 0 ? { basemap: { images, names, outlines: lines.length } } : {}),
  };
}

/** Integer ids as differences, others as strings; empty if the ids are the names. */
function idPayload(features: MapModel["features"]): Pick<MapPayload, "ids"> {
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
function formPayload(form: FrameForm, wide: FrameForm): MapFormPayload {
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

function timesOf(form: FrameForm, wide: FrameForm): number {
  return form === wide ? 1 : wide.panes.basemap.metresPerPixel / form.panes.basemap.metresPerPixel;
}
