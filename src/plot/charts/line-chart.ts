import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { firstOf } from "../../core/counted.js";
import { formatClock, formatDay, inUtc } from "../../core/format/format-date.js";
import { formatMeasure, withUnit } from "../../core/format/format-number.js";
import { formatShort, formatTick } from "../../core/format/format-tick.js";
import { MS_PER_DAY } from "../../core/instant.js";
import { niceAtLeast, timesNice } from "../../core/nice-number.js";
import { integerFrom, list, type OptionRules, oneOf, requireOptions, text } from "../../core/options.js";
import type { Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules, widthOf } from "../figure/figure.js";
import { endLabels, type LineEnd } from "../figure/place-labels.js";
import { narrowWidth, textWidth } from "../figure/svg-text.js";
import { silent } from "../tips/extract-tooltips.js";
import { accent, hatch } from "../values/palette.js";
import { captionOf } from "../values/present-note.js";
import { capital, columnWords } from "../values/spoken-options.js";
import { type RowSeriesList, rowSeries } from "../values/table-rows.js";
import { drawnLines, isKnown, type Line, type Panel, panelsOf } from "./line-panels.js";

/** Orders of the values of `by` and `series`. */
export interface LinesOrder {
  /** Values of `by`, in the order of the panels. */
  readonly by?: readonly unknown[];
  /** Values of `series`, in the order of the legend. */
  readonly series?: readonly unknown[];
}

/** Options of `lines()`. All others are passed to Plot. */
export interface LinesOptions extends Omit<FigureOptions, "x" | "y"> {
  /** Column of dates or numbers along the lines. Default: `date`. */
  readonly x?: string;
  /** Column of numbers. */
  readonly y: string;
  /** Column with a panel for each value. */
  readonly by?: string;
  /** Column with a line for each value in each panel: at most the eight most frequent. */
  readonly series?: string;
  /** Unit of the numbers, for labels. Default: that of the layer's column. */
  readonly unit?: string;
  /** Whether all panels share the two axes, for comparison, or have separate axes, to show details. Default: `"shared"`. */
  readonly axes?: "shared" | "own";
  /**
   * How points are joined: straight, or in steps, as a value holds until it changes. Default: `"step-after"` if `x` is
   * `created_at` or `valid_from`, the times of changes, else `"linear"`.
   */
  readonly curve?: "linear" | "step-after";
  /**
   * Values of `by` in the order of the panels, or an object with the values of `by` and of `series`. Default: the order of a
   * table sorted with `orderby()`, else the order of legends.
   */
  readonly order?: readonly unknown[] | LinesOrder;
  /** Maximum number of panels. Default: 24. */
  readonly limit?: number;
}

const { x: _x, y: _y, ...plotRules } = figureRules;
const rules: OptionRules<LinesOptions> = {
  ...plotRules,
  x: text,
  y: text,
  by: text,
  series: text,
  unit: text,
  axes: oneOf("shared", "own"),
  curve: oneOf("linear", "step-after"),
  order: {
    takes: "an array of values, or { by, series } with arrays of values",
    schema: { type: ["array", "object"] },
    accepts: (value) => list.accepts(value) || isOrders(value),
  },
  limit: integerFrom(1, 100),
};

function isOrders(value: unknown): value is LinesOrder {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, given]) => ["by", "series"].includes(name) && list.accepts(given));
}

/** Columns of times at which values change. */
const changeTimes: readonly string[] = ["created_at", "valid_from"];

/**
 * Returns lines as small multiples: a panel for each value of a column, in rows, with the same axes. A row without a number
 * is a gap. Beyond 24 panels, the first are drawn, and the subtitle has the total.
 *
 * @param data a layer or a table, such as `history.counts()`, with a row for each point
 * @throws ArgumentError for unknown columns, and values that are not dates or numbers
 * @example
 * const counts = history.counts("STATUS", { from: "2026-01-01", until: "2026-06-30", every: "month" });
 * lines(counts, { y: "count", by: "value", unit: "tickets", axes: "own" })
 */
