import * as ObservablePlot from "@observablehq/plot";
import { checkOptions } from "../../core/options.js";
import { drawFigure } from "./draw-figure.js";
import type { Figure } from "./figure.js";
import { type FigureOptions, figureRules } from "./figure-options.js";
import { propertyColours } from "./property-colours.js";
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
