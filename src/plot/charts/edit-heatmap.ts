import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { formatCount } from "../../core/format/format-number.js";
import { formatCompact } from "../../core/format/format-tick.js";
import { checkOptions, type OptionRules, oneOf } from "../../core/options.js";
import { isHistory } from "../../history/is-history.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { silent } from "../tips/extract-tooltips.js";
import { accent, countShades } from "../values/palette.js";
import { tableRows } from "../values/table-rows.js";

const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const hint =
  "Pass a history, or a table with `weekday` (1 is Monday), `hour` and `edits` such as `history.editsByUser().hours`.";

/** Options of `editHeatmap()`. All others are passed to Plot. */
export interface EditHeatmapOptions extends FigureOptions {
  /** Edits by people, by the system, or both. Default: `"both"`. */
  readonly by?: "people" | "system" | "both";
}

export const editHeatmapRules: OptionRules<EditHeatmapOptions> = {
  ...figureRules,
  by: oneOf("people", "system", "both"),
};

/**
 * Returns a heatmap of edits by weekday and hour, in the history's time zone. If one hour has far more edits than the
 * others, cells are shaded by rank, which the subtitle mentions.
 *
 * @param data a history, or a table like that of `history.editsByUser().hours`
 * @throws ArgumentError for another table
 * @example
 * editHeatmap(history)
 */
export function editHeatmap(data: History | Layer | ColumnTable, options: EditHeatmapOptions = {}): Figure {
  checkOptions("editHeatmap()", options, editHeatmapRules);
  const { by = "both", ...plotOptions } = options;
  const ofHistory = isHistory(data);
  const rows = tableRows(ofHistory ? data.editsByUser().hours : data, hint);
  const [weekdayAt, hourAt, editsAt] = [rows.column("weekday"), rows.column("hour"), rows.column("edits")];
  const systemAt = rows.has("system") ? rows.column("system") : () => false;
  const week = new Map<number, number>();
  for (let row = 0; row < rows.count; row += 1) {
    if (by !== "both" && systemAt(row) !== (by === "system")) continue;
    const slot = 24 * (Number(weekdayAt(row)) - 1) + Number(hourAt(row));
    week.set(slot, (week.get(slot) ?? 0) + Number(editsAt(row)));
  }
  const cells = Array.from({ length: 168 }, (_, slot) => ({
    weekday: weekdays[Math.floor(slot / 24)] as string,
    hour: slot % 24,
    edits: week.get(slot) ?? 0,
  }));
  const total = cells.reduce((sum, { edits }) => sum + edits, 0);
  const busiest = cells.reduce((best, cell) => (cell.edits > best.edits ? cell : best));
  const who = { people: " by people", system: " by the system", both: "" }[by];
  const zone = ofHistory ? `, ${data.timeZone}` : "";
  const busy = cells.filter(({ edits }) => edits > 0);
  const shades = countShades(
    busy.map(({ edits }) => edits),
    [0.06, 0.75],
  );
  const marksOf = (hour: "x" | "y", weekday: "x" | "y") => {
    const axes = { [hour]: "hour", [weekday]: ({ weekday }: { weekday: string }) => weekday };
    return [
      // Cells without edits have a tooltip, too.
      ObservablePlot.cell(cells, {
        ...axes,
        fill: "currentColor",
        fillOpacity: 0.05,
        rx: 3,
        channels: { edits: "edits" },
      }),
      silent(ObservablePlot.cell(busy, { ...axes, fill: accent, fillOpacity: "edits", rx: 3 })),
      ObservablePlot.text(busy, { ...axes, text: ({ edits }) => formatCompact(edits), fontSize: 10.5 }),
    ];
  };
  const hours = { tickSize: 0, domain: cells.slice(0, 24).map(({ hour }) => hour), padding: 0.06 };
  const days = { label: null, domain: weekdays, tickSize: 0, padding: 0.06 };
  return chart(
    {
      ariaLabel: `Heat map of ${total} edits${who} by weekday and hour; most on ${busiest.weekday} at ${busiest.hour} o'clock, ${busiest.edits}.`,
      provenance: data,
      title: `Edits${who} by weekday and hour`,
      subtitle: `${formatCount(total)} edits${zone}${shades.note}`,
      width: 860,
      height: 270,
      marginLeft: 46,
      x: { ...hours, label: "hour of day", labelAnchor: "center" },
      y: days,
      opacity: shades.opacity,
      marks: marksOf("x", "y"),
    },
    plotOptions,
    // 24 columns do not fit on a phone: there, hours are rows.
    {
      height: 520,
      marginTop: 40,
      marginBottom: 10,
      x: { ...days, axis: "top" },
      y: { ...hours, label: "hour of day" },
      marks: marksOf("y", "x"),
    },
  );
}
