import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { counted } from "../../core/counted.js";
import { formatAmount } from "../../core/format/format-number.js";
import { checkOptions, flag, type OptionRules, oneOf } from "../../core/options.js";
import { valueLabel } from "../../history/order/value-label.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { silent } from "../tips/extract-tooltips.js";
import { changeColors, hatch, hatchFill, palette } from "../values/palette.js";
import { tableRows } from "../values/table-rows.js";

/** Options of `captureChanges()`. All others are passed to Plot. */
export interface CaptureChangesOptions extends FigureOptions {
  /** Measure of the bars. Modules and affected power need the result of `inspection()`. Default: `"anomalies"`. */
  readonly measure?: "anomalies" | "modules" | "affected_kw";
  /** Whether the first capture has a bar, in which everything is new. Default: only if it is the only one. */
  readonly first?: boolean;
}

export const captureChangesRules: OptionRules<CaptureChangesOptions> = {
  ...figureRules,
  measure: oneOf("anomalies", "modules", "affected_kw"),
  first: flag,
};

const hint = "Pass the result of `compareCaptures()` or `inspection()`.";

/** From the axis upward, then downward; anomalies that were not surveyed may still exist. */
const upwards = ["persistent", "returned", "new", "not_surveyed"] as const;
const colours: Readonly<Record<string, string>> = {
  persistent: palette[0] as string,
  returned: changeColors.returned,
  new: changeColors.new,
  not_surveyed: hatchFill,
  fixed: changeColors.resolved,
};

/**
 * Returns stacked bars of the anomalies of each capture: persistent, returned and new ones above the axis, fixed ones
 * below it, and unsurveyed ones hatched.
 *
 * @param data the result of `compareCaptures()` or `inspection()`
 * @throws ArgumentError for another table, and for a measure that the table does not have
 * @example
 * captureChanges(await compareCaptures([before, after], { maxMeters: 1, labels: ["February", "May"] }))
 */
export function captureChanges(data: ColumnTable, options: CaptureChangesOptions = {}): Figure {
  checkOptions("captureChanges()", options, captureChangesRules);
  const { measure = "anomalies", first, ...plotOptions } = options;
  const { all, unknown } = partsOf(data, measure);
  const captures = [...new Set([...captureNames(data), ...all.map(({ capture }) => capture)])];
  const drawn = (first ?? captures.length === 1) ? captures : captures.slice(1);
  const parts = all.filter(({ capture, amount }) => amount > 0 && drawn.includes(capture));
  const sum = (ofBar: readonly Part[]) => ofBar.reduce((whole, { amount }) => whole + amount, 0);
  const of = (capture: string, change: string) =>
    sum(parts.filter((part) => part.capture === capture && part.change === change));
  const kinds = [...upwards, "fixed"].filter((kind) => parts.some(({ change }) => change === kind));
  const bars = drawn.flatMap((capture) => stacked(capture, (change) => of(capture, change)));
  const spoken = drawn.map((capture) => {
    const parts = kinds.map((kind) => `${formatAmount(of(capture, kind))} ${wordsOf(kind)}`).join(", ");
    return `${capture}: ${parts || "none"}`;
  });
  const [unit, noun] = measure === "affected_kw" ? ["kW", "affected power"] : [measure, measure];
  const left =
    drawn.length < captures.length && captures[0] !== undefined
      ? `; the first, ${captures[0]}, had ${formatAmount(sum(all.filter(({ capture }) => capture === captures[0])))}`
      : "";
  const ends = drawn.flatMap((capture) => {
    const foundCount = sum(parts.filter((one) => one.capture === capture && isFound(one.change)));
    const fixed = of(capture, "fixed");
    const top = Math.max(...bars.filter((bar) => bar.capture === capture).map(({ high }) => high), 0);
    return [
      ...(top > 0 ? [{ capture, at: top, text: formatAmount(foundCount), dy: -8 }] : []),
      ...(fixed > 0 ? [{ capture, at: -fixed, text: `−${formatAmount(fixed)}`, dy: 9 }] : []),
    ];
  });
  const draw = (room: number): Omit<FigureOptions, "ariaLabel"> => ({
    ...captureAxis(drawn, room),
    marks: barMarks(bars, unit, hasRoom(ends, drawn, room) ? ends : []),
  });
  return chart(
    {
      ariaLabel: `Stacked bars of ${noun} by capture and status: ${spoken.join("; ") || "none"}.`,
      provenance: data,
      nothing: bars.length === 0 && "No anomalies",
      title: "Changes from capture to capture",
      subtitle: `${noun === "affected power" ? "Affected power in kW" : `Number of ${noun}`}, compared with the captures before${left}`,
      ...(unknown === 0
        ? {}
        : {
            caption: `Unknown for ${counted(unknown, "anomaly", "anomalies")}, not in the bars.`,
          }),
      width: CHART_WIDTH,
      height: 360,
      marginTop: 28,
      ...draw(CHART_WIDTH - 80),
      y: {
        label: unit,
        grid: true,
        nice: true,
        inset: 12,
        tickFormat: (amount: number) => formatAmount(amount),
      },
      color: {
        type: "ordinal",
        domain: kinds,
        range: kinds.map((kind) => colours[kind] as string),
        legend: kinds.length > 1,
        tickFormat: wordsOf,
      },
    },
    plotOptions,
    draw(290),
  );
}

