import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import type { History } from "../history/history.js";
import type { Layer } from "../layer/layer.js";
import { chart, emptyNote } from "./chart.js";
import type { ChartDates } from "./chart-dates.js";
import type { Figure } from "./figure.js";
import { hatch } from "./hatch.js";
import type { MapOptions } from "./layer-map.js";
import { mapExtent } from "./map-extent.js";
import { mapFurniture } from "./map-furniture.js";
import { mapMarks } from "./map-marks.js";
import { mapView } from "./map-view.js";
import { timedValues } from "./timed-values.js";

/**
 * The same map at several dates, side by side: features that existed then, coloured by the column as of the date.
 * Unknown values are hatched.
 *
 * @param data a history, or a table with `date`, `id`, `geometry` and the column
 * @param dates in ascending order, or steps
 * @throws ArgumentError
 */
export function mapAt(
  data: History | Layer | ColumnTable,
  column: string,
  dates: ChartDates,
  options: MapOptions = {},
): Figure {
  const { order, thresholds, ...plotOptions } = options;
  const values = timedValues(data, column, dates, { order, thresholds });
  const { features, labels, colours, codes } = values;
  const extent = mapExtent(features.map(({ geometry }) => geometry));
  if (!extent)
    return chart({ ariaLabel: "Maps without features", marks: [emptyNote("No features with a place")] }, plotOptions);

  const columns = Math.min(values.dates.length, values.dates.length === 4 ? 2 : 3);
  const lines = Math.ceil(values.dates.length / columns);
  const panel = (date: number) => ({ fx: String(date % columns), fy: String(Math.floor(date / columns)) });
  const items = values.dates.flatMap((day, date) =>
    features.flatMap(({ geometry, name }, row) => {
      const label = labels[(codes[date * features.length + row] ?? 0) - 1];
      return label === undefined ? [] : [{ geometry, label, title: `${name}, ${day}: ${label}`, ...panel(date) }];
    }),
  );
  const captions = values.dates.map((day, date) => ({ day, ...panel(date) }));
  const view = mapView(extent);
  const width = plotOptions.width ?? 940;
  const panelWidth = (width - 12) / columns;
  const panelHeight = Math.min(520, Math.max(140, panelWidth * view.aspect + 24));
  const height = plotOptions.height ?? Math.round(panelHeight * lines + 38);
  const pixelsPerDegree = (panelWidth * view.aspect) / Math.max(extent.north - extent.south, 1e-6);
  return chart(
    {
      ariaLabel: `Maps of ${features.length} features by ${column} on ${values.dates.join(", ")}; values: ${labels.join(", ")}.`,
      title: `${column} over time`,
      subtitle: `${features.length.toLocaleString("en-US")} features as of each date`,
      width,
      height,
      margin: 6,
      marginBottom: 32,
      projection: { ...view.projection, insetTop: 24 },
      fx: { axis: null, padding: 0.03 },
      fy: { axis: null, padding: 0.04 },
      color: { type: "ordinal", domain: labels, range: colours, legend: true },
      marks: [
        hatch(),
        ...mapMarks(items, pixelsPerDegree, panelWidth * panelHeight),
        ObservablePlot.text(captions, {
          fx: "fx",
          fy: "fy",
          text: "day",
          frameAnchor: "top-left",
          dx: 8,
          dy: 4,
          fontWeight: "bold",
          fontSize: 13,
        }),
        mapFurniture(view.centre),
      ],
    },
    plotOptions,
  );
}
