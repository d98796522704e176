import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { formatDays } from "../../core/format/format-duration.js";
import { formatNumber, formatPercent } from "../../core/format/format-number.js";
import { checkOptions, givenOptions, type OptionRules } from "../../core/options.js";
import { isHistory } from "../../history/is-history.js";
import { valueLabel } from "../../history/order/value-label.js";
import { medianTime } from "../../history/questions/memory/kaplan-meier.js";
import { type SurvivalOptions, survivalRules } from "../../history/questions/survival.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules, widthOf } from "../figure/figure.js";
import { endLabels, type LineEnd } from "../figure/place-labels.js";
import { narrowWidth } from "../figure/svg-text.js";
import { silent } from "../tips/extract-tooltips.js";
import { accent, orderLabels, valueColours } from "../values/palette.js";
import { capital, columnWords, dayWords, valueWords } from "../values/spoken-options.js";
import { tableRows } from "../values/table-rows.js";
import { groupOrder, MOST_SERIES, mostFrequent } from "../values/value-order.js";

/** Options of `survivalCurve()`: those of `history.survival()`. All others are passed to Plot. */
export interface SurvivalCurveOptions extends Partial<SurvivalOptions>, FigureOptions {}

export const survivalCurveRules: OptionRules<SurvivalCurveOptions> = { ...figureRules, ...survivalRules };

const hint =
  "Pass a history with { start, done }, or a table with `days`, `survival`, `lower` and `upper` such as `history.survival()`.";

interface Step {
  readonly group: string;
  readonly time: number;
  readonly survival: number;
  readonly lower: number;
  readonly upper: number;
  readonly atRisk: number;
  readonly censored: number;
}

/** The steps of a group, and its label. */
interface Curve {
  readonly group: string;
  readonly steps: readonly Step[];
  /** `28.3 days (26.6 to 30.9)`. */
  readonly median: string;
}

/**
 * Returns survival curves: the share of features that have not yet got from one value to another, by the days since the
 * first: a step line with its confidence band for each group, and ticks for intervals that are still open.
 *
 * @param data a history, or a table like that of `history.survival()`
 * @param column the property whose values start and end an interval
 * @throws ArgumentError if `start` or `done` is missing
 * @example
 * survivalCurve(history, "STATUS", { start: "OPEN", done: "CLOSED" })
 */
export function survivalCurve(
  data: History | Layer | ColumnTable,
  column: string,
  options: SurvivalCurveOptions = {},
): Figure {
  checkOptions("survivalCurve()", options, survivalCurveRules);
  const {
    start: from,
    done: to,
    by,
    groupAt,
    confidence = 0.95,
    until,
    unknownStart: unknown,
    calendar,
    ...plotOptions
  } = options;
  const { table, group } = survivalTable(data, column, {
    start: from,
    done: to,
    by,
    groupAt,
    confidence,
    until,
    unknownStart: unknown,
    calendar,
  });
  const unit = dayWords(options);
  const { curves: most, note } = mostCurves(curvesOf(table, group, unit));
  const end = axisEnd(most);
  const names = most.map(({ group }) => group);
  const { values, ...colouring } = groupOrder(data, by, names);
  const labels = orderLabels(values);
  const curves = most.toSorted((a, b) => labels.indexOf(a.group) - labels.indexOf(b.group));
  const medians = curves.map(({ group, median }) => (by === undefined ? median : `${group}: ${median}`));
  const layout = (width: number): Omit<FigureOptions, "ariaLabel"> => {
    if (by === undefined) return { marginRight: 24, marks: marksOf(curves, end, true, unit) };
    const names = endLabels(
      curves.flatMap((curve) => lastPoint(curve, end)),
      width,
    );
    return {
      marginRight: names.marginRight ?? 24,
      color: { ...valueColours(labels, colouring), legend: names.hasLegend },
      marks: [...marksOf(curves, end, false, unit), ...names.marks],
    };
  };
  const spell = from === undefined ? column : `${column} from ${valueWords(from)} to ${valueWords(to)}`;
  return chart(
    {
      ariaLabel: `Survival curves of ${spell}; median: ${medians.join(", ") || "none"}.`,
      provenance: data,
      nothing: curves.length === 0 && "No data",
      title: from === undefined ? `Time in ${columnWords(column)}` : `From ${valueWords(from)} to ${valueWords(to)}`,
      subtitle: `${subtitle(medians, confidence)}${note}`,
      ...caption(table, curves, end),
      width: CHART_WIDTH,
      height: 340,
      x: { label: unit, labelAnchor: "center", labelOffset: 34, zero: true },
      y: { label: "% not there yet", grid: true, domain: [0, 100] },
      ...layout(widthOf(plotOptions)),
    },
    plotOptions,
    layout(narrowWidth),
  );
}

