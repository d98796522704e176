import * as ObservablePlot from "@observablehq/plot";
import type { Geometry } from "geojson";
import { counted } from "../../core/counted.js";
import { formatCount } from "../../core/format/format-number.js";
import { mostShared, NAME, namesWithRoom, RING, ringName } from "../../tables/display/live/map-basemap.js";
import { basemapCaption } from "../basemap/basemap.js";
import { basemapMark, basemapNamesMark, nameTexts, paneOf } from "../basemap/basemap-marks.js";
import type { Box } from "../basemap/mercator.js";
import { chart } from "../figure/chart.js";
import type { Figure } from "../figure/figure.js";
import { CHART_WIDTH, type FigureOptions } from "../figure/figure.js";
import { textWidth } from "../figure/svg-text.js";
import { hatch, outline, paleColors } from "../values/palette.js";
import { captionOf, historyNotes } from "../values/present-note.js";
import { type MapDrawing, mapDrawing } from "./map-drawing.js";
import { kindOf } from "./map-features.js";
import { type MapItem, type MapModel, type MapPanel, mapItems, sharedAt, sharedText } from "./map-model.js";
import { type MapPanes, paneFinder } from "./map-panes.js";
import { mapDecorations } from "./scale-bar.js";

/** How the dates of a map are shown. */
export type MapLayout = "one" | "animation" | "panels" | "swipe";

/** A map of some width. */
export interface MapPlan {
  readonly drawing: MapDrawing;
  /** Size of the chart, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly panels: readonly MapPanel[];
  /** Lines of panels, and those on a wide page, which a height set by the caller applies to. */
  readonly lines: number;
  readonly wideLines: number;
  /** Reserved pixels at the top of each panel. */
  readonly headroom: number;
  /** Scales of the panels, if any. */
  readonly facets: Pick<FigureOptions, "fx" | "fy">;
  /** Position of the scale bar and the arrow: below the map, or in a corner of each panel. */
  readonly scaleBar: "below" | "corner";
}

/** The fallback of a map, and the decorations of its interactive frame. They have the same size. */
export interface MapForm {
  readonly fallback: MapPlan;
  readonly frame: MapPlan;
}

/** A width in pixels. */
interface FormWidth {
  readonly width: number;
  /** Whether panels are below each other, as on a phone. */
  readonly isNarrow: boolean;
}

/** Description and subtitle of a map, which depend on its layout. */
interface MapTexts {
  readonly ariaLabel: string;
  readonly subtitle: string;
}

interface LayoutRule {
  /** Default width, in pixels. */
  readonly width: number;
  /** Description of a map without features or dates. */
  readonly empty: string;
  form(model: MapModel, extent: Box, width: FormWidth): MapForm;
  /** @param isFrame whether they are those of the interactive frame */
  texts(model: MapModel, plan: MapPlan, isFrame: boolean): MapTexts;
}

/** Pixels of a panel for its date, scale bar and arrow. */
const HEADROOM = 28;

/** Pixels. */
const LINE_WIDTH = 2.2;

/** Maximum number of items with tooltips: more are joined to one shape per color, which keeps the file small. */
const maxTitled = 2000;

const facets = { fx: { axis: null, padding: 0.03 }, fy: { axis: null, padding: 0.04 } } as const;

export const mapLayouts: Readonly<Record<MapLayout, LayoutRule>> = {
  one: {
    width: CHART_WIDTH,
    empty: "Map without features",
    form: (model, extent, { width }) => singleForm(model, extent, { width, maxHeight: 640, date: 0 }),
    texts: ({ features, labels, column, title }) => ({
      ariaLabel: `Map of ${countOf(features)}${column === undefined ? "" : ` by ${title}: ${labels.join(", ")}`}.`,
      subtitle: countOf(features),
    }),
  },
  animation: {
    width: 760,
    empty: "Map of nothing",
    form: (model, extent, { width }) =>
      singleForm(model, extent, { width, maxHeight: 600, date: model.dates.length - 1 }),
    texts: ({ features, labels, column, dates, subtitle }, { panels: [panel] }, isFrame) => {
      const date = panel && dates[panel.date];
      return {
        ariaLabel: `Map of ${countOf(features)} by ${column} on ${date}; values: ${labels.join(", ")}.`,
        // The frame's is at most as long as the fallback's, so that it has the same number of lines.
        subtitle: subtitle ?? countOf(features) + (isFrame ? `, ${dates.length} dates` : ` on ${date}`),
      };
    },
  },
  panels: { width: 940, empty: "Maps of nothing", form: panelsForm, texts: panelsTexts },
  swipe: { width: 940, empty: "Maps of nothing", form: swipeForm, texts: panelsTexts },
};

