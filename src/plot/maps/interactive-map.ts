import type { Markish } from "@observablehq/plot";
import { displaySymbol } from "../../tables/display/bundle/display-symbol.js";
import type { Picture, UnpaintedBundle } from "../../tables/display/bundle/unpainted.js";
import type { Still } from "../../tables/display/view.js";
import { chartOf } from "../figure/chart-of.js";
import type { DomElement } from "../figure/dom-element.js";
import type { Figure } from "../figure/figure.js";
import { displayMethod, pictureOf } from "../figure/figure-bundle.js";
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

/** The still figure, which shows itself as a map that can be zoomed and pointed at. */
export function interactiveMap(map: InteractiveMap): Figure {
  const { still } = map.wide;
  const show = () => interactiveBundle(map, figureText(...partsOf(still)));
  return Object.assign(still, { [displaySymbol]: displayMethod(show) });
}

/** The frame over its still, and the still as an image. */
export function interactiveBundle(map: InteractiveMap, text: string): UnpaintedBundle {
  const svg = map.wide.svg();
  const [png, wide] = [pictureOf(svg, "png"), pictureOf(svg, "shortest")];
  const form = map.narrow();
  const narrow = form && pictureOf(form.svg(), "shortest");
  const html = htmlOf(map, stillOf(wide), form && narrow && { form, still: stillOf(narrow) });
  return {
    bundle: { "text/plain": text, "text/html": html, "image/png": png.token },
    pictures: [png, wide, ...(narrow ? [narrow] : [])],
  };
}

/** The same at once, with SVG alone. */
export function interactiveHtmlNow(map: InteractiveMap): string {
  const narrow = map.narrow();
  return htmlOf(map, drawnStill(map.wide.svg()), narrow && { form: narrow, still: drawnStill(narrow.svg()) });
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

/** The picture below a frame. */
function stillOf({ token, svg }: Picture): Still {
  return { image: token, ...svgSize(svg) };
}

function drawnStill(svg: string): Still {
  return { image: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`, ...svgSize(svg) };
}
