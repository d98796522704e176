import * as ObservablePlot from "@observablehq/plot";
import { displaySymbol } from "../display/display-symbol.js";
import type { MimeBundle } from "../display/mime-bundle.js";
import { untrustedNote } from "../display/untrusted-note.js";
import { createDocument } from "./create-document.js";
import type { DomElement } from "./dom-element.js";
import type { Figure } from "./figure.js";
import { figureText } from "./figure-text.js";
import { fitLabels } from "./fit-labels.js";
import { standaloneSvg } from "./standalone-svg.js";

const fontSize = 12;

/** Fits its surroundings: text in the page's colour, and halos and tips on the page's ground, light or dark. */
const surroundings = {
  fontSize: `${fontSize}px`,
  overflow: "visible",
  "--plot-background": "var(--jp-layout-color0, var(--vscode-editor-background, Canvas))",
};

/**
 * Observable Plot's `plot`, for use without a browser. Takes the same options; the font is larger than Plot's, and the
 * chart is widened where labels would not fit.
 */
export function plot(options: ObservablePlot.PlotOptions = {}): Figure {
  const style = { ...surroundings, ...(typeof options.style === "object" ? options.style : {}) };
  const drawing: unknown = ObservablePlot.plot(
    Object.assign({ marginLeft: 48, marginBottom: 40 }, options, { style, document: createDocument() }),
  );
  const element = drawing as DomElement & Omit<Figure, typeof displaySymbol | "toSVG">;
  const chart = chartOf(element);
  if (chart) fitLabels(chart, fontSize);
  escapeAttributes(element);
  // linkedom's elements do not take a style as text, as Plot would set it.
  if (chart && typeof options.style === "string") {
    chart.setAttribute("style", `${chart.getAttribute("style") ?? ""};${options.style}`);
  }
  if (chart?.getAttribute("aria-label")) chart.setAttribute("role", "img");
  const toSVG = () => (chart ? standaloneSvg(element, chart) : "");
  return Object.assign(element, { toSVG, [displaySymbol]: () => figureBundle(element, chart, toSVG) });
}

/**
 * linkedom writes attributes as they are, with `<` and `&`. A browser forgives that in HTML; as the text of an SVG file
 * it is an error.
 */
function escapeAttributes(figure: DomElement): void {
  for (const name of ["aria-label", "aria-description", "href"]) {
    for (const element of [figure, ...figure.querySelectorAll(`[${name}]`)]) {
      const value = element.getAttribute(name);
      if (value) element.setAttribute(name, value.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
    }
  }
}

/** The chart itself; legends are SVG elements before it. */
function chartOf(element: DomElement): DomElement | undefined {
  if (element.tagName.toLowerCase() === "svg") return element;
  return [...element.querySelectorAll("svg")].findLast((svg) => svg.parentElement === element);
}

function figureBundle(element: DomElement, chart: DomElement | undefined, toSVG: () => string): MimeBundle {
  const text = figureText(element, chart);
  return {
    "text/plain": text,
    "text/html": `${element.outerHTML}${untrustedNote(text)}`,
    ...(chart ? { "image/svg+xml": toSVG() } : {}),
  };
}
