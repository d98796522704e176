import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { formatAmount, formatPercent, withUnit } from "../../core/format/format-number.js";
import { checkOptions, flag, type OptionRules, oneOf } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { translate } from "../../core/translate.js";
import { valueLabel } from "../../history/order/value-label.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { silent } from "../tips/extract-tooltips.js";
import { hatch, hatchFill, palette, valueColours } from "../values/palette.js";
import { tableRows } from "../values/table-rows.js";

/** Options of `progressBars()`. All others are passed to Plot. */
export interface ProgressBarsOptions extends FigureOptions {
  /** Unit of the bars: percent of the contracted quantity, or quantities in one common unit. Default: `"percent"`. */
  readonly measure?: "percent" | "quantity";
  /** Whether bars show the quantity at each stage, in colors, instead of the earned quantity. Default: false. */
  readonly stages?: boolean;
}

export const progressBarsRules: OptionRules<ProgressBarsOptions> = {
  ...figureRules,
  measure: oneOf("percent", "quantity"),
  stages: flag,
};

const hint = "Pass the result of `progress()` or `history.progress()`.";

/** Maximum number of readable bars. */
const MOST_BARS = 60;

/**
 * Returns a bar of progress for each component and group: the earned quantity, its increase since the last report, and the
 * plan as a line. A decrease is hatched.
 *
 * @param report the result of `progress()` or `history.progress()`
 * @throws ArgumentError for another table, for quantities with several or unknown units, and for `stages` of a table without
 * them
 * @example
 * const stages = ["PLANNED", "EXCAVATED", "CABLE_LAID", "BACKFILLED"];
 * const options = { stages, by: "Trench type", plan: "Planned finish", at: "2024-03-31" };
 * const report = trenchHistory.progress("STATUS", options);
 * progressBars(report)
 */
export function progressBars(report: ColumnTable, options: ProgressBarsOptions = {}): Figure {
  checkOptions("progressBars()", options, progressBarsRules);
  const { measure = "percent", stages: isStaged = false, height, ...plotOptions } = options;
  const all = barsOf(report);
  const bars = all.slice(0, MOST_BARS);
  const unit = measure === "quantity" ? unitOfAll(bars) : "%";
  const axes = (bar: Bar, amount: number) =>
    measure === "quantity" ? amount : bar.contracted > 0 ? (100 * amount) / bar.contracted : 0;
  const drawn = isStaged ? stageParts(report, bars, axes) : earnedParts(bars, axes);
  const ends = bars.flatMap((bar) => [
    axes(bar, bar.contracted),
    axes(bar, bar.earned),
    axes(bar, bar.planned ?? 0),
    axes(bar, bar.earned - Math.min(bar.change ?? 0, 0)),
  ]);
  const most = Math.max(measure === "percent" ? 100 : 0, ...ends);
  const spoken = bars.map(
    (bar) => `${bar.spoken} ${percentText(bar)}${bar.planned === null ? "" : ` (planned ${plannedText(bar)})`}`,
  );
  const lines = linesOf(bars);
  const isPlanned = bars.some(({ planned }) => planned !== null);
  const shapes = [...(isStaged ? ["dot: earned"] : []), ...(isPlanned ? ["line: planned"] : [])];
  const draw = (layout: Layout): Omit<FigureOptions, "ariaLabel"> => ({
    height: heightOf(layout, Math.max(lines.length, bars.length === 0 ? 2 : 1), height),
    y: { axis: null, type: "band", domain: lines.map(({ key }) => key), padding: 0 },
    marks: [
      hatch(),
      ...barMarks({ bars, parts: drawn.parts, axes, isStaged, layout }),
      ...layout.texts(lines),
      silent(ObservablePlot.ruleX([0])),
    ],
  });
  return chart(
    {
      ariaLabel: `Bars of progress: ${spoken.join(", ") || "none"}.`,
      provenance: report,
      nothing: bars.length === 0 && "Nothing is contracted",
      title: "Progress",
      subtitle: `${isStaged ? "Quantity at each stage" : "Earned"}, ${measure === "percent" ? "in percent of contracted" : `in ${unit}`}${shapes.map((shape) => `; ${shape}`).join("")}${all.length > bars.length ? `; the first ${MOST_BARS} of ${all.length}` : ""}`,
      width: CHART_WIDTH,
      marginTop: 8,
      marginLeft: 14,
      marginRight: 18,
      marginBottom: 40,
      x: {
        label: unit,
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 34,
        domain: [0, most > 0 ? most : 1],
        grid: true,
      },
      color: drawn.color,
      ...draw(wide),
    },
    plotOptions,
    draw(narrow),
  );
}

