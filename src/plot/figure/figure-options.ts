import type * as ObservablePlot from "@observablehq/plot";
import { anything, type OptionRules } from "../../core/options.js";
import type { ProvenanceOptions } from "./figure-text.js";

/** Options of every figure: those of Observable Plot, and `provenance`. */
export interface FigureOptions extends ObservablePlot.PlotOptions, ProvenanceOptions {}

/** Default width of charts, in pixels. */
export const CHART_WIDTH = 720;

/** Rules of the options of every figure. Plot checks the values of Plot's options. */
export const figureRules: OptionRules<FigureOptions> = {
  width: anything,
  height: anything,
  aspectRatio: anything,
  margin: anything,
  marginTop: anything,
  marginRight: anything,
  marginBottom: anything,
  marginLeft: anything,
  style: anything,
  className: anything,
  title: anything,
  subtitle: anything,
  caption: anything,
  figure: anything,
  ariaLabel: anything,
  ariaDescription: anything,
  document: anything,
  clip: anything,
  x: anything,
  y: anything,
  r: anything,
  color: anything,
  opacity: anything,
  symbol: anything,
  length: anything,
  projection: anything,
  fx: anything,
  fy: anything,
  facet: anything,
  marks: anything,
  clamp: anything,
  nice: anything,
  zero: anything,
  round: anything,
  align: anything,
  padding: anything,
  axis: anything,
  grid: anything,
  label: anything,
  labelArrow: anything,
  inset: anything,
  insetTop: anything,
  insetRight: anything,
  insetBottom: anything,
  insetLeft: anything,
  provenance: anything,
};
