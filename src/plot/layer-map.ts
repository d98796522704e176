import type { PlotOptions } from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { History } from "../history/history.js";
import type { Layer } from "../layer/layer.js";
import { chart, emptyNote } from "./chart.js";
import { classifyValues } from "./classify-values.js";
import type { Figure } from "./figure.js";
import { hatch } from "./hatch.js";
import { mapExtent } from "./map-extent.js";
import { columnLabel, mapFeatures } from "./map-features.js";
import { mapFurniture } from "./map-furniture.js";
import { mapMarks } from "./map-marks.js";
import { mapView } from "./map-view.js";
import { accent } from "./palette.js";

/** Options of maps; all others go to Plot. */
export interface MapOptions extends PlotOptions {
  /** Values in the legend's order; by default ascending. */
  readonly order?: readonly unknown[];
  /** Where classes of numbers begin; by default such that about a fifth of the features lies in each. */
  readonly thresholds?: readonly number[];
}

/**
 * The features of a layer where they are, coloured by a column: north up, with a scale bar and a legend. Up to a few
 * degrees it is a Mercator map, beyond an Equal Earth map, whose areas can be compared.
 *
 * @param data a layer, a table with a column `geometry`, or a history, which is shown as of when it was read
 * @param column gives the colours; numbers are sorted into classes. Without it all features have one colour
 * @throws ArgumentError
 */
export function layerMap(data: Layer | History | ColumnTable, column?: string, options: MapOptions = {}): Figure {
  const { order, thresholds, ...plotOptions } = options;
  const shown = data instanceof History ? data.asOf(data.readAt) : data;
  const features = mapFeatures(shown, column);
  const extent = mapExtent(features.map(({ geometry }) => geometry));
  if (!extent)
    return chart({ ariaLabel: "Map without features", marks: [emptyNote("No features with a place")] }, plotOptions);

  const { labels, colours, labelOf } = classifyValues(features, order, thresholds);
  const title = column === undefined ? "Features" : columnLabel(shown, column);
  const items = features.map(({ geometry, name, value }) => {
    const label = column === undefined ? "feature" : labelOf(value);
    return { geometry, label, title: column === undefined ? name : `${name}: ${label}` };
  });
  const view = mapView(extent);
  const width = plotOptions.width ?? 720;
  const height = plotOptions.height ?? Math.round(Math.min(640, Math.max(220, width * view.aspect + 44)));
  const pixelsPerDegree = Math.min(
    (height - 44) / (extent.north - extent.south),
    (width * view.aspect) / (extent.north - extent.south),
  );
  return chart(
    {
      ariaLabel: `Map of ${features.length} features${column === undefined ? "" : ` by ${title}: ${labels.join(", ")}`}.`,
      title,
      subtitle: `${features.length.toLocaleString("en-US")} features`,
      width,
      height,
      margin: 6,
      marginBottom: 32,
      projection: view.projection,
      color:
        column === undefined
          ? { type: "ordinal", domain: ["feature"], range: [accent] }
          : { type: "ordinal", domain: labels, range: colours, legend: true },
      marks: [hatch(), ...mapMarks(items, pixelsPerDegree, width * height), mapFurniture(view.centre)],
    },
    plotOptions,
  );
}
