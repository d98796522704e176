import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { formatAmount, formatCount, formatPercent } from "../../core/format/format-number.js";
import { anything, checkOptions, type OptionRules, text } from "../../core/options.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { labels, NOT_KNOWN, valueLabel } from "../../history/order/value-label.js";
import { Layer } from "../../layer/layer.js";
import { chart, emptyNote } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { silent } from "../tips/extract-tooltips.js";
import { grey, palette } from "../values/palette.js";
import { type TableRows, tableRows } from "../values/table-rows.js";
import { MOST_SERIES } from "../values/value-order.js";
import { captureNames } from "./capture-changes.js";

/** Options of `pareto()`. All others are passed to Plot. */
export interface ParetoOptions extends FigureOptions {
  /** Column, or columns, with a bar for each value. Default for an inspection: its dimensions. */
  readonly by?: string | readonly string[];
  /** Column to sum. Default for an inspection: `affected_kw`, or `anomalies` if all powers are unknown. */
  readonly measure?: string;
  /** Unit of the measure, for the axis and labels. Default: that of the layer's column. */
  readonly unit?: string;
}

export const paretoRules: OptionRules<ParetoOptions> = { ...figureRules, by: anything, measure: text, unit: text };

const hint = "Pass the result of `inspection()`, or a layer or table with { by, measure }.";

/** A column of amounts in an inspection. */
interface InspectionMeasure {
  readonly title: string;
  readonly unit: string;
  /** Column with the number of anomalies whose amount is unknown. */
  readonly unknown?: string;
}

const inspectionMeasures: Readonly<Record<string, InspectionMeasure>> = {
  affected_kw: { title: "Affected power", unit: "kW", unknown: "without_power" },
  kwh_per_year: { title: "Lost energy", unit: "kWh a year", unknown: "without_power" },
  money_per_year: { title: "Lost money", unit: "money a year", unknown: "without_power" },
  modules: { title: "Affected modules", unit: "modules", unknown: "without_modules" },
  anomalies: { title: "Anomalies", unit: "anomalies" },
};

/**
 * Returns a Pareto chart: the sum of each class, severity or block, largest first, with the cumulative share of the total as a
 * line. The line and the bars share one axis. Beyond 20 bars, the smallest are merged into one.
 *
 * @param data the result of `inspection()`, by class, severity or block (with several captures, the last is drawn), or a
 * layer or table with the columns `by` and `measure`
 * @throws ArgumentError for unknown columns, and amounts below 0
 * @example
 * pareto(await inspection([after], { classColumn: "Class", by: "class" }), { measure: "anomalies" })
 */
export function pareto(data: Layer | ColumnTable, options: ParetoOptions = {}): Figure {
  checkOptions("pareto()", options, paretoRules);
  const { by, measure, unit, ...plotOptions } = options;
  const question = ask(data, { by, measure, unit });
  const { bars, total } = barsOf(question);
  const heading = `${inspectionMeasures[question.measure]?.title ?? question.measure} by ${question.by.join(" and ")}`;
  const spoken = bars.map(({ name, amount, share }) =>
    amount === null ? `${name} ${NOT_KNOWN}` : `${name} ${formatAmount(amount)} (${percent(share)})`,
  );
  const draw = (layout: Layout): Omit<FigureOptions, "ariaLabel"> => ({
    height: 80 + layout.row * Math.max(bars.length, total > 0 ? 1 : 2),
    marginLeft: layout.marginLeft,
    marginRight: layout.marginRight,
    y: {
      type: "band",
      label: null,
      domain: bars.map(({ name }) => name),
      padding: layout.padding,
      axis: layout.isBeside ? "left" : null,
    },
    marks: [
      ...(total > 0 ? axes(total, question.unit) : []),
      ...paretoMarks(bars, total, question, layout),
      ...(total > 0 ? [silent(ObservablePlot.ruleX([0]))] : []),
      ...(total > 0
        ? []
        : [emptyNote(bars.some(({ amount }) => amount !== null) ? "All amounts are 0" : "No known amounts")]),
    ],
  });
  return chart(
    {
      ariaLabel: `Pareto chart of ${heading}, with the cumulative share: ${spoken.join(", ") || "none"}.`,
      provenance: data,
      nothing: bars.length === 0 && "No data",
      title: heading,
      subtitle: `${formatAmount(total)} ${question.unit}${question.capture === undefined ? "" : ` in ${question.capture}`}; line: cumulative share`,
      ...captionOf(question, bars),
      width: CHART_WIDTH,
      marginTop: 38,
      marginBottom: 42,
      x: { axis: null, domain: [0, total > 0 ? total : 1] },
      ...draw(beside),
    },
    plotOptions,
    draw(above),
  );
}

