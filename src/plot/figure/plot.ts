import * as ObservablePlot from "@observablehq/plot";
import { checkOptions } from "../../core/check-options.js";
import type { Provenance } from "../../core/provenance.js";
import { displaySymbol } from "../../display/bundle/display-symbol.js";
import { escapeHtml } from "../../display/text/escape-html.js";
import { captureMarks } from "../tips/capture-marks.js";
import type { ToldMark } from "../tips/told-mark.js";
import { chartOf } from "./chart-of.js";
import { createDocument } from "./create-document.js";
import type { DomElement } from "./dom-element.js";
import type { Figure } from "./figure.js";
import { figureBundle } from "./figure-bundle.js";
import { type FigureOptions, figureRules } from "./figure-options.js";
import { figureText, figureWords } from "./figure-text.js";
import { fitLabels } from "./fit-labels.js";
import { figureProvenance, provenanceLine } from "./provenance-line.js";
import { pageGround, standaloneSvg } from "./standalone-svg.js";
import { type PngOptions, toPNG } from "./to-png.js";

const fontSize = 12;

/** Fits its surroundings: text in the page's colour, and halos and tips on the page's ground, light or dark. */
const surroundings = {
  fontSize: `${fontSize}px`,
  overflow: "visible",
  "--plot-background": pageGround,
};

/**
 * Observable Plot's `plot`, for use without a browser. Takes the same options; the font is larger than Plot's, the
 * chart is widened where labels would not fit, and where the data come from is said below it if a mark's data tell.
 *
 * @param options Plot's own, and `provenance`
 */
export function plot(options: FigureOptions = {}): Figure {
  checkOptions("plot()", options, figureRules);
  const { provenance: asked, ...plotOptions } = options;
  const style = { ...surroundings, ...(typeof plotOptions.style === "object" ? plotOptions.style : {}) };
  const document = createDocument();
  const provenance = figureProvenance(asked, plotOptions.marks ?? []);
  const [drawing, tell]: readonly [unknown, () => readonly ToldMark[]] = captureMarks(plotOptions.marks, () =>
    ObservablePlot.plot(
      Object.assign({ marginLeft: 48, marginBottom: 40 }, plotOptions, {
        style,
        document,
        // A figure, and not the bare chart, has a place for the line.
        ...(provenance && asked !== false ? { figure: true } : {}),
      }),
    ),
  );
  const element = drawing as DomElement & Pick<Figure, "tagName" | "outerHTML" | "scale">;
  const chart = chartOf(element);
  if (chart) fitLabels(chart, fontSize);
  escapeAttributes(element);
  // linkedom's elements do not take a style as text, as Plot would set it.
  if (chart && typeof plotOptions.style === "string") {
    chart.setAttribute("style", `${chart.getAttribute("style") ?? ""};${plotOptions.style}`);
  }
  if (chart?.getAttribute("aria-label")) chart.setAttribute("role", "img");
  if (provenance && asked !== false) sayProvenance(element, document, provenance);
  const toSVG = () => (chart ? standaloneSvg(element, chart) : "");
  const figure: Figure = Object.assign(element, {
    provenance,
    toSVG,
    toPNG: (png?: PngOptions) => toPNG({ toSVG }, png),
    [displaySymbol]: () =>
      figureBundle(figure, { text: figureText(element, chart), words: figureWords(element, chart), told: tell() }),
  });
  return figure;
}

function sayProvenance(figure: DomElement, document: object, provenance: Provenance): void {
  figure.setAttribute("data-read-at", provenance.readAt.toISOString());
  if (provenance.generation !== undefined) figure.setAttribute("data-generation", String(provenance.generation));
  const line = (document as { createElement(name: string): DomElement }).createElement("figcaption");
  Object.assign(line, { textContent: provenanceLine(provenance) });
  figure.append(line);
}

/**
 * linkedom writes attributes as they are, with `<` and `&`. A browser forgives that in HTML; as the text of an SVG file
 * it is an error. `>` would not be one, but then a tag could not be told from its text.
 */
function escapeAttributes(figure: DomElement): void {
  for (const name of ["aria-label", "aria-description", "href"]) {
    for (const element of [figure, ...figure.querySelectorAll(`[${name}]`)]) {
      const value = element.getAttribute(name);
      if (value) element.setAttribute(name, value.replace(/[&<>]/g, escapeHtml));
    }
  }
}
