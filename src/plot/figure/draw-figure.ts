import * as ObservablePlot from "@observablehq/plot";
import type { Provenance } from "../../core/provenance.js";
import { displaySymbol } from "../../tables/display/bundle/display-symbol.js";
import { escapeHtml } from "../../tables/display/text/escape-html.js";
import { captureMarks } from "../tips/capture-marks.js";
import type { ToldMark } from "../tips/told-mark.js";
import { chartOf } from "./chart-of.js";
import { createDocument } from "./create-document.js";
import type { DomElement } from "./dom-element.js";
import type { Figure } from "./figure.js";
import { displayMethod, type FigureDrawing, figureBundle } from "./figure-bundle.js";
import type { FigureOptions } from "./figure-options.js";
import { figureText, figureWords } from "./figure-text.js";
import { fitLabels } from "./fit-labels.js";
import { fitTexts } from "./fit-texts.js";
import { figureProvenance, provenanceLine } from "./provenance-line.js";
import { stackFacets } from "./stack-facets.js";
import { pageGround, standaloneSvg } from "./standalone-svg.js";
import { type PngOptions, toPNG } from "./to-png.js";

const fontSize = 12;

/** Fits its surroundings: text in the page's colour, and halos and tips on the page's ground, light or dark. */
const surroundings = {
  fontSize: `${fontSize}px`,
  overflow: "visible",
  "--plot-background": pageGround,
};

/** A figure that Plot has drawn. */
interface Drawn {
  readonly element: DomElement & Pick<Figure, "tagName" | "outerHTML" | "scale">;
  readonly chart: DomElement | undefined;
  readonly provenance: Provenance | undefined;
  readonly tell: () => readonly ToldMark[];
}

/**
 * Draws a figure.
 *
 * @param narrow the options for a page as narrow as a phone's, if the figure has such a drawing; it is made when the
 *   figure is shown
 */
export function drawFigure(options: FigureOptions, narrow?: FigureOptions): Figure {
  const { element, chart, provenance, tell } = draw(options);
  const toSVG = () => (chart ? standaloneSvg(element, chart) : "");
  const figure: Figure = Object.assign(element, {
    provenance,
    toSVG,
    toPNG: (png?: PngOptions) => toPNG({ toSVG }, png),
    [displaySymbol]: displayMethod(() => {
      const told = tell();
      const small = narrow && told.length > 0 ? narrowDrawing(narrow, told.length, columnsOf(element)) : undefined;
      return figureBundle(
        { svg: toSVG(), told },
        { text: figureText(element, chart), words: figureWords(element, chart) },
        small,
      );
    }),
  });
  return figure;
}

/** The names of small multiples that stand in one line. */
function columnsOf(figure: Pick<Figure, "scale">): readonly unknown[] {
  return figure.scale("fy") ? [] : Array.from(figure.scale("fx")?.domain ?? []);
}

/** Nothing where marks cannot be drawn twice: their rows were an iterator's, or they fail at this width. */
function narrowDrawing(options: FigureOptions, marks: number, columns: readonly unknown[]): FigureDrawing | undefined {
  try {
    const { element, chart, tell } = draw(stackFacets(options, columns));
    const told = tell();
    return chart && told.length === marks ? { svg: standaloneSvg(element, chart), told } : undefined;
  } catch {
    return undefined;
  }
}

function draw({ provenance: asked, ...options }: FigureOptions): Drawn {
  const style = { ...surroundings, ...(typeof options.style === "object" ? options.style : {}) };
  const document = createDocument();
  const provenance = figureProvenance(asked, options.marks ?? []);
  const [drawing, tell]: readonly [unknown, () => readonly ToldMark[]] = captureMarks(options.marks, () =>
    ObservablePlot.plot(
      Object.assign({ marginLeft: 48, marginBottom: 40 }, options, {
        style,
        document,
        // A figure, and not the bare chart, has a place for the line.
        ...(provenance && asked !== false ? { figure: true } : {}),
      }),
    ),
  );
  const element = drawing as Drawn["element"];
  const chart = chartOf(element);
  if (chart) fitLabels(chart, fontSize);
  escapeAttributes(element);
  // linkedom's elements do not take a style as text, as Plot would set it.
  if (chart && typeof options.style === "string") {
    chart.setAttribute("style", `${chart.getAttribute("style") ?? ""};${options.style}`);
  }
  if (chart?.getAttribute("aria-label")) chart.setAttribute("role", "img");
  hideParts(element);
  if (provenance && asked !== false) sayProvenance(element, document, provenance);
  fitTexts(element);
  return { element, chart, provenance, tell };
}

/** Plot calls its groups "bar" and "x-axis tick": names to select them by, which say nothing to who listens. */
function hideParts(figure: DomElement): void {
  for (const group of figure.querySelectorAll("g[aria-label]")) group.setAttribute("aria-hidden", "true");
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