/** The end of a curve as drawn. */
function lastPoint(curve: Curve, end: number): readonly LineEnd[] {
  const last = stepsUntil(curve, end).at(-1);
  return last ? [{ name: curve.group, x: days(last), y: percent(last) }] : [];
}

/**
 * The rows of curves, and the name of the column of their groups.
 *
 * @throws ArgumentError without a start or an end
 */
function survivalTable(
  data: History | Layer | ColumnTable,
  column: string,
  {
    start: from,
    done: to,
    by,
    ...rest
  }: { readonly [Name in keyof SurvivalOptions]-?: SurvivalOptions[Name] | undefined },
) {
  if (!isHistory(data)) return { table: data, group: by };
  if (from === undefined || to === undefined) {
    throw new ArgumentError(`survivalCurve(): ${from === undefined ? "start" : "done"} is missing.`, {
      hint: 'Set the values that start and end an interval: { start: "OPEN", done: "CLOSED" }.',
    });
  }
  const table = data.survival(column, { start: from, done: to, ...givenOptions({ by, ...rest }) });
  return { table, group: by === undefined ? by : table.columnNames()[0] };
}

function marksOf(curves: readonly Curve[], end: number, isOne: boolean, unit: string): ObservablePlot.Markish[] {
  const steps = curves.flatMap((curve) => stepsUntil(curve, end));
  const axes = { x: { value: days, label: "" }, ...(isOne ? {} : { z: "group" }), curve: "step-after" } as const;
  const colour = isOne ? accent : "group";
  const areKnown = curves.some((curve) => curve.steps.some(({ atRisk }) => !Number.isNaN(atRisk)));
  const tip = {
    format: { x: (day: number) => `${capital(unit).replace(/s$/, "")} ${formatNumber(day, { decimals: 1 })}` },
  };
  const channels = { "not there yet": textOf, ...(areKnown ? { "at risk": "atRisk" } : {}) };
  return [
    ObservablePlot.ruleY([0]),
    ObservablePlot.ruleY([50], { strokeDasharray: "3,4", strokeOpacity: 0.5 }),
    // The tooltip of the line includes its band.
    silent(
      ObservablePlot.areaY(steps, {
        ...axes,
        y1: ({ lower }: Step) => 100 * lower,
        y2: ({ upper }: Step) => 100 * upper,
        fill: colour,
        fillOpacity: 0.18,
      }),
    ),
    ObservablePlot.lineY(steps, { ...axes, y: percent, stroke: colour, strokeWidth: 2.2, clip: false, channels, tip }),
    ObservablePlot.dot(
      steps.filter(({ censored }) => censored > 0),
      { x: axes.x, y: percent, symbol: tick, r: 4.5, stroke: colour, strokeWidth: 1.5, tip },
    ),
  ];
}

/** A canvas path of a symbol. */
interface Path {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
}

/** A vertical tick, the sign of a censored end. */
const tick = {
  draw(context: Path, size: number): void {
    const half = Math.sqrt(size) / 1.2;
    context.moveTo(0, -half);
    context.lineTo(0, half);
  },
};

const percent = ({ survival }: Step) => 100 * survival;
const days = ({ time }: Step) => time;

function textOf({ survival, lower, upper }: Step): string {
  const [share, low, high] = [survival, lower, upper].map((one) =>
    formatPercent(100 * one, { decimals: 1, leastDecimals: 1 }),
  );
  return `${share} (${low} to ${high})`;
}

