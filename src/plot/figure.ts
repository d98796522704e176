import type { Scale, ScaleName } from "@observablehq/plot";
import type { displaySymbol } from "../display/display-symbol.js";
import type { MimeBundle } from "../display/mime-bundle.js";

/** A chart: an SVG element, or an HTML figure if it has a title, a caption or a legend. It shows itself in notebooks. */
export interface Figure {
  /** `svg` or `figure`, in the case that the document uses. */
  readonly tagName: string;
  /** The chart as HTML; SVG inside. */
  readonly outerHTML: string;
  /** The scale that the chart used, for example `scale("x")`. */
  scale(name: ScaleName): Scale | undefined;
  /** The figure as an image file: title, legend and chart in one SVG, light or dark as the reader prefers. */
  toSVG(): string;
  /** What notebooks show: the figure as HTML. */
  [displaySymbol](): MimeBundle;
}
