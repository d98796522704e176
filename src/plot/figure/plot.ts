import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { checkOptions } from "../../core/options.js";
import { provenanceOf } from "../../core/provenance.js";
import { historyBehind } from "../../history/history-links.js";
import type { ValueOrder } from "../../history/order/legend-order.js";
import { noColumn } from "../../tables/column/missing-column.js";
import { byImportance, byWords, nameProcess } from "../../tables/order/process-words.js";
import { palette, valueColours } from "../values/palette.js";
import { drawFigure } from "./draw-figure.js";
import { type Figure, type FigureOptions, figureRules } from "./figure.js";
import { narrowWidth, textWidth } from "./svg-text.js";

/**
 * Returns the figure of Observable Plot's `plot`, without a browser. The options are Plot's. The font is larger, the chart is
 * widened if labels would not fit, and the provenance is shown below it if the data of a mark have one. Process values
 * (`fill: "STATUS"`) and levels of importance have the order and colors of the other figures, and categories have the colors
 * of categories, unless `color` sets others. In notebooks and pages it is redrawn for phones, unless it has a `width`.
 *
 * @param options Plot's own, and `provenance`
 * @throws ArgumentError for an unknown option, and a mark that uses an unknown column of its table
 * @example
 * const bars = Plot.barX(tickets.table, Plot.groupY({ x: "count" }, { y: "STATUS" }));
 * plot({ marks: [bars], marginLeft: 100, ariaLabel: "Bars of tickets by status" })
 */
export function plot(options: FigureOptions = {}): Figure {
  checkOptions("plot()", options, figureRules);
  const marks = marksOf(options);
  requireMarkColumns(marks);
  const color = propertyColours(marks, options) ?? categoryColours(marks, options);
  const coloured = color ? { ...options, color: { ...color, ...options.color } } : options;
  const wide = { ...insetOf(marks), ...coloured };
  const narrow = options.width === undefined ? { ...wide, width: narrowWidth } : undefined;
  const figure = drawFigure(wide, narrow);
  const [tilted, narrowTilted] = [wide, narrow].map((drawn) => drawn && tiltNames(drawn, figure));
  return tilted === wide && narrowTilted === narrow ? figure : drawFigure(tilted ?? wide, narrowTilted);
}

/** Pixels around points, which would cover the labels of the axes. */
const POINT_INSET = 6;

function insetOf(marks: readonly Mark[]): FigureOptions {
  return marks.length > 0 && marks.every(({ ariaLabel }) => ariaLabel === "dot") ? { inset: POINT_INSET } : {};
}

/** Pixels: size of names, least room for a slanted name, and gap between horizontal names. Degrees of the slant. */
const [NAME_SIZE, NAME_ROOM, NAME_GAP, SLANT] = [12, 20, 6, 40];
const [DEFAULT_WIDTH, MARGINS] = [640, 68];

/** Slants the names below a chart if they would overlap, and leaves some out if even slanted names would. */
function tiltNames(options: FigureOptions, figure: Figure): FigureOptions {
  const { x = {}, marks = [], width = DEFAULT_WIDTH } = options;
  const { type, domain = [] } = figure.scale("x") ?? {};
  const names = [...domain].map(String);
  const isTaken =
    x === null || figure.scale("fx") || ["axis", "ticks", "tickFormat", "tickRotate"].some((name) => name in x);
  const isAxis = (mark: unknown) => /^x-axis/.test(String(Reflect.get(Object(mark), "ariaLabel")));
  if (isTaken || !/band|point/.test(type ?? "") || (marks as unknown[]).flat(9).some(isAxis)) return options;
  if ([...domain].some((name) => typeof name !== "string")) return options;
  const room = (width - MARGINS) / Math.max(names.length, 1);
  const widest = Math.max(0, ...names.map((name) => textWidth(name, NAME_SIZE)));
  if (widest + NAME_GAP <= room) return options;
  const every = Math.ceil(NAME_ROOM / room);
  const below = Math.ceil(0.85 * widest * Math.sin((SLANT * Math.PI) / 180)) + 20;
  return {
    ...options,
    marginBottom: options.marginBottom ?? below + 20,
    height: options.height ?? 380 + below,
    x: { labelOffset: below + 16, ...x, tickRotate: -SLANT, ticks: names.filter((_, index) => index % every === 0) },
  };
}

