import { svgSize } from "./svg-text.js";
import { toPNG } from "./to-png.js";

/** A longer SVG is a map of a thousand shapes, whose PNG gets fewer pixels to stay small. */
const largeSvg = 60_000;
/** Approximate maximum width and height: larger figures, such as a timeline of a thousand features, are scaled down. */
const maxPixels = 8000;

/** An SVG as a PNG in base64, for hosts that cannot show SVG. */
export async function fallbackPng(svg: string): Promise<string> {
  const { width, height } = svgSize(svg);
  const scale = Math.min(svg.length < largeSvg ? 1.5 : 1, maxPixels / Math.max(width, height));
  const png = await toPNG({ toSVG: () => svg }, { scale });
  return Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString("base64");
}
