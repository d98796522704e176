import type { Scale, ScaleName } from "@observablehq/plot";
import type { Provenance } from "../../core/provenance.js";
import type { displaySymbol, MimeBundle } from "../../tables/display/mime-bundle.js";
import type { PngOptions } from "./to-png.js";

/** A chart: an SVG element, or an HTML figure if it has a title, a caption or a legend. It shows itself in notebooks. */
export interface Figure {
  /** `svg` or `figure`, in the case that the document uses. */
  readonly tagName: string;
  /** The chart as HTML; SVG inside. */
  readonly outerHTML: string;
  /**
   * The scale that the chart used, for example `scale("x")`.
   *
   * @param name `x`, `y`, `color`, `fx` and so on
   */
  scale(name: ScaleName): Scale | undefined;
  /** The figure as an image file: title, legend and chart in one SVG, light or dark as the reader prefers. */
  toSVG(): string;
  /**
   * The figure as a PNG image with the font Inter, the same on every machine.
   *
   * @throws ArgumentError for a size or a background that cannot be
   */
  toPNG(options?: PngOptions): Promise<Uint8Array>;
  /** Where the data come from and when they were read, if that is known. */
  readonly provenance: Provenance | undefined;
  /** SVG, and PNG for those that may not or cannot show SVG. */
  [displaySymbol](): Promise<MimeBundle>;
}