export function lines(data: Layer | ColumnTable, options: LinesOptions): Figure {
  requireOptions("lines()", options, rules);
  const { x = "date", y, by, series, axes = "shared", order: orders = [], limit = 24, ...others } = options;
  const { curve = changeTimes.includes(x) ? "step-after" : "linear", ...given } = others;
  const { by: order = [], series: seriesOrder } = isOrders(orders) ? orders : { by: orders };
  const columns = [by, series].filter((name) => name !== undefined);
  const read = rowSeries("lines()", data, { x, y, by: columns });
  const { unit = read.unit, ...rest } = given;
  const { panels, note } = panelsOf(data, read, { by, order, limit, hasSeries: series !== undefined });
  const drawn = drawnLines(data, panels, { series, seriesOrder });
  const isOwn = axes === "own";
  const bounds = boundsOf(panels, isOwn);
  const facts: Facts = { read, x, y, by, series, unit, panels, bounds, isOwn, curve, ...drawn, given: rest };
  const { textOf } = read;
  const xs = drawn.lines.flatMap(({ points }) => points.map((point) => point.x));
  const reach = xs.length === 0 ? [] : [`${textOf(min(xs))} to ${textOf(max(xs))}`];
  const courses = drawn.lines.map(({ name, points }) => {
    const knownPoints = points.filter(isKnown);
    const [first, last] = [knownPoints[0], knownPoints.at(-1)];
    return `${name === "" ? y : name} ${first && last ? `${formatMeasure(first.y)} to ${amountText(last.y, unit)}` : "none"}`;
  });
  const title = by === undefined ? y : `${y} by ${by}`;
  const subtitle = [
    note,
    ...reach,
    ...(isOwn && !read.isTime ? [`along ${x}`] : []),
    ...(unit === undefined ? [] : [`in ${unit}`]),
  ].filter((part) => part !== "");
  return chart(
    {
      ariaLabel: `Lines of ${title}${series === undefined ? "" : ` and ${series}`}, ${subtitle.join(", ") || "no rows"}: ${firstOf(courses, MOST_SPOKEN) || "none"}.`,
      provenance: data,
      nothing: xs.length === 0 && "No rows",
      title: capital(by === undefined ? columnWords(y) : `${columnWords(y)} by ${columnWords(by)}`),
      subtitle: `${subtitle.join(", ")}${drawn.note}`,
      ...captionOf(...read.notes, ...drawn.notes),
      ...layoutOf(facts, CHART_WIDTH),
    },
    rest,
    layoutOf(facts, narrowWidth),
  );
}

/** Maximum number of lines listed in the label. */
const MOST_SPOKEN = 8;

/** @param ticks all of the axis */
function tickText(tick: number, ticks: readonly number[]): string {
  return formatTick(tick, Math.max(...ticks.map(Math.abs)));
}

function amountText(amount: number, unit: string | undefined): string {
  return withUnit(formatMeasure(amount), unit);
}

/** Ends of an axis of numbers, and its ticks. */
interface Bounds {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

/** The bounds of each panel: common, or separate for each. */
function boundsOf(panels: readonly Panel[], isOwn: boolean): readonly Bounds[] {
  const numbers = panels.map(({ lines }) => lines.flatMap(({ points }) => points.filter(isKnown).map(({ y }) => y)));
  if (isOwn) return numbers.map(niceBounds);
  const shared = niceBounds(numbers.flat());
  return panels.map(() => shared);
}

/** Approximate number of intervals between ticks. */
const TICKS = 3;
/** An axis begins at 0 unless more than this share of it would be blank. */
const MOST_BLANK = 0.6;

function niceBounds(numbers: readonly number[]): Bounds {
  const [least, most] = numbers.length === 0 ? [0, 1] : [min(numbers), max(numbers)];
  const isNearZero =
    least === most ||
    Math.min(Math.abs(least), Math.abs(most)) <= MOST_BLANK * Math.max(Math.abs(least), Math.abs(most));
  const [low, high] = isNearZero ? [Math.min(0, least), Math.max(0, most)] : [least, most];
  const areWhole = numbers.every(Number.isInteger);
  const step = niceAtLeast(Math.max((high - low || 1) / TICKS, areWhole ? 1 : 0));
  const [first, last] = [Math.floor(low / step), Math.max(Math.ceil(high / step), Math.floor(low / step) + 1)];
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => timesNice(first + index, step));
  return { from: ticks[0] as number, to: ticks.at(-1) as number, ticks };
}

/** Input of a layout. */
interface Facts {
  readonly read: RowSeriesList;
  readonly x: string;
  readonly y: string;
  readonly by: string | undefined;
  readonly series: string | undefined;
  readonly unit: string | undefined;
  readonly panels: readonly Panel[];
  readonly bounds: readonly Bounds[];
  readonly isOwn: boolean;
  readonly curve: "linear" | "step-after";
  readonly lines: readonly Line[];
  readonly colours: FigureOptions["color"] | undefined;
  readonly given: FigureOptions;
}

