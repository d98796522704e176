import type { MimeBundle } from "../../display/bundle/mime-bundle.js";
import type { ToldMark } from "../tips/told-mark.js";
import { chartView } from "./chart-view.js";
import { svgSize } from "./svg-size.js";
import { toPNG } from "./to-png.js";

/** From this length on an SVG is a map of a thousand shapes, whose PNG gets fewer pixels to stay small. */
const largeSvg = 60_000;
/** About the widest and highest PNG: a timeline of a thousand features shows itself all the same. */
const maxPixels = 8000;

/** What a figure says: in a terminal, to those who do not see it, and when it is pointed at. */
interface FigureWords {
  readonly text: string;
  readonly words: string;
  readonly told: readonly ToldMark[];
}

/**
 * A figure as HTML that answers when it is pointed at, and as an image. Without anything to tell there is no HTML:
 * Jupyter prefers it to the image beside it.
 */
export async function figureBundle(
  figure: { toSVG(): string },
  { text, words, told }: FigureWords,
): Promise<MimeBundle> {
  const svg = figure.toSVG();
  const png = await stillPng(svg);
  if (told.length === 0) return { "text/plain": text, "image/svg+xml": svg, "image/png": png };
  return { "text/plain": text, "text/html": chartView(svg, words || "Chart", told), "image/png": png };
}

/** An SVG as a PNG in base64, for those that may not or cannot show SVG. */
export async function stillPng(svg: string): Promise<string> {
  const { width, height } = svgSize(svg);
  const scale = Math.min(svg.length < largeSvg ? 1.5 : 1, maxPixels / Math.max(width, height));
  const png = await toPNG({ toSVG: () => svg }, { scale });
  return Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString("base64");
}