/** Complete options. */
interface Asked {
  readonly rows: TableRows;
  readonly by: readonly string[];
  readonly measure: string;
  readonly unit: string;
  /** The drawn capture of several. */
  readonly capture: string | undefined;
  /** Its rows. */
  readonly rowIndices: readonly number[];
  /** Column with the count of unknown amounts. */
  readonly unknown: string | undefined;
}

function ask(
  data: Layer | ColumnTable,
  given: { readonly [Name in "by" | "measure" | "unit"]: ParetoOptions[Name] | undefined },
): Asked {
  const rows = tableRows(data, hint);
  const columns = (data instanceof Layer ? data.table : data).columnNames();
  const isInspection = ["anomalies", "affected_kw", "without_power"].every((name) => columns.includes(name));
  const all = Array.from({ length: rows.count }, (_, row) => row);
  const dimensions = isInspection ? columns.slice(0, columns.indexOf("anomalies")) : [];
  const by = given.by === undefined ? dimensions.filter((name) => name !== "capture") : [given.by].flat();
  if (by.length === 0 || by.some((name) => typeof name !== "string")) {
    const what = isInspection
      ? "the inspection is by capture only"
      : `by must be a column or columns, got ${showValue(given.by)}`;
    throw new ArgumentError(`pareto(): ${what}.`, {
      hint: isInspection
        ? 'Add a dimension: inspection(layers, { by: "class", … }).'
        : 'Set a column: { by: "Class" }.',
      facts: { option: "by" },
    });
  }
  for (const name of by) rows.column(name);
  const hasPower = () => all.some((row) => Number(rows.column("affected_kw")(row)) > 0);
  const measure = given.measure ?? (isInspection ? (hasPower() ? "affected_kw" : "anomalies") : undefined);
  if (measure === undefined) {
    throw new ArgumentError("pareto(): measure is missing.", {
      hint: `Set the column to sum: { measure: "Estimated loss" }. Columns: ${columns.join(", ")}.`,
      facts: { option: "measure" },
    });
  }
  rows.column(measure);
  const ofInspection = isInspection ? inspectionMeasures[measure] : undefined;
  const unit = given.unit ?? ofInspection?.unit ?? rows.format(measure).unit ?? measure;
  if (!dimensions.includes("capture") || by.includes("capture")) {
    return { rows, by, measure, unit, capture: undefined, rowIndices: all, unknown: ofInspection?.unknown };
  }
  const captureAt = rows.column("capture");
  // Groups need not be in the order of the captures; the totals contain all captures.
  const last = captureNames(data).at(-1) ?? (rows.count > 0 ? valueLabel(captureAt(rows.count - 1)) : undefined);
  const rowIndices = all.filter((row) => valueLabel(captureAt(row)) === last);
  return { rows, by, measure, unit, capture: last, rowIndices, unknown: ofInspection?.unknown };
}

/** A value of `by`. */
interface Bar {
  readonly name: string;
  /** null if it is entirely unknown. */
  readonly amount: number | null;
  /** Share of the total, including all bars before it. */
  readonly share: number;
  readonly isOther: boolean;
}

function barsOf({ rows, by, measure, rowIndices }: Asked): { readonly bars: readonly Bar[]; readonly total: number } {
  const [getters, amountAt] = [by.map((name) => rows.column(name)), rows.column(measure)];
  const sums = new Map<string, number | null>();
  for (const row of rowIndices) {
    const name = getters.map((at) => valueLabel(at(row))).join(", ");
    const amount = amountOf(amountAt(row), measure, row);
    const sum = sums.get(name) ?? null;
    sums.set(name, amount === null ? sum : (sum ?? 0) + amount);
  }
  // Zero amounts have no bar.
  const ordered = [...sums].filter(([, amount]) => amount !== 0).sort(([, a], [, b]) => (b ?? -1) - (a ?? -1));
  const kept = ordered.length > MOST_SERIES ? ordered.slice(0, MOST_SERIES - 1) : ordered;
  const rest = ordered.slice(kept.length);
  const others: readonly (readonly [string, number | null])[] =
    rest.length === 0 ? [] : [[`${rest.length} ${labels.other}s`, sumOf(rest.map(([, amount]) => amount))]];
  const total = sumOf([...sums.values()]) ?? 0;
  let sum = 0;
  const bars = [...kept, ...others].map(([name, amount], index): Bar => {
    sum += amount ?? 0;
    return { name, amount, share: total > 0 ? sum / total : 0, isOther: index >= kept.length };
  });
  return { bars, total };
}

/** The sum of known amounts; null if all are unknown. */
function sumOf(amounts: readonly (number | null)[]): number | null {
  const amountsKnown = amounts.filter((amount) => amount !== null);
  return amountsKnown.length === 0 ? null : amountsKnown.reduce((sum, amount) => sum + amount, 0);
}

