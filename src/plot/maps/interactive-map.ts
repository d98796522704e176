import type { Markish } from "@observablehq/plot";
import { displaySymbol } from "../../display/bundle/display-symbol.js";
import type { MimeBundle } from "../../display/bundle/mime-bundle.js";
import type { Still } from "../../view/view.js";
import { chartOf } from "../figure/chart-of.js";
import type { DomElement } from "../figure/dom-element.js";
import type { Figure } from "../figure/figure.js";
import { stillPng } from "../figure/figure-bundle.js";
import { figureText, figureWords } from "../figure/figure-text.js";
import { svgSize } from "../figure/svg-size.js";
import { type MapFacts, mapFrame } from "./map-frame.js";
import type { PaneFinder } from "./map-panes.js";

/** A still map, and what its frame is made of once it is shown. */
export interface InteractiveMap {
  readonly still: Figure;
  /** Draws the same without features, and with a mark that finds the panes. */
  furniture(finder: Markish): Figure;
  readonly finder: PaneFinder;
  facts(): MapFacts;
}

/** Up to this length in base64 the still is an SVG, even if a PNG is shorter. */
const SMALL_SVG = 100_000;

/** The still figure, which shows itself as a map that can be zoomed and pointed at. */
export function interactiveMap(map: InteractiveMap): Figure {
  const show = async (): Promise<MimeBundle> => {
    const svg = map.still.toSVG();
    const png = await stillPng(svg);
    const html = interactiveHtml(map, stillOf(svg, png));
    return { "text/plain": figureText(...partsOf(map.still)), "text/html": html, "image/png": png };
  };
  return Object.assign(map.still, { [displaySymbol]: show });
}

/** The frame over its still. */
export function interactiveHtml({ still: figure, furniture, finder, facts }: InteractiveMap, picture: Still): string {
  const around = furniture(finder.mark);
  const panes = finder.found();
  if (!panes) throw new Error("Plot has not drawn the mark that finds the map's place.");
  return mapFrame(around, panes, facts(), { ...picture, title: figureWords(...partsOf(figure)) });
}

function partsOf(figure: Figure): readonly [figure: DomElement, chart: DomElement | undefined] {
  const element = figure as unknown as DomElement;
  return [element, chartOf(element)];
}

/** The picture below a frame: the SVG, which is sharp at any size, or the PNG where that is shorter. */
export function stillOf(svg: string, png?: string): Still {
  const drawing = Buffer.from(svg).toString("base64");
  const isLess = png !== undefined && drawing.length > SMALL_SVG && png.length < drawing.length;
  const image = isLess ? `image/png;base64,${png}` : `image/svg+xml;base64,${drawing}`;
  return { image: `data:${image}`, ...svgSize(svg) };
}
