import { ArgumentError } from "../../core/errors.js";
import { checkOptions, list, numeric, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { withDarkColors } from "../values/palette.js";
import { svgSize } from "./svg-text.js";

/** Options of `toPNG()`. */
export interface PngOptions {
  /** Pixels per pixel of the figure. Default: 2, for sharp screens and print. */
  readonly scale?: number;
  /** Width of the image in pixels, instead of `scale`. */
  readonly width?: number;
  /** `"#rrggbb"`, or `"transparent"`; texts and colors follow it. Default: `"#ffffff"`. */
  readonly background?: string;
  /** TTF or OTF files for scripts other than Latin, Greek and Cyrillic, which Inter has. */
  readonly fonts?: readonly Uint8Array[];
}

export const pngRules: OptionRules<PngOptions> = { scale: numeric, width: numeric, background: text, fonts: list };

/** Maximum width and height; larger images need too much memory. */
const maxPixels = 20_000;
const darkText = "#1d2228";
const lightText = "#dfe4e9";

/**
 * Returns a figure as a PNG image: the same as `toSVG()`, with the font Inter, identical on every machine.
 *
 * @param figure a figure, a map animation (its last date), or any object with `toSVG()`
 * @returns the bytes of the file
 * @throws ArgumentError for an invalid size or background
 * @example
 * import { writeFile } from "node:fs/promises";
 *
 * const png = await toPNG(editHeatmap(history), { width: 1600 });
 * await writeFile("edits.png", png);
 */
export async function toPNG(figure: { toSVG(): string }, options: PngOptions = {}): Promise<Uint8Array> {
  checkOptions("toPNG()", options, pngRules);
  const { background = "#ffffff", fonts = [] } = options;
  if (background !== "transparent" && !/^#[\da-f]{6}$/i.test(background)) {
    throw new ArgumentError(`toPNG(): invalid background ${showValue(background)}.`, {
      hint: 'Use "#rrggbb" or "transparent".',
    });
  }
  if (typeof figure?.toSVG !== "function") {
    throw new ArgumentError(`toPNG() needs a figure, got ${showValue(figure)}.`, {
      hint: "Pass the result of a chart or map of siteframe/plot.",
    });
  }
  const svg = onGround(figure.toSVG(), background);
  const fit = sizeOf(svg, options);
  const { renderPng } = await import("../png/render-png.js");
  return renderPng(svg, fit, background, fonts);
}

function sizeOf(svg: string, { scale = 2, width }: PngOptions): { readonly mode: "width"; readonly value: number } {
  const { width: ownWidth, height: ownHeight } = svgSize(svg);
  const value = Math.round(width ?? ownWidth * scale);
  const longest = Math.max(value, (value * ownHeight) / ownWidth);
  if (value >= 1 && longest <= maxPixels) return { mode: "width", value };
  const requestedSize = width === undefined ? `scale ${showValue(scale)}` : `width ${showValue(width)}`;
  throw new ArgumentError(`toPNG(): invalid ${requestedSize} for a figure of ${ownWidth} × ${ownHeight} pixels.`, {
    hint:
      value >= 1
        ? `Choose a smaller size: a side has at most ${maxPixels} pixels.`
        : "Choose a larger size: it must be at least one pixel wide.",
  });
}

/** Replaces CSS variables and the preference for dark, which the renderer does not support. */
function onGround(svg: string, background: string): string {
  const ground = background === "transparent" ? "none" : background;
  const isDark = background !== "transparent" && brightness(background) < 0.45;
  const text = isDark ? lightText : darkText;
  return (isDark ? withDarkColors(svg) : svg)
    .replaceAll("var(--plot-background)", ground)
    .replace(/<\/svg>\s*$/, `<style>svg.siteframe-plot { color: ${text}; }</style></svg>`);
}

/** Perceived brightness of a color, from 0 to 1. */
function brightness(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
  return (0.3 * red + 0.59 * green + 0.11 * blue) / 255;
}

/** A longer SVG is a map of a thousand shapes, whose PNG gets fewer pixels to stay small. */
const largeSvg = 60_000;
/** Approximate maximum width and height: larger figures, such as a timeline of a thousand features, are scaled down. */
const longestSide = 8000;

/** An SVG as a PNG in base64, for hosts that cannot show SVG. */
export async function fallbackPng(svg: string): Promise<string> {
  const { width, height } = svgSize(svg);
  const scale = Math.min(svg.length < largeSvg ? 1.5 : 1, longestSide / Math.max(width, height));
  const png = await toPNG({ toSVG: () => svg }, { scale });
  return Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString("base64");
}