/** @throws ArgumentError for a value that is not a number, or below 0 */
function amountOf(value: unknown, measure: string, row: number): number | null {
  if (value === null || value === undefined) return null;
  const amount = Number(value);
  if (Number.isFinite(amount) && amount >= 0) return amount;
  throw new ArgumentError(
    `pareto(): ${measure} of row ${row} is ${showTimeOrNumber(value)}; amounts must be 0 or more.`,
    {
      hint: "Remove other rows with table.filter(…).",
      facts: { measure, row },
    },
  );
}

/** Position of the names: next to the bars, or above them on a phone. */
interface Layout {
  readonly isBeside: boolean;
  readonly row: number;
  readonly padding: number;
  readonly marginLeft: number;
  readonly marginRight: number;
  readonly insets: { readonly insetTop?: number; readonly insetBottom?: number };
}

const beside: Layout = { isBeside: true, row: 28, padding: 0.25, marginLeft: 130, marginRight: 130, insets: {} };
const above: Layout = {
  isBeside: false,
  row: 46,
  padding: 0,
  marginLeft: 14,
  marginRight: 104,
  insets: { insetTop: 21, insetBottom: 5 },
};

/** The line is behind the names. */
const halo = { stroke: "var(--plot-background)", strokeWidth: 4, fill: "currentColor" } as const;

/** The amounts at the bottom, and their shares of the total at the top of the same axis. */
function axes(total: number, unit: string): readonly ObservablePlot.Markish[] {
  return [
    ObservablePlot.axisX({ anchor: "bottom", label: unit, labelAnchor: "center", labelArrow: "none", ticks: 4 }),
    ObservablePlot.axisX({
      anchor: "top",
      ticks: [0, 0.25, 0.5, 0.75, 1].map((share) => share * total),
      tickFormat: (amount: number) => percent(amount / total),
      label: null,
    }),
    ObservablePlot.gridX({ ticks: 4 }),
  ];
}

/** @param total the sum of the bars */
function paretoMarks(
  bars: readonly Bar[],
  total: number,
  { unit, by }: Asked,
  layout: Layout,
): readonly ObservablePlot.Markish[] {
  const { insets } = layout;
  const amountsKnown = bars.flatMap((bar) =>
    bar.amount === null || total === 0 ? [] : [{ ...bar, at: bar.share * total }],
  );
  const dy = ((insets.insetTop ?? 0) - (insets.insetBottom ?? 0)) / 2;
  const amounts = ({ amount, share }: Bar) =>
    amount === null ? NOT_KNOWN : `${formatAmount(amount)} · ${percent(share)}`;
  const line = { x: "at", y: "name", dy } as const;
  return [
    ObservablePlot.barX(amountsKnown, {
      x: "amount",
      y: "name",
      fill: ({ isOther }: Bar) => (isOther ? grey.other : (palette[0] as string)),
      ...insets,
      channels: {
        [by.join(", ")]: "name",
        [unit]: ({ amount }: Bar) => formatAmount(amount ?? 0),
        share: ({ amount }: Bar) => percent((amount ?? 0) / total),
        "cumulative share": ({ share }: Bar) => percent(share),
      },
      tip: { format: { x: false, y: false, fill: false } },
    }),
    silent(ObservablePlot.line(amountsKnown, { ...line, stroke: palette[1] as string, strokeWidth: 2 })),
    silent(ObservablePlot.dot(amountsKnown, { ...line, r: 3.5, fill: palette[1] as string })),
    ...(layout.isBeside
      ? []
      : [
          silent(
            ObservablePlot.text(bars, {
              y: "name",
              dy: -10,
              fontSize: 12,
              text: "name",
              frameAnchor: "left",
              textAnchor: "start",
              dx: 3,
              lineWidth: 17,
              textOverflow: "ellipsis",
              ...halo,
            }),
          ),
        ]),
    // Next to the bars, clear of the line.
    silent(
      ObservablePlot.text(bars, { y: "name", dy, text: amounts, frameAnchor: "right", textAnchor: "start", dx: 14 }),
    ),
  ];
}

function captionOf({ rows, unknown, measure, rowIndices }: Asked, bars: readonly Bar[]): { readonly caption?: string } {
  const at = rows.column(unknown ?? measure);
  const count = unknown
    ? rowIndices.reduce((sum, row) => sum + Number(at(row)), 0)
    : rowIndices.filter((row) => (at(row) ?? null) === null).length;
  if (count === 0 || bars.length === 0) return {};
  const of = unknown ? `${count === 1 ? "anomaly" : "anomalies"}` : `${count === 1 ? "row" : "rows"}`;
  return { caption: `Unknown for ${formatCount(count)} ${of}, not in the sums.` };
}

function percent(share: number): string {
  return formatPercent(100 * share, { decimals: 0 });
}
