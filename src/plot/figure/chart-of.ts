import type { DomElement } from "./svg-text.js";

/** The chart of a figure; its legends are SVG elements before it. */
export function chartOf(figure: DomElement): DomElement | undefined {
  if (figure.tagName.toLowerCase() === "svg") return figure;
  return [...figure.children].findLast(({ tagName }) => tagName.toLowerCase() === "svg");
}
