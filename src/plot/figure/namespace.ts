import * as ObservablePlot from "@observablehq/plot";
import { plot } from "./plot.js";

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
