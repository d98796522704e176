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
import { type DrawnForm, type MapFacts, mapFrame } from "./map-frame.js";
import type { PaneFinder } from "./map-panes.js";

/** A map of some width: a still, and what its frame is made of once it is shown. */
export interface MapForm {
  readonly still: Figure;
  /** The still as an image file. */
  svg(): string;
  /** Draws the same without features, and with a mark that finds the panes. */
  furniture(finder: Markish): Figure;
  readonly finder: PaneFinder;
  /** Of points, in pixels. */
  readonly radius: number;
}

/** A map that can be zoomed and pointed at. */
export interface InteractiveMap {
  readonly wide: MapForm;
  /** The same for narrow pages. It is drawn when the map is shown. */
  narrow(): MapForm | undefined;
  facts(): MapFacts;
}

/** Up to this length in base64 the still is an SVG, even if a PNG is shorter. */
const SMALL_SVG = 100_000;

/** The still figure, which shows itself as a map that can be zoomed and pointed at. */
export function interactiveMap(map: InteractiveMap): Figure {
  const { still } = map.wide;
  const show = async (): Promise<MimeBundle> => {
    const svg = map.wide.svg();
    const png = await stillPng(svg);
    const html = await interactiveHtml(map, stillOf(svg, png));
    return { "text/plain": figureText(...partsOf(still)), "text/html": html, "image/png": png };
  };
  return Object.assign(still, { [displaySymbol]: show });
}

/** The frame over its still. */
export async function interactiveHtml(map: InteractiveMap, picture: Still): Promise<string> {
  const narrow = map.narrow();
  if (!narrow) return htmlOf(map, picture);
  const svg = narrow.svg();
  // Base64 is longer by a third.
  const isSmall = (4 / 3) * svg.length <= SMALL_SVG;
  return htmlOf(map, picture, { form: narrow, still: stillOf(svg, isSmall ? undefined : await stillPng(svg)) });
}

/** The same at once, with SVG alone. */
export function interactiveHtmlNow(map: InteractiveMap): string {
  const narrow = map.narrow();
  return htmlOf(map, stillOf(map.wide.svg()), narrow && { form: narrow, still: stillOf(narrow.svg()) });
}

function htmlOf(
  { wide, facts }: InteractiveMap,
  picture: Still,
  narrow?: { readonly form: MapForm; readonly still: Still },
): string {
  const small = narrow && drawnForm(narrow.form, narrow.still);
  return mapFrame(drawnForm(wide, picture), small, facts(), figureWords(...partsOf(wide.still)));
}

function drawnForm({ furniture, finder, radius }: MapForm, still: Still): DrawnForm {
  const around = furniture(finder.mark);
  const panes = finder.found();
  if (!panes) throw new Error("Plot has not drawn the mark that finds the map's place.");
  return { furniture: around, panes, radius, still };
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