/** `1,024 features` */
export function countOf({ length }: MapModel["features"]): string {
  return counted(length, "feature");
}

interface SingleMap {
  readonly width: number;
  readonly maxHeight: number;
  readonly date: number;
}

function singleForm(model: MapModel, extent: Box, { width, maxHeight, date }: SingleMap): MapForm {
  const drawing = mapDrawing(model.features, extent, { width, maxHeight, decorations: 44 });
  const plan: MapPlan = {
    drawing,
    width,
    height: drawing.height,
    panels: [{ date, facet: {} }],
    lines: 1,
    wideLines: 1,
    headroom: 0,
    facets: {},
    scaleBar: "below",
  };
  return { fallback: plan, frame: plan };
}

function panelsForm(model: MapModel, extent: Box, { width, isNarrow }: FormWidth): MapForm {
  const { dates } = model;
  const columns = Math.min(dates.length, dates.length === 4 ? 2 : 3);
  const across = isNarrow ? 1 : columns;
  const lines = Math.ceil(dates.length / across);
  const drawing = panelDrawing(model, extent, width, across);
  const plan: MapPlan = {
    drawing,
    width,
    height: drawing.height * lines + 12,
    panels: dates.map((caption, date) => ({
      date,
      facet: { fx: String(date % across), fy: String(Math.floor(date / across)) },
      caption,
    })),
    lines,
    wideLines: Math.ceil(dates.length / columns),
    headroom: HEADROOM,
    facets,
    scaleBar: "corner",
  };
  return { fallback: plan, frame: plan };
}

/** The fallback has a map of each date; the frame has one map of both, as wide and as high as they are together. */
function swipeForm(model: MapModel, extent: Box, { width }: FormWidth): MapForm {
  const [pair, whole] = [panelDrawing(model, extent, width, 2), panelDrawing(model, extent, width, 1)];
  // Neither uses all of the available space.
  const height = Math.round(Math.sqrt(pair.height * whole.height)) + 12;
  const shared = { width, height, lines: 1, wideLines: 1, headroom: HEADROOM, facets };
  const panels = model.dates.map((caption, date) => ({ date, facet: { fx: String(date) }, caption }));
  return {
    fallback: { ...shared, drawing: pair, panels, scaleBar: "corner" },
    // Both dates are drawn in the same pane; the divider has their captions.
    frame: { ...shared, drawing: whole, panels: panels.map(({ date }) => ({ date, facet: {} })), scaleBar: "below" },
  };
}

function panelDrawing({ features }: MapModel, extent: Box, width: number, across: number): MapDrawing {
  return mapDrawing(features, extent, { width: (width - 12) / across, maxHeight: 520, decorations: 34 });
}

function panelsTexts({ features, labels, column, dates }: MapModel): MapTexts {
  return {
    ariaLabel: `Maps of ${countOf(features)} by ${column} on ${dates.join(", ")}; values: ${labels.join(", ")}.`,
    subtitle: `${countOf(features)} as of each date`,
  };
}

/**
 * Draws a map in a layout.
 *
 * @param finder for the decorations of an interactive frame, which draws the features, the background and the basemap itself
 */
export function drawMap(model: MapModel, layout: MapLayout, plan: MapPlan, finder?: ObservablePlot.Markish): Figure {
  const { data, title, background, basemap, plotOptions } = model;
  const { drawing, panels, headroom, facets, scaleBar, width, height } = plan;
  const { view, radius, extent, geometries } = drawing;
  const drawnBasemap = { basemap, view, extent };
  const isBelow = scaleBar === "below";
  const { ariaLabel, subtitle } = mapLayouts[layout].texts(model, plan, finder !== undefined);
  const lastDate = Math.max(...panels.map(({ date }) => date));
  return chart(
    {
      ariaLabel: ariaLabel + sharedText(model, lastDate),
      subtitle,
      provenance: data,
      title,
      ...captionOf(notesOf(model), basemapCaption(drawnBasemap)),
      width,
      height,
      margin: 6,
      marginLeft: 6,
      marginBottom: isBelow ? 32 : 6,
      projection: { ...view.projection, insetTop: headroom + (isBelow ? 8 : 0) },
      ...facets,
      color: colorScale(model, layout, panels),
      marks: [
        hatch(),
        finder,
        ...(finder ? [] : [basemapMark(drawnBasemap, headroom), backgroundMark(background)]),
        ...(finder ? [] : casingMark(model, mapItems(model, geometries, panels))),
        ...mapMarks(finder ? [] : mapItems(model, geometries, panels), radius),
        ...(finder ? [] : [basemapNamesMark(drawnBasemap, headroom)]),
        ...(finder ? [] : sharedMarks(model, plan)),
        captionMark(panels),
        mapDecorations(view, scaleBar),
      ],
    },
    withHeight(plotOptions, plan),
  );
}