/** A mark as in Plot. */
interface Mark {
  readonly data?: unknown;
  /** A channel's value is a column's name, or was computed from the column in its label. */
  readonly channels?: Readonly<Record<string, { readonly value?: unknown } | undefined>>;
  readonly ariaLabel?: string | undefined;
  readonly fx?: unknown;
  readonly fy?: unknown;
  readonly transform?: unknown;
  initialize(): unknown;
}

/** A transform reveals the columns that it reads within this number of rows. */
const MOST_ROWS_READ = 500;

/** The given marks, without functions and elements. */
function marksOf({ marks = [] }: FigureOptions): readonly Mark[] {
  // Of any copy of Plot.
  const isMark = (mark: unknown): mark is Mark => typeof (Object(mark) as Partial<Mark>).initialize === "function";
  return (marks as unknown[]).flat(Number.POSITIVE_INFINITY).filter(isMark);
}

/**
 * Checks column names, since Plot silently draws nothing for an unknown column.
 *
 * @throws ArgumentError for a mark that uses an unknown column of its table
 */
function requireMarkColumns(marks: readonly Mark[]): void {
  for (const mark of marks) {
    const table = tableOf(mark);
    // An array without records has no columns.
    const missing = table && table.numRows() > 0 ? missingColumn(mark, new Set(table.columnNames())) : undefined;
    if (table && missing !== undefined) throw noColumn(missing, table);
  }
}

function tableOf({ data }: Mark): ColumnTable | undefined {
  return typeof (Object(data) as Partial<ColumnTable>).columnNames === "function" ? (data as ColumnTable) : undefined;
}

function missingColumn(mark: Mark, columns: ReadonlySet<string>): string | undefined {
  const channels = Object.values(mark.channels ?? {}).map((channel) => channel?.value);
  const named = [...channels, mark.fx, mark.fy].map((value) =>
    mark.transform && isComputed(value) ? value.label : value,
  );
  const missing = named.filter((name): name is string => typeof name === "string" && !columns.has(name));
  // A transform may add columns, and the label may be the user's.
  if (missing.length === 0 || !mark.transform) return missing[0];
  const missed = namesMissed(mark);
  return missing.find((name) => missed.has(name));
}

function isComputed(value: unknown): value is { readonly label?: unknown } {
  return typeof value === "object" && value !== null && "transform" in value;
}

/** The unknown names that the transform of a mark reads from some hundred rows. */
function namesMissed(mark: Mark): ReadonlySet<string> {
  const names = new Set<string>();
  const all = Array.from(mark.data as Iterable<object>);
  const every = Math.ceil(all.length / MOST_ROWS_READ);
  const some = all.filter((_, index) => index % every === 0);
  const rows = some.map((row) => {
    return new Proxy(row, {
      get(target, name) {
        if (typeof name === "string" && !(name in target)) names.add(name);
        return Reflect.get(target, name) as unknown;
      },
    });
  });
  try {
    Object.create(mark, { data: { value: rows } }).initialize();
  } catch {
    // Errors are reported when the mark is drawn.
  }
  return names;
}

/** Options that determine the colors. */
const chosen = ["type", "domain", "range", "scheme", "interpolate", "transform"] as const;

/**
 * The colors of the user's marks by a column of one of our tables, as in other figures, if its values are the steps of a
 * process or levels of importance. Undefined for other values, for several columns, and if the user sets the colors.
 */