/** Pixels: height of a panel by the number of columns, room for the name above it, and blank space above that. */
const HEIGHTS = [250, 160, 130, 112];
const NAME = 26;
const BETWEEN = 12;
/** Height in pixels of the line below a panel that shows the ends of its axis. */
const ENDS = 18;
const FONT = 12;

/** Number of columns: on a phone two if there are many panels. */
function columnsFor(count: number, isNarrow: boolean): number {
  if (isNarrow) return count > 3 ? 2 : 1;
  return count <= 3 ? Math.max(1, count) : count === 4 ? 2 : count <= 9 ? 3 : 4;
}

function layoutOf(facts: Facts, width: number): Omit<FigureOptions, "ariaLabel"> {
  const { read, x, panels, bounds, isOwn, by, colours } = facts;
  const isNarrow = width < CHART_WIDTH;
  const columns = columnsFor(panels.length, isNarrow);
  const rows = Math.max(1, Math.ceil(panels.length / columns));
  const height = HEIGHTS[columns - 1] as number;
  const labels = bounds.flatMap(({ ticks }) => ticks.map((tick) => textWidth(tickText(tick, ticks), FONT)));
  const marginLeft = Math.ceil(max([14, ...labels])) + 14;
  const names = endLabels(lineEnds(facts), Math.min(width, widthOf(facts.given)));
  const marginRight = names.marginRight ?? (isNarrow ? 16 : 20);
  const gap = isOwn ? marginLeft + 8 : 24;
  const name = by === undefined ? 8 : NAME;
  const between = name + BETWEEN + (isOwn ? ENDS : 0);
  const panelWidth = (width - marginLeft - marginRight - gap * (columns - 1)) / columns;
  const [top, bottom] = [name + 4, isOwn ? ENDS + 8 : read.isTime ? 38 : 44];
  const [shared] = bounds;
  return {
    width,
    height: top + bottom + rows * height + (rows - 1) * between,
    marginTop: top,
    marginBottom: bottom,
    marginLeft,
    marginRight,
    fx: {
      axis: null,
      domain: Array.from({ length: columns }, (_, column) => column),
      padding: gap / (panelWidth + gap),
    },
    fy: { axis: null, domain: Array.from({ length: rows }, (_, row) => row), padding: between / (height + between) },
    x: isOwn
      ? { axis: null, domain: [0, 1] }
      : {
          ...(read.isTime ? { type: "utc", label: null } : { label: x, labelAnchor: "center", labelArrow: "none" }),
          ticks: ticksFor(facts, Math.max(2, Math.floor(panelWidth / 70))),
        },
    y: {
      label: null,
      ...(isOwn ? { axis: null, domain: [0, 1] } : { domain: shared ? [shared.from, shared.to] : [0, 1] }),
      ...(isOwn
        ? {}
        : {
            ticks: shared ? [...shared.ticks] : [],
            tickFormat: (tick: number) => tickText(tick, shared?.ticks ?? []),
            grid: true,
          }),
    },
    ...(colours ? { color: { ...colours, legend: names.hasLegend || panels.length > 1 } } : {}),
    marks: [...marksOf(facts, columns, panelWidth), ...names.marks],
  };
}

/** The ends of the lines of a single panel. */
function lineEnds({ read, panels, lines, isOwn, series }: Facts): readonly LineEnd[] {
  if (panels.length > 1 || isOwn || series === undefined) return [];
  return lines.flatMap(({ label, points }) => {
    const last = points.filter(isKnown).at(-1);
    return last ? [{ name: label, x: read.isTime ? new Date(last.x) : last.x, y: last.y }] : [];
  });
}

/** Months between ticks. */
const MONTHS = [1, 3, 6, 12];

/** Approximate number of ticks; for times at least two at the start of a month, since Plot does not support half years. */
function ticksFor({ read, lines }: Facts, most: number): number | string {
  const xs = lines.flatMap(({ points }) => points.map((point) => point.x));
  const [from, to] = [min(xs), max(xs)];
  if (!read.isTime) return most;
  if (!(to - from > 60 * MS_PER_DAY)) return Math.max(3, most);
  const monthOf = (time: number) => 12 * new Date(time).getUTCFullYear() + new Date(time).getUTCMonth();
  const begins = (months: number) => Math.floor(monthOf(to) / months) - Math.floor(monthOf(from - 1) / months);
  const fit = MONTHS.findIndex((months) => begins(months) <= most);
  const months = MONTHS[fit > 0 && begins(MONTHS[fit] as number) < 2 ? fit - 1 : fit];
  return months === undefined || months === 12 ? most : `${months} months`;
}

