import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { checkOptions } from "../../core/options.js";
import { provenanceOf } from "../../core/provenance.js";
import type { ValueOrder } from "../../history/order/value-order.js";
import { historyBehind } from "../../history/questions/history-behind.js";
import { byImportance, byWords, nameProcess } from "../../tables/order/process-words.js";
import { valueColours } from "../values/palette.js";
import { drawFigure } from "./draw-figure.js";
import type { Figure } from "./figure.js";
import { type FigureOptions, figureRules } from "./figure-options.js";
import { narrowWidth } from "./svg-text.js";

/**
 * Observable Plot's `plot`, for use without a browser. Takes the same options; the font is larger than Plot's, the
 * chart is widened where labels would not fit, and where the data come from is said below it if a mark's data tell. Values of a
 * process (`fill: "STATUS"`), and of how important something is, have the order and the colours that other figures give them,
 * unless `color` says others.
 * In notebooks and pages it is drawn anew for phones, unless it has a `width`.
 *
 * @param options Plot's own, and `provenance`
 */
export function plot(options: FigureOptions = {}): Figure {
  checkOptions("plot()", options, figureRules);
  const color = propertyColours(options);
  const coloured = color ? { ...options, color: { ...color, ...options.color } } : options;
  return drawFigure(coloured, options.width === undefined ? { ...coloured, width: narrowWidth } : undefined);
}

/** What says by itself which colours there are. */
const chosen = ["type", "domain", "range", "scheme", "interpolate", "transform"] as const;

/** A mark as Plot keeps it: a channel's value is a column's name, or was made of the column that its label names. */
interface ColouredMark {
  readonly data?: unknown;
  readonly channels?: Readonly<Record<string, { readonly value?: unknown } | undefined>>;
}

/**
 * The colours of marks that a user has made by a column of a table of ours, as other figures have them: where its values are
 * the steps of a process, or say how important something is. Undefined for other values, of several columns, and where the
 * user says how colours are.
 */
function propertyColours({ marks = [], color = {} }: FigureOptions): ObservablePlot.ScaleOptions | undefined {
  if (chosen.some((name) => name in color)) return undefined;
  const all = (marks as unknown[]).flat(Number.POSITIVE_INFINITY);
  const found = all.flatMap((mark) => colouredBy((mark ?? {}) as ColouredMark));
  const [first] = found;
  if (!first || found.some(({ column }) => column !== first.column)) return undefined;
  const values = new Set(found.flatMap(({ table, column }) => [...table.array(column)]));
  for (const none of [null, undefined]) values.delete(none);
  const labels = [...values].filter((value) => typeof value === "string");
  if (labels.length < values.size || labels.length === 0) return undefined;
  const { places, isProcess, isListed } = orderOf(first, labels);
  if (!isProcess && !isListed && !byImportance(labels)) return undefined;
  const domain = [...new Set([...places.filter((label) => values.has(label)), ...labels])];
  const { legend: _, ...colours } = valueColours(domain, { places, isProcess });
  return colours;
}

/** A column that colours a mark. */
interface Coloured {
  readonly table: ColumnTable;
  readonly column: string;
}

/** What of a history is asked here: to load it all would keep the first cell that plots waiting. */
interface HistoryBehind {
  readonly columns: readonly string[];
  valueOrder(column: string): ValueOrder;
}

/** The order of a column's values, by the history that the table was read from, else by their words. */
function orderOf({ table, column }: Coloured, labels: readonly string[]): Omit<ValueOrder, "values"> {
  const history = historyBehind(table) as HistoryBehind | undefined;
  if (history?.columns.includes(column)) return history.valueOrder(column);
  return { places: byWords(labels) ?? labels, isProcess: nameProcess(labels), isListed: false };
}

/** The columns that colour a mark of a table of ours. */
function colouredBy({ data, channels = {} }: ColouredMark): readonly Coloured[] {
  const table = provenanceOf(data) && (data as Partial<ColumnTable>).columnNames ? (data as ColumnTable) : undefined;
  if (!table) return [];
  return ["fill", "stroke"].flatMap((name) => {
    const value = channels[name]?.value;
    const column: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "label") : value;
    return typeof column === "string" && table.columnNames().includes(column) ? [{ table, column }] : [];
  });
}

// `Plot.dot(data).plot()` would look for a browser's document otherwise.
ObservablePlot.Mark.prototype.plot = function plotMark(options: ObservablePlot.PlotOptions = {}) {
  const { marks = [], ...rest } = options;
  return plot({ ...rest, marks: [...marks, this as ObservablePlot.Markish] });
};

/** Observable Plot with our `plot`, so that the examples of its documentation run without a browser. */
export const Plot: Omit<typeof ObservablePlot, "plot"> & {
  /** Draws without a browser. */
  readonly plot: typeof plot;
} = { ...ObservablePlot, plot };
