import type { Markish } from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { formatCount } from "../../core/format/format-number.js";
import { anything, checkOptions, list, type OptionRules, texts } from "../../core/options.js";
import { isHistory } from "../../history/is-history.js";
import type { History, Layer } from "../../layer/layer.js";
import { type Basemap, basemapCaption, drawnBasemap } from "../basemap/basemap.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { classifyValues } from "../values/classify-values.js";
import { accent } from "../values/palette.js";
import { captionOf, presentNote } from "../values/present-note.js";
import { tableRows } from "../values/table-rows.js";
import { columnOrder } from "../values/value-order.js";
import { featureHref, featureLinks, type LinkFeature } from "./feature-links.js";
import { interactiveMap, mapForm, narrowForm, wholeMap } from "./interactive-map.js";
import { type MapDrawing, mapDrawing } from "./map-drawing.js";
import { columnLabel, featureHint, mapFeatures } from "./map-features.js";
import type { MapItem } from "./map-marks.js";
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
  /** Columns to show in the tooltip in addition to the name and the drawn column. */
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
  const features = mapFeatures(drawn, column);
  const course = column === undefined ? undefined : columnOrder(data, column);
  const rows = tableRows(drawn, featureHint);
  const tipColumns = [...(column === undefined ? [] : [column]), ...besides(tip, column)];
  for (const name of [...tipColumns, ...(tip ?? [])]) rows.column(name);
  const links = featureLinks(href, rows, features);
  const width = plotOptions.width ?? CHART_WIDTH;
  const below = drawnBasemap(basemap, data);
  const drawingOf = (wide: number) =>
    mapDrawing(features, background, below, { width: wide, maxHeight: 640, decorations: 44 });
  const drawing = drawingOf(width);
  const title = column === undefined ? "Features" : columnLabel(drawn, column);
  if (!drawing) {
    return chart(
      { ariaLabel: "Map without features", provenance: data, title, nothing: "No features with a location" },
      plotOptions,
    );
  }
  const { labels, colours, labelOf } = classifyValues(features, { order, thresholds, course });
  const itemsOf = ({ geometries }: MapDrawing): readonly MapItem[] =>
    features.map(({ name, value, ...feature }, index) => {
      const geometry = geometries[index] ?? feature.geometry;
      const label = column === undefined ? "feature" : labelOf(value);
      return { geometry, label, title: column === undefined ? name : `${name}: ${label}` };
    });
  const draw = (plan: MapDrawing, wide: number, shapes: readonly MapItem[], finder?: Markish) =>
    chart(
      {
        ...wholeMap(plan, shapes, wide, finder),
        ariaLabel: `Map of ${features.length} features${column === undefined ? "" : ` by ${title}: ${labels.join(", ")}`}.`,
        provenance: data,
        title,
        subtitle: `${formatCount(features.length)} features`,
        ...captionOf(column === undefined ? "" : presentNote(data, column), basemapCaption(plan)),
        color:
          column === undefined
            ? { type: "ordinal", domain: ["feature"], range: [accent] }
            : { type: "ordinal", domain: labels, range: colours, legend: true },
      },
      plotOptions,
    );
  const codeOf = new Map(labels.map((label, index) => [label, index]));
  const classOf = (value: unknown) => codeOf.get(labelOf(value)) ?? -1;
  const tell = (name: string) => {
    const at = rows.column(name);
    const intervals = features.map(({ row: place }, row) => ({ row, first: 0, end: 1, value: at(place) }));
    return toldColumn(columnLabel(drawn, name), intervals, 1, name === column ? classOf : undefined);
  };
  const formOf = (plan: MapDrawing, wide: number) =>
    mapForm(plan, itemsOf(plan), (items, finder) => draw(plan, wide, items, finder));
  return interactiveMap({
    wide: formOf(drawing, width),
    narrow: () => (plotOptions.width === undefined ? narrowForm(drawingOf, formOf) : undefined),
    content: () => ({
      features,
      links,
      drawing,
      labels: column === undefined ? ["feature"] : labels,
      columns: tipColumns.map(tell),
      dates: [],
    }),
  });
}