/** The number at an end of a bar. */
interface BarEnd {
  readonly capture: string;
  readonly at: number;
  readonly text: string;
  readonly dy: number;
}

/** Whether the numbers fit next to each other; overlapping numbers are in the tooltip only. */
function hasRoom(ends: readonly BarEnd[], drawn: readonly string[], room: number): boolean {
  return Math.max(...ends.map(({ text }) => text.length)) * (LETTER + 1) * drawn.length < room;
}

function barMarks(bars: readonly Bar[], unit: string, ends: readonly BarEnd[]): ObservablePlot.Markish[] {
  return [
    hatch(),
    ObservablePlot.barY(bars, {
      x: "capture",
      y1: "low",
      y2: "high",
      fill: "change",
      channels: {
        capture: "capture",
        change: ({ change }: Bar) => wordsOf(change),
        [unit]: ({ amount }: Bar) => formatAmount(amount),
      },
      tip: { format: { x: false, y: false, fill: false } },
    }),
    ...[-8, 9].map((dy) =>
      silent(
        ObservablePlot.text(
          ends.filter((end) => end.dy === dy),
          { x: "capture", y: "at", text: "text", dy, fontWeight: "bold", fontSize: 12 },
        ),
      ),
    ),
    ObservablePlot.ruleY([0]),
  ];
}

/** Anomalies of a capture with the same status. */
interface Part {
  readonly capture: string;
  readonly change: string;
  readonly amount: number;
}

interface Bar extends Part {
  readonly low: number;
  readonly high: number;
}

function partsOf(data: ColumnTable, measure: string): { readonly all: readonly Part[]; readonly unknown: number } {
  const ofBar: unknown = Object(data) === data ? Reflect.get(data, "anomalies") : undefined;
  const rows = tableRows((ofBar ?? data) as ColumnTable, hint);
  const [captureAt, changeAt] = [rows.column("capture"), rows.column(ofBar === undefined ? "status" : "change")];
  const amountAt = measure === "anomalies" ? () => 1 : rows.column(measure);
  let unknown = 0;
  const all = Array.from({ length: rows.count }, (_, row): Part => {
    const amount = amountAt(row);
    if (amount === null) unknown += 1;
    return { capture: valueLabel(captureAt(row)), change: String(changeAt(row)), amount: Number(amount ?? 0) };
  });
  return { all, unknown };
}

/** The captures of an inspection by capture, including captures without anomalies. */
export function captureNames(data: unknown): readonly string[] {
  const totals: unknown = Object(data) === data ? Reflect.get(data as object, "totals") : undefined;
  if (totals === undefined) return [];
  const rows = tableRows(totals as ColumnTable, hint);
  const names = Array.from({ length: rows.count }, (_, row) => valueLabel(rows.column("capture")(row)));
  // An inspection that is not by capture only has the last one.
  return names.length > 1 ? names : [];
}

function wordsOf(change: string): string {
  return change.replace("_", " ");
}

function isFound(change: string): boolean {
  return change !== "fixed" && change !== "not_surveyed";
}

function stacked(capture: string, amountOf: (change: string) => number): readonly Bar[] {
  let top = 0;
  const up = upwards.map((change): Bar => {
    const amount = amountOf(change);
    top += amount;
    return { capture, change, amount, low: top - amount, high: top };
  });
  const fixed = amountOf("fixed");
  const all = [...up, { capture, change: "fixed", amount: fixed, low: -fixed, high: 0 }];
  return all.filter(({ amount }) => amount > 0);
}

const LETTER = 7;

/** Names of captures are slanted if they do not fit next to each other; of many captures, only some are named. */
function captureAxis(
  captures: readonly string[],
  room: number,
): Pick<FigureOptions, "x" | "marginBottom" | "marginLeft"> {
  const longest = Math.max(...captures.map((name) => name.length), 0);
  const isAslant = (longest + 1) * LETTER * captures.length > room;
  const every = isAslant ? Math.ceil((captures.length * 24) / room) : 1;
  const ticks = captures.filter((_, index) => (captures.length - 1 - index) % every === 0);
  const drawn = Math.min(longest, MOST_LETTERS);
  return {
    x: {
      type: "band",
      domain: captures,
      label: null,
      padding: 0.25,
      ticks,
      tickRotate: isAslant ? -40 : 0,
      tickFormat: (name: string) => (name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name),
    },
    marginBottom: isAslant ? 24 + Math.ceil(drawn * LETTER * 0.65) : 32,
    marginLeft: isAslant ? Math.max(48, Math.ceil(drawn * LETTER * 0.77) - 12) : 48,
  };
}

const MOST_LETTERS = 28;