/** Draws a map without its features: title, legend, scale bar and so on. Finds the panes of the features. */
export function drawFrame(
  model: MapModel,
  layout: MapLayout,
  plan: MapPlan,
): { readonly decorations: Figure; readonly panes: MapPanes } {
  const { drawing, panels, headroom } = plan;
  const facets = panels.map(({ facet }) => facet);
  const finder = paneFinder(drawing.view, model.basemap, facets, headroom);
  const decorations = drawMap(model, layout, plan, finder.mark);
  const panes = finder.panes();
  if (!panes) throw new Error("Plot has not drawn the mark that finds the map's place.");
  return { decorations, panes };
}

/** Words instead of a map without dates, or without features with a location. */
export function drawEmptyMap({ data, title, extent, plotOptions }: MapModel, layout: MapLayout): Figure {
  const nothing = extent ? "No dates" : "No features with a location";
  return chart({ ariaLabel: mapLayouts[layout].empty, provenance: data, title, nothing }, plotOptions);
}

function notesOf({ data, column, requestedDates }: MapModel): string {
  return column === undefined ? "" : historyNotes(data, column, { dates: requestedDates });
}

function colorScale(
  model: MapModel,
  layout: MapLayout,
  [panel]: readonly MapPanel[],
): NonNullable<FigureOptions["color"]> {
  const { labels, colours, column } = model;
  return {
    type: "ordinal",
    domain: labels,
    range: colours,
    ...(column === undefined ? {} : { legend: true }),
    ...(layout === "animation" && panel ? { tickFormat: tallyAt(model, panel.date) } : {}),
  };
}

/** Labels with the number of features at a date, padded to a common width. */
function tallyAt({ features, labels, codes }: MapModel, date: number): (label: string) => string {
  const tallies = new Map<string, number>();
  for (let index = date * features.length; index < (date + 1) * features.length; index += 1) {
    const label = labels[(codes[index] as number) - 1];
    if (label !== undefined) tallies.set(label, (tallies.get(label) ?? 0) + 1);
  }
  const most = formatCount(features.length).length;
  return (label) => {
    const count = formatCount(tallies.get(label) ?? 0);
    // A space is narrower than a digit.
    return `${label} ${count}${"\u00a0".repeat(Math.ceil(1.5 * (most - count.length)))}`;
  };
}

/** Wider lines below those of pale colors, which are their outlines. */
function casingMark({ labels, colours }: MapModel, items: readonly MapItem[]): ObservablePlot.Markish[] {
  const pale = new Set(labels.filter((_, index) => paleColors.has(colours[index] as string)));
  const lines = items.filter(({ label, geometry }) => pale.has(label) && kindOf(geometry) === "line");
  if (lines.length === 0) return [];
  const facets = lines.some(({ fx }) => fx !== undefined) ? { fx: "fx", fy: "fy" } : {};
  const stroke = { stroke: outline.color, strokeOpacity: outline.opacity, strokeWidth: LINE_WIDTH + 2 * outline.width };
  return [ObservablePlot.geo(joined(lines), { geometry: "geometry", ...facets, ...stroke })];
}

/** Marks that draw areas, lines and points of a radius. */
function mapMarks(items: readonly MapItem[], radius: number): ObservablePlot.Markish[] {
  const isJoined = items.length > maxTitled;
  const drawn = isJoined ? joined(items) : items;
  const kinds = { area: [] as MapItem[], line: [] as MapItem[], point: [] as MapItem[] };
  for (const item of drawn) kinds[kindOf(item.geometry)].push(item);
  const channels = {
    geometry: "geometry",
    ...(items.some(({ fx }) => fx !== undefined) ? { fx: "fx", fy: "fy" } : {}),
    ...(isJoined ? {} : { title: "title" }),
  };
  return [
    ObservablePlot.geo(kinds.area, { ...channels, fill: "label", stroke: "label", strokeWidth: 0.6 }),
    ObservablePlot.geo(kinds.line, { ...channels, stroke: "label", strokeWidth: LINE_WIDTH }),
    ObservablePlot.geo(kinds.point, { ...channels, fill: "label", stroke: "none", r: radius }),
  ];
}