function curvesOf(table: Layer | ColumnTable, group: string | undefined, unit: string): readonly Curve[] {
  const rows = tableRows(table, hint);
  const [daysAt, survivalAt] = [rows.column("days"), rows.column("survival")];
  const [lowerAt, upperAt] = [rows.column("lower"), rows.column("upper")];
  const groupAt = group === undefined ? () => null : rows.column(group);
  const atRiskAt = rows.has("at_risk") ? rows.column("at_risk") : () => Number.NaN;
  const censoredAt = rows.has("censored") ? rows.column("censored") : () => 0;
  const curves = new Map<string, Step[]>();
  for (let row = 0; row < rows.count; row += 1) {
    const name = valueLabel(groupAt(row));
    const steps = curves.get(name) ?? [];
    curves.set(name, steps);
    steps.push({
      group: name,
      time: Number(daysAt(row)),
      survival: Number(survivalAt(row)),
      lower: Number(lowerAt(row)),
      upper: Number(upperAt(row)),
      atRisk: Number(atRiskAt(row)),
      censored: Number(censoredAt(row)),
    });
  }
  return [...curves].map(([name, steps]) => ({ group: name, steps, median: medianText(steps, unit) }));
}

/** The curves of the groups with the most intervals. */
function mostCurves(curves: readonly Curve[]): { readonly curves: readonly Curve[]; readonly note: string } {
  const spells = new Map(curves.map(({ group, steps }) => [group, steps[0]?.atRisk || steps.length]));
  const { kept, note } = mostFrequent(spells, MOST_SERIES, { noun: "groups" });
  return { curves: curves.filter(({ group }) => kept.has(group)), note };
}

function medianText(steps: readonly Step[], unit: string): string {
  const [median, lower, upper] = (["survival", "lower", "upper"] as const).map((curve) => medianTime(steps, curve));
  if (typeof median !== "number") return "not reached";
  const limits = typeof lower === "number" ? ` (${lower.toFixed(1)} to ${upper?.toFixed(1) ?? "?"})` : "";
  return `${formatDays(median, { unit, decimals: 1 })}${limits}`;
}

/** Maximum number of medians in a subtitle. */
const MOST_MEDIANS = 3;

function subtitle(medians: readonly string[], confidence: number): string {
  const bands = `bands and limits of ${formatPercent(100 * confidence, { decimals: 6 })}`;
  return medians.length > MOST_MEDIANS || medians.length === 0
    ? `Share not there yet, with ${bands}`
    : `Median ${medians.join(", ")}; ${bands}`;
}

/** Intervals that are open for years add nothing after the last event, and would squeeze the rest. */
const [BEHIND_EVENTS, LONG] = [1.3, 1.5];

/** Days at the end of the axis. */
function axisEnd(curves: readonly Curve[]): number {
  const events = curves.flatMap(({ steps }) =>
    steps.filter(({ survival }, axes) => survival < (steps[axes - 1]?.survival ?? 1)),
  );
  const [last, end] = [events, curves.flatMap(({ steps }) => steps)].map((all) =>
    all.reduce((most, { time }) => Math.max(most, time), 0),
  );
  return last && end && end > LONG * BEHIND_EVENTS * last ? BEHIND_EVENTS * last : Number.POSITIVE_INFINITY;
}

function stepsUntil({ steps }: Curve, end: number): readonly Step[] {
  const drawn = steps.filter(({ time }) => time <= end);
  const last = drawn.at(-1);
  return last && drawn.length < steps.length ? [...drawn, { ...last, time: end, censored: 0 }] : drawn;
}

/** Caption about unknown starts, and about intervals beyond the end of the axis. */
function caption(table: object, curves: readonly Curve[], end: number): { readonly caption?: string } {
  const diagnostics: unknown = Reflect.get(table, "diagnostics");
  const messages = Array.isArray(diagnostics) ? diagnostics.map(({ message }: Diagnostic) => message) : [];
  const beyond = curves
    .flatMap(({ steps }) => steps.filter(({ time }) => time > end))
    .reduce((sum, { censored }) => sum + censored, 0);
  const are = beyond === 1 ? "interval is" : "intervals are";
  if (beyond > 0) messages.push(`${beyond} ${are} open beyond the end of the axis.`);
  return messages.length === 0 ? {} : { caption: messages.join(" ") };
}