/** A point as drawn. */
interface Drawn {
  readonly line: Line;
  readonly x: Date | number;
  /** NaN in a gap. */
  readonly y: number;
  /** Value of `x`. */
  readonly along: Date | number;
  readonly at: number;
  /** Whether it has no neighbor to be joined with. */
  readonly isAlone: boolean;
}

/** Facets of a panel. */
type Facet = Readonly<Record<"fx" | "fy", (index: PanelPlace) => number>>;

/** Separate axes for each panel: its ticks, and the ends below it. */
function ownAxes(
  ticks: readonly PanelPlace[],
  ends: readonly (PanelPlace & { readonly side: number })[],
  facet: Facet,
): readonly ObservablePlot.Markish[] {
  const below = { ...facet, y: 0, lineAnchor: "top", dy: 8 } as const;
  const beside = { frameAnchor: "left", textAnchor: "end", dx: -6 } as const;
  return [
    silent(ObservablePlot.ruleY(ticks, { y: "at", ...facet, strokeOpacity: 0.1 })),
    silent(ObservablePlot.text(ticks, { y: "at", ...facet, text: "text", ...beside })),
    ...(["start", "end"] as const).map((textAnchor, side) =>
      silent(
        ObservablePlot.text(
          ends.filter((end) => end.side === side),
          { ...below, x: side, text: "text", textAnchor },
        ),
      ),
    ),
  ];
}

/** How tooltips show the values of a line. */
function tipFormat({ read, unit, panels, isOwn }: Pick<Facts, "read" | "unit" | "panels" | "isOwn">, columns: number) {
  const when = (at: Date | number) => read.textOf(Number(at));
  return {
    ...(isOwn ? { x: false as const, when } : { x: when }),
    y: false,
    stroke: false,
    amount: (amount: number) => amountText(amount, unit),
    // Missing from Plot's types.
    ...({ facet: (column: number, row: number) => panels[row * columns + column]?.name } as object),
  };
}

function marksOf(
  { read, x, y, by, series, unit, panels, bounds, isOwn, curve, lines }: Facts,
  columns: number,
  panelWidth: number,
): ObservablePlot.Markish[] {
  const facet = {
    fx: ({ panel }: PanelPlace) => panel % columns,
    fy: ({ panel }: PanelPlace) => Math.floor(panel / columns),
  };
  const heightOf = (value: number, panel: number) => {
    const { from, to } = bounds[panel] as Bounds;
    return isOwn ? (value - from) / (to - from) : value;
  };
  const reaches = panels.map((panel) => reachOf(panel));
  const drawn = (index: number) => (read.isTime ? new Date(index) : index);
  const along = (index: number, panel: number) => {
    const { from, to } = reaches[panel] as Reach;
    return !isOwn ? drawn(index) : to > from ? (index - from) / (to - from) : 0.5;
  };
  const points = lines.flatMap((line) =>
    line.points.map((point, at): Drawn & PanelPlace => ({
      line,
      panel: line.panel,
      x: drawn(point.x),
      along: along(point.x, line.panel),
      y: point.y ?? Number.NaN,
      at: point.y === null ? Number.NaN : heightOf(point.y, line.panel),
      isAlone:
        point.y !== null && (line.points[at - 1]?.y ?? null) === null && (line.points[at + 1]?.y ?? null) === null,
    })),
  );
  const ticks = bounds.flatMap(({ ticks }, panel) =>
    ticks.map((tick) => ({ panel, at: heightOf(tick, panel), text: tickText(tick, ticks) })),
  );
  const colour = series === undefined ? accent : ({ line }: Drawn) => line.label;
  const index = { x: "along", y: "at", ...facet } as const;
  const heads = panels.map(({ name, lines: [only, ...others] }, panel) => {
    const last = only?.points.filter(isKnown).at(-1);
    return { panel, name, last: last && others.length === 0 && series === undefined ? formatShort(last.y) : "" };
  });
  // Names come first: the last value is left out of all heads if one of them has no room for it.
  const areFitting = heads.every(
    ({ name, last }) => textWidth(name, FONT, true) + textWidth(last, FONT) + 8 <= panelWidth,
  );
  const lastWidth = areFitting ? max([0, ...heads.map(({ last }) => textWidth(last, FONT))]) : 0;
  const fitted = distinctHeads(
    panels.map(({ name }) => name),
    Math.max(3 * FONT, panelWidth - lastWidth - 8),
  );
  const above = { ...facet, lineAnchor: "bottom", dy: -7 } as const;
  const ends = panels.flatMap((_, panel) => endsOf(read, reaches[panel] as Reach).map((end) => ({ panel, ...end })));
  return [
    hatch(),
    ...(isOwn ? ownAxes(ticks, ends, facet) : []),
    ObservablePlot.line(points, {
      ...index,
      ...(isOwn ? {} : { x: { value: "x", label: x } }),
      curve,
      z: "line",
      stroke: colour,
      strokeWidth: 1.8,
      channels: { ...(isOwn ? { when: { value: "x", label: x } } : {}), amount: { value: "y", label: y } },
      tip: { format: tipFormat({ read, unit, panels, isOwn }, columns) },
    }),
    silent(
      ObservablePlot.dot(
        points.filter(({ isAlone }) => isAlone),
        { ...index, r: 2.5, fill: colour },
      ),
    ),
    ...(by === undefined
      ? []
      : [
          silent(
            ObservablePlot.text(heads, {
              ...above,
              text: ({ panel }: PanelPlace) => fitted[panel],
              frameAnchor: "top-left",
              fontWeight: "bold",
            }),
          ),
          ...(areFitting
            ? [silent(ObservablePlot.text(heads, { ...above, text: "last", frameAnchor: "top-right" }))]
            : []),
        ]),
  ];
}

