import { ArgumentError } from "../../core/errors.js";
import { checkOptions, list, numeric, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { svgSize } from "./svg-text.js";

/** Options of `toPNG()`. */
export interface PngOptions {
  /** Pixels per pixel of the figure. Default 2, for sharp screens and print. */
  readonly scale?: number;
  /** Width of the image in pixels, instead of `scale`. */
  readonly width?: number;
  /** `"#rrggbb"`, or `"transparent"`; texts are light on dark ground. Default `"#ffffff"`. */
  readonly background?: string;
  /** TTF or OTF files for scripts that Inter does not have; it has Latin, Greek and Cyrillic. */
  readonly fonts?: readonly Uint8Array[];
}

export const pngRules: OptionRules<PngOptions> = { scale: numeric, width: numeric, background: text, fonts: list };

/** Widest and highest image; beyond, the memory for its pixels is out of proportion. */
const maxPixels = 20_000;
const darkText = "#1d2228";
const lightText = "#dfe4e9";

/**
 * A figure as a PNG image: what `toSVG()` shows, with the font Inter, the same on every machine.
 *
 * @param figure a figure, a time map (its last date), or anything else with `toSVG()`
 * @returns the bytes of the file
 * @throws ArgumentError for a size or a background that cannot be
 */
export async function toPNG(figure: { toSVG(): string }, options: PngOptions = {}): Promise<Uint8Array> {
  checkOptions("toPNG()", options, pngRules);
  const { background = "#ffffff", fonts = [] } = options;
  if (background !== "transparent" && !/^#[\da-f]{6}$/i.test(background)) {
    throw new ArgumentError(`The background ${showValue(background)} is no colour like "#ffffff".`, {
      hint: 'Give "#rrggbb" or "transparent".',
    });
  }
  if (typeof figure?.toSVG !== "function") {
    throw new ArgumentError(`toPNG() takes a figure, got ${showValue(figure)}.`, {
      hint: "Give what a chart or map of siteframe/plot returns.",
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
  const asked = width === undefined ? `scale ${showValue(scale)}` : `width ${showValue(width)}`;
  throw new ArgumentError(`A figure of ${ownWidth} × ${ownHeight} cannot be drawn with ${asked}.`, {
    hint:
      value >= 1
        ? `No side can be longer than ${maxPixels} pixels.`
        : "Give one with which it is a pixel wide at least.",
  });
}

/** The renderer knows no CSS variables and no preference for dark; both are settled here. */
function onGround(svg: string, background: string): string {
  const ground = background === "transparent" ? "none" : background;
  const text = background !== "transparent" && brightness(background) < 0.45 ? lightText : darkText;
  return svg
    .replaceAll("var(--plot-background)", ground)
    .replace(/<\/svg>\s*$/, `<style>svg.siteframe-plot { color: ${text}; }</style></svg>`);
}

/** How bright a colour seems, from 0 to 1. */
function brightness(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
  return (0.3 * red + 0.59 * green + 0.11 * blue) / 255;
}
