import type * as ObservablePlot from "@observablehq/plot";
import type { Scale, ScaleName } from "@observablehq/plot";
import { anything, type OptionRules } from "../../core/options.js";
import type { Provenance } from "../../core/provenance.js";
import type { displaySymbol, MimeBundle } from "../../tables/display/mime-bundle.js";
import type { ProvenanceOptions } from "./figure-text.js";
import type { PngOptions } from "./to-png.js";

/**
 * A chart: an SVG element, or an HTML figure if it has a title, a caption or a legend. Notebooks display it.
 *
 * @example
 * ```ts
 * const figure = burnDown(history, "STATUS", { done: ["RESOLVED", "CLOSED"] });
 * [figure.tagName, figure.provenance?.readAt]
 * ```
 */
export interface Figure {
  /** `svg` or `figure`, in the document's case. */
  readonly tagName: string;
  /** The chart as HTML; SVG inside. */
  readonly outerHTML: string;
  /**
   * Returns a scale of the chart, for example `scale("x")`.
   *
   * @param name `x`, `y`, `color`, `fx` and so on
   * @example
   * ```ts
   * const figure = burnDown(history, "STATUS", { done: ["RESOLVED", "CLOSED"] });
   * figure.scale("y")?.domain
   * ```
   */
  scale(name: ScaleName): Scale | undefined;
  /**
   * Returns the figure as an image file: title, legend and chart in one SVG, light or dark as the reader prefers.
   *
   * @example
   * ```ts
   * import { writeFile } from "node:fs/promises";
   *
   * const figure = burnDown(history, "STATUS", { done: ["RESOLVED", "CLOSED"] });
   * await writeFile("burn-down.svg", figure.toSVG());
   * ```
   */
  toSVG(): string;
  /**
   * Returns the figure as a PNG image with the font Inter, identical on every machine.
   *
   * @example
   * ```ts
   * import { writeFile } from "node:fs/promises";
   *
   * const figure = burnDown(history, "STATUS", { done: ["RESOLVED", "CLOSED"] });
   * await writeFile("burn-down.png", await figure.toPNG({ width: 1600 }));
   * ```
   * @throws ArgumentError for an invalid size or background
   */
  toPNG(options?: PngOptions): Promise<Uint8Array>;
  /** Origin and read time of the data, if known. */
  readonly provenance: Provenance | undefined;
  /** SVG, and PNG for hosts that cannot show SVG. */
  [displaySymbol](): Promise<MimeBundle>;
}

/** Options of every figure: those of Observable Plot, and `provenance`. */
export interface FigureOptions extends ObservablePlot.PlotOptions, ProvenanceOptions {}

/** Default width of charts, in pixels. */
export const CHART_WIDTH = 720;

/** The width of a chart: the caller's, or the default. */
export function widthOf({ width }: FigureOptions): number {
  return width ?? CHART_WIDTH;
}

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