/** Height in pixels, with a minimum so that bars do not vanish. */
function heightOf({ row, insets }: Layout, lines: number, given: number | undefined): number {
  const least = insets.insetTop + insets.insetBottom + 3;
  return 48 + Math.max(least * lines, given === undefined ? row * lines : given - 48);
}

/** A row of the report. */
interface Bar {
  readonly key: string;
  /** Name of its component, if the bar is one of several groups. */
  readonly heading: string | undefined;
  readonly name: string;
  readonly spoken: string;
  /** null for a table without components. */
  readonly component: string | null;
  readonly contracted: number;
  /** null if unknown. */
  readonly unit: string | null;
  readonly earned: number;
  readonly change: number | null;
  readonly planned: number | null;
}

/** Component and group of a row, which also identify its stages. */
function namesOf(table: ColumnTable, before: string): (row: number) => readonly string[] {
  const columns = table.columnNames();
  const end = columns.indexOf(before);
  const rows = tableRows(table, hint);
  // Throws for the missing column.
  if (end < 0) rows.column(before);
  const getters = columns.slice(0, end).map((name) => rows.column(name));
  return (row) => getters.map((at) => valueLabel(at(row)));
}

function barsOf(report: ColumnTable): readonly Bar[] {
  const rows = tableRows(report, hint);
  const names = namesOf(report, "features");
  const [contractedAt, unitAt, earnedAt] = [rows.column("contracted"), rows.column("unit"), rows.column("earned")];
  const componentAt = rows.has("component") ? rows.column("component") : () => null;
  const [changeAt, plannedAt] = [rows.column("change"), rows.column("planned")];
  const number = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value));
  return Array.from({ length: rows.count }, (_, row): Bar => {
    const ownNames = names(row);
    return {
      key: JSON.stringify(ownNames),
      heading: ownNames.length > 1 ? ownNames[0] : undefined,
      name: ownNames.length === 0 ? "all" : ownNames.slice(ownNames.length > 1 ? 1 : 0).join(", "),
      spoken: ownNames.length === 0 ? "all" : ownNames.join(" "),
      component: text(componentAt(row)),
      contracted: Number(contractedAt(row)),
      unit: text(unitAt(row)),
      earned: Number(earnedAt(row)),
      change: number(changeAt(row)),
      planned: number(plannedAt(row)),
    };
  });
}

/**
 * Returns the unit of bars of quantities.
 *
 * @throws ArgumentError for several units, and for several components with an unknown unit
 */
function unitOfAll(bars: readonly Bar[]): string {
  const units = [...new Set(bars.map(({ unit }) => unit))];
  const components = new Set(bars.map(({ component }) => component)).size;
  const unknown = [...new Set(bars.filter(({ unit }) => unit === null).map(({ component }) => component))];
  if (unknown.length > 0 && (units.length > 1 || components > 1)) {
    throw new ArgumentError(`progressBars(): unknown unit of ${unknown.join(", ")}.`, {
      hint: `Set it: progress(…, { unit: { ${showValue(unknown[0])}: "m", … } }), or omit measure to show percent.`,
      facts: { components: unknown },
    });
  }
  if (units.length > 1) {
    throw new ArgumentError(`progressBars(): quantities have several units: ${units.join(", ")}.`, {
      hint: "Omit measure to show percent, or filter the table: report.filter(\"d => d.unit === 'm'\").",
      facts: { units },
    });
  }
  return units.length === 0 ? "features" : (units[0] ?? "quantities");
}

