import { randomUUID } from "node:crypto";
import type { MimeBundle } from "../../tables/display/bundle/mime-bundle.js";
import {
  type Picture,
  paintBundle,
  type UnpaintedBundle,
  unpaintedSymbol,
} from "../../tables/display/bundle/unpainted.js";
import type { ToldMark } from "../tips/told-mark.js";
import { chartView } from "./chart-view.js";
import { stillPng } from "./still-png.js";

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

/** The display method of a figure that can be shown before its pictures are painted. */
export function displayMethod(show: () => UnpaintedBundle): () => Promise<MimeBundle> {
  return Object.assign(async () => paintBundle(show(), stillPng), { [unpaintedSymbol]: show });
}

/** A drawing that becomes an image when the bundle is painted. */
export function pictureOf(svg: string, as: Picture["as"]): Picture {
  return { token: `siteframe-picture-${randomUUID()}`, svg, as };
}

/**
 * A figure as HTML that answers when it is pointed at, and as an image. Without anything to tell there is no HTML:
 * Jupyter prefers it to the image beside it.
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
  if (figure.told.length === 0) {
    return { bundle: { "text/plain": text, "image/svg+xml": figure.svg, ...image }, pictures: [png] };
  }
  const html = chartView(figure, words || "Chart", narrow);
  return { bundle: { "text/plain": text, "text/html": html, ...image }, pictures: [png] };
}
