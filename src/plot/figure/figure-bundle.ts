import type { MimeBundle } from "../../display/bundle/mime-bundle.js";
import type { ToldMark } from "../tips/told-mark.js";
import { chartView } from "./chart-view.js";
import { svgSize } from "./svg-size.js";
import { toPNG } from "./to-png.js";

/** From this length on an SVG is a map of a thousand shapes, whose PNG gets fewer pixels to stay small. */
const largeSvg = 60_000;
/** About the widest and highest PNG: a timeline of a thousand features shows itself all the same. */
const maxPixels = 8000;

/** A drawing of a figure as an image file, and what it tells when it is pointed at. */
export interface FigureDrawing {
  readonly svg: string;
  readonly told: readonly ToldMark[];
}

/** What a figure says in a terminal, and to those who do not see it. */
interface FigureWords {
  readonly text: string;
  readonly words: string;
}

/**
 * A figure as HTML that answers when it is pointed at, and as an image. Without anything to tell there is no HTML:
 * Jupyter prefers it to the image beside it.
 *
 * @param narrow the same for narrow pages
 */
export async function figureBundle(
  figure: FigureDrawing,
  { text, words }: FigureWords,
  narrow: FigureDrawing | undefined,
): Promise<MimeBundle> {
  const png = await stillPng(figure.svg);
  if (figure.told.length === 0) return { "text/plain": text, "image/svg+xml": figure.svg, "image/png": png };
  return { "text/plain": text, "text/html": chartView(figure, words || "Chart", narrow), "image/png": png };
}

/** An SVG as a PNG in base64, for those that may not or cannot show SVG. */
export async function stillPng(svg: string): Promise<string> {
  const { width, height } = svgSize(svg);
  const scale = Math.min(svg.length < largeSvg ? 1.5 : 1, maxPixels / Math.max(width, height));
  const png = await toPNG({ toSVG: () => svg }, { scale });
  return Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString("base64");
}
