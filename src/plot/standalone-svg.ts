import type { DomElement } from "./dom-element.js";

/**
 * A stand-alone SVG knows nothing of the page around it, so it brings its own ground with its own text colour,
 * and both follow the reader's preference for light or dark.
 */
const style = `<style>svg.siteframe-plot { color: #1d2228; background: #fff; --plot-background: #fff; }
@media (prefers-color-scheme: dark) { svg.siteframe-plot { color: #dfe4e9; background: #15191d; --plot-background: #15191d; } }
</style>`;

/** A chart's SVG as the text of an image file. */
export function standaloneSvg(svg: DomElement): string {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("class", `${copy.getAttribute("class") ?? ""} siteframe-plot`.trim());
  return copy.outerHTML.replace(/^<svg[^>]*>/, (tag) => tag + style);
}
