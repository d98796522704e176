import type { ColumnTable } from "arquero";
import type { Geometry } from "geojson";
import type { Dates } from "../../history/time/date-grid.js";
import type { Layer } from "../../layer/layer.js";
import type { IntervalColumn } from "../../tables/display/live/map-payload.js";
import { type Basemap, type DrawnBasemap, drawnBasemap } from "../basemap/basemap.js";
import type { Box } from "../basemap/mercator.js";
import type { FigureOptions } from "../figure/figure.js";
import { mapExtent } from "./map-drawing.js";
import { type MapFeature, mapFeatures } from "./map-features.js";

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
  const basemap = drawnBasemap(surroundings.basemap, content.data);
  const below = surroundings.background ? mapFeatures(surroundings.background, undefined) : [];
  const background = below.map(({ geometry }) => geometry);
  const extent = mapExtent([...background, ...values.features.map(({ geometry }) => geometry)]);
  return { ...values, ...content, background, basemap, extent };
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
  { features, labels, codes, column }: MapModel,
  geometries: readonly Geometry[],
  panels: readonly MapPanel[],
): readonly MapItem[] {
  return panels.flatMap(({ date, facet, caption }) =>
    features.flatMap(({ name, ...feature }, row) => {
      const label = labels[(codes[date * features.length + row] as number) - 1];
      if (label === undefined) return [];
      const heading = caption === undefined ? name : `${name}, ${caption}`;
      const title = column === undefined ? name : `${heading}: ${label}`;
      return [{ geometry: geometries[row] ?? feature.geometry, label, title, ...facet }];
    }),
  );
}
