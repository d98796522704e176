import type { ColumnTable } from "arquero";
import type { Geometry, Position } from "geojson";
import { counted } from "../../core/counted.js";
import { formatCount } from "../../core/format/format-number.js";
import type { Dates } from "../../history/time/date-grid.js";
import type { Layer } from "../../layer/layer.js";
import type { IntervalColumn } from "../../tables/display/live/map-payload.js";
import { type Basemap, type DrawnBasemap, drawnBasemap } from "../basemap/basemap.js";
import type { Box } from "../basemap/mercator.js";
import type { FigureOptions } from "../figure/figure.js";
import { graticule, mapExtent } from "./map-drawing.js";
import { kindOf, type MapFeature, mapFeatures } from "./map-features.js";

/** Features of a map with their labels, at one time or at several dates. */
export interface MapValues {
  readonly features: readonly MapFeature[];
  /** Empty for a map of one time. */
  readonly dates: readonly string[];
  /** Labels of the legend; the classes of the first column refer to them. */
  readonly labels: readonly string[];
  readonly colours: readonly string[];
  /** 1 + index of a feature's label at a date, 0 where it does not exist. Date by date. */
  readonly codes: ArrayLike<number>;
  /**
   * The column and the additional columns of the tooltips, computed when the map is displayed. If empty, all features have
   * the first label.
   */
  readonly tipColumns: () => readonly IntervalColumn[];
  /** URLs of features in another application, if requested. */
  readonly links: readonly string[] | undefined;
}

/** Title, dates and options of a map. */
interface MapContent {
  /** Source of the features, for provenance and notes. */
  readonly data: unknown;
  /** Column that determines the colors; undefined if all features have one color. */
  readonly column: string | undefined;
  readonly title: string;
  /** Line below the title. Default: that of the layout. */
  readonly subtitle?: string | undefined;
  /** The dates as passed by the caller, if any. */
  readonly requestedDates?: Dates | undefined;
  /** The caller's options for Plot. */
  readonly plotOptions: FigureOptions;
}

/** A map, regardless of its size and layout. */
export interface MapModel extends MapValues, MapContent {
  /** Geometries below the features, in gray. */
  readonly background: readonly Geometry[];
  readonly basemap: DrawnBasemap;
  /** Undefined if no feature has a location. */
  readonly extent: Box | undefined;
  /** Rows of points at the same location, for each location with several. */
  readonly sharedLocations: readonly SharedLocation[];
}

/** Several points at one location, of which a map shows only the uppermost. */
export interface SharedLocation {
  readonly position: Position;
  readonly rows: readonly number[];
}

/** Data below the features. */
interface MapSurroundings {
  readonly background: Layer | ColumnTable | undefined;
  readonly basemap: Basemap | undefined;
}

/**
 * Joins the features of a map, its texts, and what is below the features.
 *
 * @throws ArgumentError for an invalid basemap, and a background without geometries
 */
export function mapModel(values: MapValues, content: MapContent, surroundings: MapSurroundings): MapModel {
  const given = drawnBasemap(surroundings.basemap, content.data);
  const below = surroundings.background ? mapFeatures(surroundings.background, undefined) : [];
  const background = below.map(({ geometry }) => geometry);
  const extent = mapExtent([...background, ...values.features.map(({ geometry }) => geometry)]);
  // Names alone do not show where on earth the features are.
  const isBare = given.pictures.length === 0 && given.shapes.every(({ geometry }) => kindOf(geometry) === "point");
  const lines = extent && isBare && surroundings.basemap !== false ? graticule(extent) : [];
  // Names that come first have room first.
  const basemap = { ...given, shapes: [...given.shapes, ...lines] };
  return { ...values, ...content, background, basemap, extent, sharedLocations: sharedLocations(values.features) };
}

function sharedLocations(features: readonly MapFeature[]): readonly SharedLocation[] {
  const known = new Map<string, { readonly position: Position; readonly rows: number[] }>();
  for (const [row, { geometry }] of features.entries()) {
    if (geometry.type !== "Point") continue;
    const position = geometry.coordinates;
    const key = `${position[0]},${position[1]}`;
    const location = known.get(key);
    if (location) location.rows.push(row);
    else known.set(key, { position, rows: [row] });
  }
  return [...known.values()].filter(({ rows }) => rows.length > 1);
}

/** The features at shared locations that exist at a date. */
export function sharedAt({ sharedLocations, features, codes }: MapModel, date: number): readonly SharedLocation[] {
  return sharedLocations.flatMap(({ position, rows }) => {
    const existing = rows.filter((row) => (codes[date * features.length + row] as number) > 0);
    return existing.length > 1 ? [{ position, rows: existing }] : [];
  });
}

/** `298 of them are at one location.`; an empty string if all features are apart. */
export function sharedText(model: MapModel, date: number): string {
  const shared = sharedAt(model, date);
  if (shared.length === 0) return "";
  const count = shared.reduce((sum, { rows }) => sum + rows.length, 0);
  const who = count === model.features.length ? "All" : `${formatCount(count)} of them`;
  return ` ${who} ${shared.length === 1 ? "are at one location" : `share ${counted(shared.length, "location")}`}.`;
}

/** Panel of small multiples. */
export interface Facet {
  readonly fx?: string;
  readonly fy?: string;
}

/** The features of a date on a map. */
export interface MapPanel {
  /** Index of the date; 0 for a map of one time. */
  readonly date: number;
  readonly facet: Facet;
  /** The date as a caption and in tooltips, if several are next to each other. */
  readonly caption?: string | undefined;
}

/** A geometry on a map with the label for its color. */
export interface MapItem extends Facet {
  readonly geometry: Geometry;
  readonly label: string;
  /** Text of the tooltip. */
  readonly title: string;
}

/**
 * The features that exist at the dates of panels.
 *
 * @param geometries simplified geometries of the features
 */
export function mapItems(
  model: MapModel,
  geometries: readonly Geometry[],
  panels: readonly MapPanel[],
): readonly MapItem[] {
  const { features, labels, codes, column } = model;
  return panels.flatMap(({ date, facet, caption }) => {
    const ranks = new Map(
      sharedAt(model, date).flatMap(({ rows }) =>
        rows.map((row, index) => [row, `, ${formatCount(index + 1)} of ${formatCount(rows.length)} here`] as const),
      ),
    );
    return features.flatMap(({ name, ...feature }, row) => {
      const label = labels[(codes[date * features.length + row] as number) - 1];
      if (label === undefined) return [];
      const heading = caption === undefined ? name : `${name}, ${caption}`;
      const title = (column === undefined ? name : `${heading}: ${label}`) + (ranks.get(row) ?? "");
      return [{ geometry: geometries[row] ?? feature.geometry, label, title, ...facet }];
    });
  });
}