/** Rings around locations with several features and their number; in dense places, those with most features. */
function sharedMarks(
  model: MapModel,
  { panels, headroom, drawing: { radius } }: MapPlan,
): readonly ObservablePlot.Markish[] {
  const places = panels.flatMap(({ date, facet }) =>
    sharedAt(model, date).map(({ position: [x, y], rows }) => ({ x, y, count: rows.length, ...facet })),
  );
  if (places.length === 0) return [];
  const shown = mostShared(places);
  const measure = (text: string) => textWidth(text, NAME.size);
  const withNumbers: ObservablePlot.RenderFunction = (index, scales, values, dimensions, context, next) => {
    const [xs, ys] = [values["x"], values["y"]] as unknown as [ArrayLike<number>, ArrayLike<number>];
    const pane = paneOf(dimensions, headroom);
    const names = [...index].map((at) => {
      const text = formatCount((shown[at] as { readonly count: number }).count);
      return { at, ...ringName(text, [xs[at] as number, ys[at] as number], measure(text), radius, pane) };
    });
    const room = namesWithRoom(names, pane, measure);
    const rings = next?.(room.map(({ at }) => at) as never, scales, values, dimensions, context);
    return nameTexts(context.document, room, { "aria-label": "features at one location" }, [
      rings,
    ]) as ReturnType<ObservablePlot.RenderFunction>;
  };
  const channels = { x: "x", y: "y", ...(panels[0]?.facet.fx === undefined ? {} : { fx: "fx", fy: "fy" }) };
  const ring = { r: radius + RING.gap, stroke: "currentColor", strokeWidth: RING.width };
  return [ObservablePlot.dot(shown, { ...channels, ...ring, sort: null, render: withNumbers })];
}

/** Geometries as a pale background for others, on every panel. */
function backgroundMark(geometries: readonly Geometry[]): ObservablePlot.Markish {
  const areas = geometries.filter((geometry) => kindOf(geometry) === "area");
  const others = geometries.filter((geometry) => kindOf(geometry) !== "area");
  const shared = { facet: null, ariaLabel: "background", stroke: "currentColor", strokeOpacity: 0.22 } as const;
  return [
    ...(areas.length > 0
      ? [ObservablePlot.geo([join(areas)], { ...shared, strokeWidth: 0.5, fill: "currentColor", fillOpacity: 0.1 })]
      : []),
    ...(others.length > 0
      ? [ObservablePlot.geo([{ type: "GeometryCollection", geometries: others }], { ...shared, r: 1.5 })]
      : []),
  ];
}

/** One item for each label, kind and panel. */
function joined(items: readonly MapItem[]): readonly MapItem[] {
  const groups = new Map<string, { item: MapItem; geometries: Geometry[] }>();
  for (const item of items) {
    const key = JSON.stringify([item.label, item.fx, item.fy, kindOf(item.geometry)]);
    const group = groups.get(key);
    if (group) group.geometries.push(item.geometry);
    else groups.set(key, { item, geometries: [item.geometry] });
  }
  return [...groups.values()].map(({ item, geometries }) => ({ ...item, geometry: join(geometries) }));
}

function join(geometries: readonly Geometry[]): Geometry {
  const parts: Geometry[] = [...geometries];
  const kind = parts[0] ? kindOf(parts[0]) : "point";
  const polygons = parts.flatMap((part) =>
    part.type === "Polygon" ? [part.coordinates] : part.type === "MultiPolygon" ? part.coordinates : [],
  );
  if (kind === "area") return { type: "MultiPolygon", coordinates: polygons };
  const lines = parts.flatMap((part) =>
    part.type === "LineString" ? [part.coordinates] : part.type === "MultiLineString" ? part.coordinates : [],
  );
  if (kind === "line") return { type: "MultiLineString", coordinates: lines };
  return { type: "GeometryCollection", geometries: parts };
}

/** The captions of panels in their corners. */
function captionMark(panels: readonly MapPanel[]): ObservablePlot.Markish {
  const captions = panels.flatMap(({ facet, caption }) => (caption === undefined ? [] : [{ ...facet, caption }]));
  if (captions.length === 0) return [];
  return ObservablePlot.text(captions, {
    fx: "fx",
    fy: "fy",
    text: "caption",
    frameAnchor: "top-left",
    dx: 8,
    dy: 4,
    fontWeight: "bold",
    fontSize: 13,
  });
}

/** A height set by the caller applies to the number of lines on a wide page. */
function withHeight(options: FigureOptions, { lines, wideLines }: MapPlan): FigureOptions {
  const { height } = options;
  return height === undefined ? options : { ...options, height: (height * lines) / wideLines };
}
