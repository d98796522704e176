import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { checkOptions } from "../../core/options.js";
import { provenanceOf } from "../../core/provenance.js";
import type { ValueOrder } from "../../history/order/value-order.js";
import { historyBehind } from "../../history/questions/history-behind.js";
import { noColumn } from "../../tables/column/missing-column.js";
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
 * @throws ArgumentError for an option that there is none of, and a mark of a table that names a column which the table does not have
 */
export function plot(options: FigureOptions = {}): Figure {
  checkOptions("plot()", options, figureRules);
  const marks = marksOf(options);
  requireMarkColumns(marks);
  const color = propertyColours(marks, options);
  const coloured = color ? { ...options, color: { ...color, ...options.color } } : options;
  return drawFigure(coloured, options.width === undefined ? { ...coloured, width: narrowWidth } : undefined);
}

/** A mark as Plot keeps it. */
interface Mark {
  readonly data?: unknown;
  /** A channel's value is a column's name, or was made of the column that its label names. */
  readonly channels?: Readonly<Record<string, { readonly value?: unknown } | undefined>>;
  readonly fx?: unknown;
  readonly fy?: unknown;
  readonly transform?: unknown;
  initialize(): unknown;
}

/** Which columns a transform reads shows in some of its rows. */
const MOST_ROWS_READ = 500;

/** The marks that are given, without functions and elements. */
function marksOf({ marks = [] }: FigureOptions): readonly Mark[] {
  // Of whichever copy of Plot.
  const isMark = (mark: unknown): mark is Mark => typeof (Object(mark) as Partial<Mark>).initialize === "function";
  return (marks as unknown[]).flat(Number.POSITIVE_INFINITY).filter(isMark);
}

/**
 * Of a name that is no column Plot draws nothing, and says nothing.
 *
 * @throws ArgumentError for a mark of a table that names a column which the table does not have
 */
function requireMarkColumns(marks: readonly Mark[]): void {
  for (const mark of marks) {
    const table = tableOf(mark);
    // One of no records has no columns.
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
  // A transform may make columns, and a label be one that the user gave.
  if (missing.length === 0 || !mark.transform) return missing[0];
  const missed = namesMissed(mark);
  return missing.find((name) => missed.has(name));
}

function isComputed(value: unknown): value is { readonly label?: unknown } {
  return typeof value === "object" && value !== null && "transform" in value;
}

/** The names that a mark with a transform reads of some hundred rows, which these do not have. */
function namesMissed(mark: Mark): ReadonlySet<string> {
  const names = new Set<string>();
  const all = Array.from(mark.data as Iterable<object>);
  const every = Math.ceil(all.length / MOST_ROWS_READ);
  const some = all.filter((_, place) => place % every === 0);
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
    // What cannot be drawn is told when it is drawn.
  }
  return names;
}

/** What says by itself which colours there are. */
const chosen = ["type", "domain", "range", "scheme", "interpolate", "transform"] as const;

/**
 * The colours of marks that a user has made by a column of a table of ours, as other figures have them: where its values are
 * the steps of a process, or say how important something is. Undefined for other values, of several columns, and where the
 * user says how colours are.
 */
function propertyColours(
  marks: readonly Mark[],
  { color = {} }: FigureOptions,
): ObservablePlot.ScaleOptions | undefined {
  if (chosen.some((name) => name in color)) return undefined;
  const found = marks.flatMap(colouredBy);
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