function propertyColours(
  marks: readonly Mark[],
  { color = {} }: FigureOptions,
): ObservablePlot.ScaleOptions | undefined {
  if (chosen.some((name) => name in color)) return undefined;
  const colored = marks.flatMap(colouredBy);
  const [first] = colored;
  if (!first || colored.some(({ column }) => column !== first.column)) return undefined;
  const values = new Set(colored.flatMap(({ table, column }) => [...table.array(column)]));
  for (const none of [null, undefined]) values.delete(none);
  const labels = [...values].filter((value) => typeof value === "string");
  if (labels.length < values.size || labels.length === 0) return undefined;
  const { places: positions, isProcess, isListed } = orderOf(first, labels);
  if (!isProcess && !isListed && !byImportance(labels)) return undefined;
  const domain = [...new Set([...positions.filter((label) => values.has(label)), ...labels])];
  const { legend: _, ...colours } = valueColours(domain, { places: positions, isProcess });
  return colours;
}

/** A column that colors a mark. */
interface Coloured {
  readonly table: ColumnTable;
  readonly column: string;
}

/** The used part of a history. Loading all of it would delay the first cell that plots. */
interface HistoryBehind {
  readonly columns: readonly string[];
  valueOrder(column: string): ValueOrder;
}

/**
 * The colors of categories, if marks are colored by strings: some of Plot's own cannot be seen on a white page. Undefined if
 * the user sets colors.
 */
function categoryColours(
  marks: readonly Mark[],
  { color = {} }: FigureOptions,
): ObservablePlot.ScaleOptions | undefined {
  if (["range", "scheme", "interpolate", "transform"].some((name) => name in color)) return undefined;
  return marks.some(hasCategories) ? { range: palette } : undefined;
}

/** Whether a mark is colored by strings that are not colors themselves, after its transforms. */
function hasCategories(mark: Mark): boolean {
  if (!mark.channels?.["fill"] && !mark.channels?.["stroke"]) return false;
  try {
    const { channels = {} } = (mark.initialize() ?? {}) as {
      readonly channels?: Readonly<Record<string, { readonly scale?: unknown; readonly value?: unknown }>>;
    };
    return ["fill", "stroke"].some((name) => {
      const { scale, value } = channels[name] ?? {};
      return scale === "color" && Array.from(value as Iterable<unknown>).some((one) => typeof one === "string");
    });
  } catch {
    // Errors are reported when the mark is drawn.
    return false;
  }
}

/** The order of a column's values, by the history of the table, else by their words. */
function orderOf({ table, column }: Coloured, labels: readonly string[]): Omit<ValueOrder, "values"> {
  const history = historyBehind(table) as HistoryBehind | undefined;
  if (history?.columns.includes(column)) return history.valueOrder(column);
  return { places: byWords(labels) ?? labels, isProcess: nameProcess(labels), isListed: false };
}

/** The columns that color a mark of one of our tables. */
function colouredBy(mark: Mark): readonly Coloured[] {
  const { data, channels = {} } = mark;
  const table = provenanceOf(data) && tableOf(mark);
  if (!table) return [];
  return ["fill", "stroke"].flatMap((name) => {
    const value = channels[name]?.value;
    const column: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "label") : value;
    return typeof column === "string" && table.columnNames().includes(column) ? [{ table, column }] : [];
  });
}

// Otherwise `Plot.dot(data).plot()` would need a browser's document.
ObservablePlot.Mark.prototype.plot = function plotMark(options: ObservablePlot.PlotOptions = {}) {
  const { marks = [], ...rest } = options;
  return plot({ ...rest, marks: [...marks, this as ObservablePlot.Markish] });
};

/** Observable Plot with a `plot` for Node, so that the examples in its documentation run without a browser. */
export const Plot: Omit<typeof ObservablePlot, "plot"> & {
  /** Draws without a browser. */
  readonly plot: typeof plot;
} = { ...ObservablePlot, plot };
