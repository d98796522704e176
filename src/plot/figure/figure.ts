import type { Scale, ScaleName } from "@observablehq/plot";
import type { Provenance } from "../../core/provenance.js";
import type { displaySymbol, MimeBundle } from "../../tables/display/mime-bundle.js";
import type { PngOptions } from "./to-png.js";

/** A chart: an SVG element, or an HTML figure if it has a title, a caption or a legend. Notebooks display it. */
export interface Figure {
  /** `svg` or `figure`, in the document's case. */
  readonly tagName: string;
  /** The chart as HTML; SVG inside. */
  readonly outerHTML: string;
  /**
   * Returns a scale of the chart, for example `scale("x")`.
   *
   * @param name `x`, `y`, `color`, `fx` and so on
   */
  scale(name: ScaleName): Scale | undefined;
  /** Returns the figure as an image file: title, legend and chart in one SVG, light or dark as the reader prefers. */
  toSVG(): string;
  /**
   * Returns the figure as a PNG image with the font Inter, identical on every machine.
   *
   * @throws ArgumentError for an invalid size or background
   */
  toPNG(options?: PngOptions): Promise<Uint8Array>;
  /** Origin and read time of the data, if known. */
  readonly provenance: Provenance | undefined;
  /** SVG, and PNG for hosts that cannot show SVG. */
  [displaySymbol](): Promise<MimeBundle>;
}