/** A part of a bar. */
interface Part {
  readonly key: string;
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

type Place = (bar: Bar, amount: number) => number;

interface Parts {
  readonly parts: readonly Part[];
  readonly color: NonNullable<FigureOptions["color"]>;
}

const [before, since, backward] = ["earned before", "since the last report", "decrease"] as const;

function earnedParts(bars: readonly Bar[], axes: Place): Parts {
  const isCompared = bars.some(({ change }) => change !== null);
  const parts = bars.flatMap((bar): Part[] => {
    const { key, earned, change } = bar;
    const part = (kind: string, from: number, to: number) => ({
      key,
      kind,
      from: axes(bar, from),
      to: axes(bar, to),
    });
    if (change === null) return [part(isCompared ? before : "earned", 0, earned)];
    if (change < 0) return [part(before, 0, earned), part(backward, earned, earned - change)];
    return [part(before, 0, earned - change), part(since, earned - change, earned)];
  });
  const drawn = parts.filter(({ from, to }) => to > from);
  const colours = new Map([
    ["earned", palette[0] as string],
    [before, palette[0] as string],
    [since, palette[1] as string],
    [backward, hatchFill],
  ]);
  const domain = [...colours.keys()].filter((kind) => drawn.some((part) => part.kind === kind));
  const range = domain.map((kind) => colours.get(kind) as string);
  return { parts: drawn, color: { type: "ordinal", domain, range, legend: domain.length > 1 } };
}

/** @throws ArgumentError for a table without stages */
function stageParts(report: ColumnTable, bars: readonly Bar[], axes: Place): Parts {
  const table: unknown = Reflect.get(report, "stages");
  const stages = table as ColumnTable | undefined;
  if (typeof stages?.numRows !== "function" || (stages.numRows() === 0 && bars.length > 0)) {
    throw new ArgumentError(`progressBars(): the table has no stages: ${showValue(table)}.`, {
      hint: "Pass the unfiltered result of `progress()` with { stages } or { credits }.",
    });
  }
  const rows = tableRows(stages, hint);
  const [names, stageAt, quantityAt] = [namesOf(stages, "stage"), rows.column("stage"), rows.column("quantity")];
  const ownNames = new Map<string, { readonly stage: string; readonly quantity: number }[]>();
  const order = new Set<string>();
  for (let row = 0; row < rows.count; row += 1) {
    const key = JSON.stringify(names(row));
    const stage = { stage: valueLabel(stageAt(row)), quantity: Number(quantityAt(row)) };
    ownNames.set(key, [...(ownNames.get(key) ?? []), stage]);
    order.add(stage.stage);
  }
  const parts = bars.flatMap((bar) => {
    let sum = 0;
    // The last stage is first; the first stage has not begun and is empty.
    return (ownNames.get(bar.key) ?? [])
      .slice(1)
      .reverse()
      .map(({ stage, quantity }): Part => {
        const from = sum;
        sum += quantity;
        return { key: bar.key, kind: stage, from: axes(bar, from), to: axes(bar, sum) };
      });
  });
  const drawn = parts.filter(({ from, to }) => to > from);
  const domain = [...order].filter((stage) => parts.some(({ kind }) => kind === stage));
  return { parts: drawn, color: { ...valueColours(domain, { places: [...order], isProcess: true }), legend: true } };
}

/** A line of the figure: the name of a component above its groups, or a bar. */
interface Line {
  readonly key: string;
  readonly heading: string | undefined;
  readonly name: string;
  readonly amount: string;
}

function linesOf(bars: readonly Bar[]): readonly Line[] {
  return bars.flatMap((bar, at): Line[] => {
    const { key, heading, name } = bar;
    const line = { key, heading: undefined, name, amount: amountsText(bar) };
    if (heading === undefined || heading === bars[at - 1]?.heading) return [line];
    return [{ key: `heading ${key}`, heading, name: "", amount: "" }, line];
  });
}

/** Layout of a line of the figure. */
interface Layout {
  /** Height in pixels. */
  readonly row: number;
  readonly insets: { readonly insetTop: number; readonly insetBottom: number };
  texts(lines: readonly Line[]): readonly ObservablePlot.Markish[];
}

const left = { y: "key", frameAnchor: "left", textAnchor: "start", dx: 5, fontSize: 12 } as const;

function headings(lines: readonly Line[], lineWidth: number, dy: number): ObservablePlot.Markish {
  const ownNames = lines.filter(({ heading }) => heading !== undefined);
  const text = { ...left, text: "heading", fontWeight: "bold", fontSize: 13, dy, lineWidth } as const;
  return silent(ObservablePlot.text(ownNames, { ...text, textOverflow: "ellipsis" }));
}

/** Names and amounts are above the bars, at the left and right. */
const wide: Layout = {
  row: 42,
  insets: { insetTop: 22, insetBottom: 6 },
  texts: (lines) => [
    headings(lines, 50, 9),
    silent(ObservablePlot.text(lines, { ...left, text: "name", dy: -10, lineWidth: 30, textOverflow: "ellipsis" })),
    silent(
      ObservablePlot.text(lines, {
        y: "key",
        text: "amount",
        frameAnchor: "right",
        textAnchor: "end",
        dy: -10,
        fontSize: 12,
      }),
    ),
  ],
};

/** On a phone, amounts are below names. */
const narrow: Layout = {
  row: 58,
  insets: { insetTop: 39, insetBottom: 6 },
  texts: (lines) => [
    headings(lines, 24, 16),
    silent(
      ObservablePlot.text(lines, {
        ...left,
        text: "name",
        dy: -20,
        lineWidth: 25,
        textOverflow: "ellipsis",
        fontWeight: "bold",
      }),
    ),
    silent(ObservablePlot.text(lines, { ...left, text: "amount", dy: -5, fontSize: 12 })),
  ],
};

interface Drawn {
  readonly bars: readonly Bar[];
  readonly parts: readonly Part[];
  readonly axes: Place;
  readonly isStaged: boolean;
  readonly layout: Layout;
}

function barMarks({ bars, parts, axes, isStaged, layout: { insets } }: Drawn): readonly ObservablePlot.Markish[] {
  const y = "key";
  const planned = bars.flatMap((bar) => (bar.planned === null ? [] : [{ key: bar.key, x: axes(bar, bar.planned) }]));
  const earned = bars.map((bar) => ({ key: bar.key, x: axes(bar, bar.earned) }));
  const longer = { insetTop: insets.insetTop - 3, insetBottom: insets.insetBottom - 3 };
  return [
    silent(
      ObservablePlot.barX(bars, {
        x1: 0,
        x2: (bar: Bar) => axes(bar, bar.contracted),
        y,
        fill: "currentColor",
        fillOpacity: 0.12,
        ...insets,
      }),
    ),
    silent(ObservablePlot.barX(parts, { x1: "from", x2: "to", y, fill: "kind", ...insets })),
    silent(ObservablePlot.tickX(planned, { x: "x", y, stroke: "currentColor", strokeWidth: 2.5, ...longer })),
    ...(isStaged
      ? [
          silent(
            ObservablePlot.dot(earned, {
              x: "x",
              y,
              r: 4,
              dy: (insets.insetTop - insets.insetBottom) / 2,
              fill: "currentColor",
              stroke: "white",
              strokeWidth: 1,
            }),
          ),
        ]
      : []),
    // The tooltip has the whole row.
    ObservablePlot.barX(bars, {
      x1: 0,
      x2: (bar: Bar) => Math.max(axes(bar, Math.max(bar.contracted, bar.earned, bar.planned ?? 0)), 0),
      y,
      fill: "transparent",
      ...insets,
      channels: {
        of: "spoken",
        earned: (bar: Bar) => inUnit(bar.earned, bar),
        contracted: (bar: Bar) => inUnit(bar.contracted, bar),
        percent: percentText,
        ...(bars.some(({ change }) => change !== null)
          ? { "since the last report": ({ change }: Bar) => (change === null ? "" : changeText(change)) }
          : {}),
        ...(planned.length > 0 ? { planned: plannedText } : {}),
      },
      tip: { format: { x: false, y: false, fill: false } },
    }),
  ];
}

function percentOf(part: number, { contracted }: Bar): string {
  if (!(contracted > 0)) return "–";
  return formatPercent((100 * part) / contracted, { decimals: 1 });
}

function percentText(bar: Bar): string {
  return percentOf(bar.earned, bar);
}

function plannedText(bar: Bar): string {
  return bar.planned === null ? "no plan" : percentOf(bar.planned, bar);
}

function inUnit(amount: number, { unit }: Bar): string {
  return withUnit(formatAmount(amount), unit);
}

function changeText(change: number): string {
  return `${change < 0 ? "−" : "+"}${formatAmount(Math.abs(change))}`;
}

function amountsText(bar: Bar): string {
  const { earned, contracted, change } = bar;
  const moved = change === null || change === 0 ? "" : ` (${changeText(change)})`;
  const amounts = translate("{part} of {whole}", { part: formatAmount(earned), whole: inUnit(contracted, bar) });
  return `${percentText(bar)} · ${amounts}${moved}`;
}
