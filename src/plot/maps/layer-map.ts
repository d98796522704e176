import type { ColumnTable } from "arquero";
import { anything, checkOptions, list, type OptionRules, texts } from "../../core/options.js";
import { isHistory } from "../../history/is-history.js";
import type { History, Layer } from "../../layer/layer.js";
import type { Basemap } from "../basemap/basemap.js";
import { type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { classifyValues } from "../values/classify-values.js";
import { accent } from "../values/palette.js";
import { tableRows } from "../values/table-rows.js";
import { columnOrder } from "../values/value-order.js";
import { type FeatureHref, featureHref, featureLinks, type LinkFeature } from "./feature-links.js";
import { figureOfMap } from "./interactive-map.js";
import { columnLabel, featureHint, mapFeatures } from "./map-features.js";
import { type MapValues, mapModel } from "./map-model.js";
import { besides, toldColumn } from "./timed-values.js";

/** Options of maps. All others are passed to Plot. */
export interface MapOptions extends FigureOptions {
  /** Values in the order of the legend. Default: the order in the definition's options, then in the log, else ascending. */
  readonly order?: readonly unknown[];
  /** Thresholds between classes of numbers. Default: five classes with about the same number of features. */
  readonly thresholds?: readonly number[];
  /** Features to draw in gray below, for orientation, such as the panels under the anomalies. */
  readonly background?: Layer | ColumnTable;
  /**
   * Basemap below everything: outlines with names (a layer, `site.blocks()`, GeoJSON or its path), pictures and tiles from
   * `loadBasemap()`, or several of these, from bottom to top; `false` for none. Default: the blocks of a layer of
   * `fromRecords()`.
   */
  readonly basemap?: Basemap;
  /** Columns to show in the tooltip in addition to the name and the drawn column. Default: TITLE and STATUS, if present. */
  readonly tip?: readonly string[];
  /**
   * URL of a feature in another application, for a link on its card: a string with column names in braces,
   * `https://example.com/features/{id}`, or a function of the row. Only `https:` and `http:`; an empty result means no link.
   */
  readonly href?: string | LinkFeature;
}

/** Rules of the options of every map. */
export const mapRules: OptionRules<MapOptions> = {
  ...figureRules,
  order: list,
  thresholds: list,
  background: anything,
  basemap: anything,
  tip: texts,
  href: featureHref,
};

/**
 * Returns a map of the features of a layer, colored by a column: north up, with a scale bar and a legend. The projection is
 * Mercator up to a few degrees, beyond that Equal Earth, whose areas can be compared.
 *
 * @param data a layer, a table with a column `geometry`, or a history, shown as of its read time
 * @param column for the colors; numbers are divided into classes. If omitted, all features have one color
 * @throws ArgumentError for an unknown column, and data without geometries
 * @example
 * layerMap(tickets, "PRIORITY", { background: trenches, height: 300 })
 */
export function layerMap(data: Layer | History | ColumnTable, column?: string, options: MapOptions = {}): Figure {
  checkOptions("layerMap()", options, mapRules);
  const { order, thresholds, background, basemap, tip, href, ...plotOptions } = options;
  const drawn = isHistory(data) ? data.asOf(data.until) : data;
  const course = column === undefined ? undefined : columnOrder(data, column);
  const values = layerValues(drawn, column, { order, thresholds, course, tip, href });
  const title = column === undefined ? "Features" : columnLabel(drawn, column);
  const content = { data, column, title, plotOptions };
  return figureOfMap(mapModel(values, content, { background, basemap }), "one");
}

interface ValueOptions extends NonNullable<Parameters<typeof classifyValues>[1]> {
  readonly tip: readonly string[] | undefined;
  readonly href: FeatureHref | undefined;
}

/** The title and the status of features, by the usual names of these columns. */
function headings(names: readonly string[]): readonly string[] {
  return names.filter((name) => /^(?:title|status)$/i.test(name));
}

/** The features of a table, with the labels of a column. */
function layerValues(
  data: Layer | ColumnTable,
  column: string | undefined,
  { tip, href, ...classes }: ValueOptions,
): MapValues {
  const features = mapFeatures(data, column);
  const rows = tableRows(data, featureHint);
  const names = [...(column === undefined ? [] : [column]), ...besides(tip ?? headings(rows.names), column)];
  for (const name of [...names, ...(tip ?? [])]) rows.column(name);
  const links = featureLinks(href, rows, features);
  const { labels, colours, labelOf } =
    column === undefined
      ? { labels: ["feature"], colours: [accent], labelOf: () => "feature" }
      : classifyValues(features, classes);
  const codeOf = new Map(labels.map((label, index) => [label, index]));
  const classOf = (value: unknown) => codeOf.get(labelOf(value)) ?? -1;
  const tipColumn = (name: string) => {
    const at = rows.column(name);
    const intervals = features.map(({ row: index }, row) => ({ row, first: 0, end: 1, value: at(index) }));
    return toldColumn(columnLabel(data, name), intervals, 1, name === column ? classOf : undefined);
  };
  const tipColumns = () => names.map(tipColumn);
  const codes = features.map(({ value }) => classOf(value) + 1);
  return { features, dates: [], labels, colours, codes, tipColumns, links };
}
