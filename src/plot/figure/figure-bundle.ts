import { randomUUID } from "node:crypto";
import type { TooltipMark } from "../../tables/display/live/chart-payload.js";
import {
  type MimeBundle,
  type Picture,
  paintBundle,
  type UnpaintedBundle,
  unpaintedSymbol,
} from "../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";
import { type Fallback, tipStyle, type View, viewHtml } from "../../tables/display/view.js";
import { svgSize } from "./svg-text.js";
import { fallbackPng } from "./to-png.js";

const style = `#figure { position: relative; outline: none; } #figure > svg { display: block; width: 100%; max-width: 100%; height: auto; }
#figure:focus-visible { box-shadow: inset 0 0 0 2px var(--accent); } #figure [role=button]:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }`;

/** A drawing as an image file, and the tooltips of its marks. */
interface Drawing {
  readonly svg: string;
  readonly tooltips: readonly TooltipMark[];
}

/** A drawing of a figure as an image file, with its tooltips on demand. */
export interface FigureDrawing {
  readonly svg: string;
  readonly tooltips: readonly TooltipMark[];
}

/** Descriptions of a figure for terminals and screen readers. */
interface FigureWords {
  readonly text: string;
  readonly words: string;
}

/** The display method of a figure that can be shown before its pictures are painted. */
export function displayMethod(show: () => UnpaintedBundle): () => Promise<MimeBundle> {
  return Object.assign(async () => paintBundle(show(), fallbackPng), { [unpaintedSymbol]: show });
}

/**
 * A figure with tooltips as HTML: its image, and over it an interactive copy.
 *
 * @param figure must have tooltips
 * @param narrow the same marks in a drawing for narrow pages
 */
function chartView({ svg, tooltips }: Drawing, title: string, narrow?: Drawing): string {
  const view: View = {
    title,
    fallback: fallbackOf(svg),
    ...(narrow ? { narrow: fallbackOf(narrow.svg) } : {}),
    style: tipStyle + style,
    body:
      `<div id="figure" role="group" aria-roledescription="chart" aria-label="${escapeHtml(title)}">${svg}</div>` +
      `${narrow ? `<template id="narrow">${narrow.svg}</template>` : ""}<div id="tip" hidden></div><div id="said" role="status"></div>`,
    payload: narrow ? [tooltips, narrow.tooltips.map((mark, index) => difference(mark, tooltips[index]))] : [tooltips],
    script: "chart",
  };
  return viewHtml(view);
}

function fallbackOf(svg: string): Fallback {
  return { image: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`, ...svgSize(svg) };
}

/** Properties of a mark that differ in the narrow drawing: usually only positions. */
function difference(mark: TooltipMark, wide: TooltipMark | undefined): Record<string, unknown> {
  const isSame = (name: "channels" | "series") => JSON.stringify(mark[name]) === JSON.stringify(wide?.[name]);
  const { channels, series, rows, ...positions } = mark;
  if (isSame("channels") && isSame("series")) return { ...positions, rows };
  return { ...positions, rows, channels, series: series ?? null };
}

/** A drawing that becomes an image when the bundle is painted. */
export function pictureOf(svg: string, as: Picture["as"]): Picture {
  return { token: `siteframe-picture-${randomUUID()}`, svg, as };
}

/**
 * A figure as interactive HTML, and as an image. Without tooltips the HTML is omitted, since Jupyter prefers HTML to the
 * image.
 *
 * @param narrow the same for narrow pages
 */
export function figureBundle(
  figure: FigureDrawing,
  { text, words }: FigureWords,
  narrow: FigureDrawing | undefined,
): UnpaintedBundle {
  const png = pictureOf(figure.svg, "png");
  const image = { "image/png": png.token };
  if (figure.tooltips.length === 0) {
    return { bundle: { "text/plain": text, "image/svg+xml": figure.svg, ...image }, pictures: [png] };
  }
  const html = chartView(figure, words || "Chart", narrow);
  return { bundle: { "text/plain": text, "text/html": html, ...image }, pictures: [png] };
}
