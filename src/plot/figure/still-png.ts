import { svgSize } from "./svg-text.js";
import { toPNG } from "./to-png.js";

/** From this length on an SVG is a map of a thousand shapes, whose PNG gets fewer pixels to stay small. */
const largeSvg = 60_000;
/** About the widest and highest PNG: a timeline of a thousand features shows itself all the same. */
const maxPixels = 8000;

/** An SVG as a PNG in base64, for those that may not or cannot show SVG. */
export async function stillPng(svg: string): Promise<string> {
  const { width, height } = svgSize(svg);
  const scale = Math.min(svg.length < largeSvg ? 1.5 : 1, maxPixels / Math.max(width, height));
  const png = await toPNG({ toSVG: () => svg }, { scale });
  return Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString("base64");
}
