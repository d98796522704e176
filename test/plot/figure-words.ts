import type { Figure, MapAnimation } from "../../src/plot/index.js";

/** The description of a figure that screen readers read aloud. */
export function labelOf(figure: Figure | MapAnimation): string {
  return /^<svg[^>]* role="img"[^>]* aria-label="([^"]*)"/.exec(figure.toSVG())?.[1] ?? "";
}

/** The words of a figure, with single spaces between them. */
export function wordsOf(figure: { toSVG(): string }): string {
  return figure
    .toSVG()
    .replace(/<style>.*?<\/style>/gs, "")
    .replaceAll("</text>", " ")
    .replace(/<[^>]*>/g, "")
    .replaceAll("&#160;", " ")
    .replace(/\s+/g, " ");
}