/** Start and end of the axis of a panel; not finite without points. */
interface Reach {
  readonly from: number;
  readonly to: number;
}

function reachOf({ lines }: Panel): Reach {
  const xs = lines.flatMap(({ points }) => points.map((point) => point.x));
  return { from: min(xs), to: max(xs) };
}

/** Labels below the two ends of a panel with its own axis. */
function endsOf(read: RowSeriesList, { from, to }: Reach): readonly { readonly side: number; readonly text: string }[] {
  if (!Number.isFinite(from)) return [];
  const isWithinDays = to - from < 2 * MS_PER_DAY;
  const text = (x: number) => {
    const whole = read.textOf(x);
    if (!read.isTime) return whole;
    const day = formatDay(x, inUtc);
    if (whole.length <= day.length) return whole;
    // Two instants are too long for one line: the day or the time is enough.
    return isWithinDays ? formatClock(x, inUtc) : day;
  };
  return from === to ? [{ side: 0, text: text(from) }] : [from, to].map((x, side) => ({ side, text: text(x) }));
}

/** Names of panels cut to a width. Names with the same beginning keep their ends, so that all are different. */
function distinctHeads(names: readonly string[], width: number): readonly string[] {
  const fits = (text: string) => textWidth(text, FONT, true) <= width;
  const cut = (name: string, tail: number) => {
    const characters = Array.from(name);
    const end = tail === 0 ? "" : characters.slice(-tail).join("");
    const length = characters.findLastIndex((_, at) => fits(`${characters.slice(0, at).join("")}…${end}`));
    return `${characters.slice(0, Math.max(0, length)).join("")}…${end}`;
  };
  const heads = names.map((name) => (fits(name) ? name : cut(name, 0)));
  const isTaken = (head: string, at: number, all: readonly string[]) =>
    all.some((other, index) => index !== at && other === head);
  return heads.map((head, at) => {
    if (!isTaken(head, at, heads)) return head;
    const alike = names.filter((_, index) => heads[index] === head);
    const longest = Array.from(names[at] as string).length;
    for (let tail = 1; tail < longest; tail += 1) {
      const ofGroup = cut(names[at] as string, tail);
      if (!fits(ofGroup)) break;
      if (new Set(alike.map((name) => cut(name, tail))).size === alike.length) return ofGroup;
    }
    return cut(`${at + 1}: ${names[at]}`, 0);
  });
}

interface PanelPlace {
  readonly panel: number;
}

function min(numbers: readonly number[]): number {
  return numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);
}

function max(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), Number.NEGATIVE_INFINITY);
}
