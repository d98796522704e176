import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { formatDays } from "../../core/format/format-duration.js";
import { formatCount } from "../../core/format/format-number.js";
import { checkOptions, list, type OptionRules } from "../../core/options.js";
import { isHistory } from "../../history/is-history.js";
import { chartDate } from "../../history/order/chart-date.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { silent } from "../tips/extract-tooltips.js";
import { classifyValues } from "../values/classify-values.js";
import { captionOf, readingNote } from "../values/present-note.js";
import { tableRows } from "../values/table-rows.js";

/** Options of `lateEdits()`. All others are passed to Plot. */
export interface LateEditsOptions extends FigureOptions {
  /** Property columns in the order of the legend. Default: ascending. */
  readonly order?: readonly unknown[];
}

export const lateEditsRules: OptionRules<LateEditsOptions> = {
  ...figureRules,
  order: list,
};

/** Maximum number of dots in a page. */
const MOST_DOTS = 1000;

const hint = "Pass a history, or a table with `column`, `created_at` and `late_by_days` such as `history.lateEdits()`.";

/**
 * Returns a scatter plot of superseded edits: edits that arrived after a newer edit of the same feature and property, by the
 * time when they were made and their age relative to the newer edit. The time from an edit to its arrival is not shown.
 * With more than 1,000 edits, the 1,000 with the largest difference are drawn.
 *
 * @param data a history, or a table like that of `history.lateEdits()`
 * @throws ArgumentError for another table
 * @example
 * lateEdits(history)
 */
export function lateEdits(data: History | Layer | ColumnTable, options: LateEditsOptions = {}): Figure {
  checkOptions("lateEdits()", options, lateEditsRules);
  const { order, ...plotOptions } = options;
  const rows = tableRows(isHistory(data) ? data.lateEdits() : data, hint);
  const [columnAt, madeAt, lateAt] = [rows.column("column"), rows.column("created_at"), rows.column("late_by_days")];
  const all = Array.from({ length: rows.count }, (_, row) => ({
    value: columnAt(row),
    made: chartDate(madeAt(row)),
    days: Number(lateAt(row)),
  }));
  const edits = all.length <= MOST_DOTS ? all : all.toSorted((a, b) => b.days - a.days).slice(0, MOST_DOTS);
  const { labels, colours, labelOf } = classifyValues(edits, { order });
  const dots = edits.map(({ value, made, days }) => ({ label: labelOf(value), made, days }));
  const count = `${formatCount(all.length)} edit${all.length === 1 ? "" : "s"}`;
  const drawn =
    dots.length < all.length ? `; the ${formatCount(dots.length)} with the largest difference are shown` : "";
  const latest = dots.reduce((most, { days }) => Math.max(most, days), 0);
  return chart(
    {
      ariaLabel: `${count} superseded on arrival by a newer edit of the same feature and property${dots.length > 0 ? `, at most ${formatDays(latest, { decimals: 1 })} older than it` : ""}.`,
      provenance: data,
      nothing: dots.length === 0 && "No edit was superseded on arrival",
      title: "Edits superseded on arrival",
      subtitle: `${count} that arrived after a newer edit of the same feature and property${drawn}`,
      ...captionOf(readingNote(data, {})),
      width: CHART_WIDTH,
      height: 330,
      marginBottom: 52,
      x: {
        type: "utc",
        inset: 12,
        label: "time of the edit",
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 44,
      },
      y: { label: "days older than the newer edit", grid: true, zero: true, nice: true },
      color: { type: "ordinal", label: "property", domain: labels, range: colours, legend: true },
      marks: [
        ObservablePlot.ruleY([0]),
        ...labels.map((label, index) =>
          silent(
            ObservablePlot.ruleX(
              dots.filter((dot) => dot.label === label),
              {
                x: "made",
                y1: 0,
                y2: "days",
                stroke: "label",
                strokeOpacity: 0.45,
                dx: 6 * (index - (labels.length - 1) / 2),
              },
            ),
          ),
        ),
        // Edits that arrived together have the same time and are next to each other.
        ...labels.map((label, index) =>
          ObservablePlot.dot(
            dots.filter((dot) => dot.label === label),
            { x: "made", y: "days", fill: "label", r: 4, dx: 6 * (index - (labels.length - 1) / 2) },
          ),
        ),
      ],
    },
    plotOptions,
  );
}
