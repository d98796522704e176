import * as ObservablePlot from "@observablehq/plot";
import { parseHTML } from "linkedom/worker";
import { formatDay, inUtc } from "../../core/format/format-date.js";
import { provenanceText } from "../../core/format/format-provenance.js";
import { isForOthers, type Provenance } from "../../core/provenance.js";
import type { TooltipMark } from "../../tables/display/live/chart-payload.js";
import { displaySymbol } from "../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";
import { extractTooltips } from "../tips/extract-tooltips.js";
import { outlinePale, withFileStyle } from "../values/palette.js";
import type { Figure, FigureOptions } from "./figure.js";
import { displayMethod, type FigureDrawing, figureBundle } from "./figure-bundle.js";
import { figureProvenance, figureText, figureWords } from "./figure-text.js";
import { chartOf, type DomElement, fitLabels, shortenTicks, TEXTS, textWidth } from "./svg-text.js";
import { type PngOptions, toPNG } from "./to-png.js";
import { translateTexts, translateTooltips } from "./translate-texts.js";

/** The background of a page, for the halos and tooltips of its figures. */
const pageGround = "var(--vscode-editor-background, var(--jp-layout-color0, Canvas))";

/** Lines of SVG, and their height. */
interface Block {
  readonly svg: string;
  readonly height: number;
}

/** Characters that XML does not allow: with one of these, an SVG cannot be displayed. */
const notXml = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

interface TextStyle {
  /** Baseline of the first line. */
  readonly y: number;
  readonly size: number;
  /** Space below the last baseline. */
  readonly after: number;
  readonly attributes: string;
  readonly isBold?: boolean;
}

/** Pixels: height of a small multiple, and space above and below all of them. */
const [PANEL, AROUND] = [170, 70];

/** A mark as in Plot. */
interface FacettedMark {
  readonly fx?: unknown;
  readonly fy?: unknown;
  readonly ariaLabel?: string;
}

/** As in the figure's image. Set on the elements, since notebooks style headings as large as those of a document. */
const styles: Readonly<Record<string, string>> = {
  h2: "font:700 16px/1.3 system-ui,sans-serif;margin:8px 0 5px",
  h3: "font:400 13px/1.3 system-ui,sans-serif;margin:0 0 7px;opacity:.75",
  figcaption: "font:400 11.5px/1.3 system-ui,sans-serif;margin:3px 0 6px;opacity:.75",
};

const fontSize = 12;

/** Adapts to its page: text in the page's color, and halos and tooltips on the page's background, light or dark. */
const surroundings = {
  fontSize: `${fontSize}px`,
  overflow: "visible",
  "--plot-background": pageGround,
};

/** A figure drawn by Plot. */
interface Drawn {
  readonly element: DomElement & Pick<Figure, "tagName" | "outerHTML" | "scale">;
  readonly chart: DomElement | undefined;
  readonly provenance: Provenance | undefined;
  readonly tell: () => readonly TooltipMark[];
}

/**
 * Draws a figure.
 *
 * @param narrow the options for a page as narrow as a phone's, if the figure has such a drawing; drawn on demand
 */
export function drawFigure(options: FigureOptions, narrow?: FigureOptions): Figure {
  const { element, chart, provenance, tell } = draw(options);
  const toSVG = () => (chart ? standaloneSvg(element, chart) : "");
  const figure: Figure = Object.assign(element, {
    provenance,
    toSVG,
    toPNG: (png?: PngOptions) => toPNG({ toSVG }, png),
    [displaySymbol]: displayMethod(() => {
      const tooltips = tell();
      const small =
        narrow && tooltips.length > 0 ? narrowDrawing(narrow, tooltips.length, columnsOf(element)) : undefined;
      return figureBundle(
        { svg: toSVG(), tooltips },
        { text: figureText(element, chart), words: figureWords(element, chart) },
        small,
      );
    }),
  });
  return figure;
}

/** A figure as an image file: title, legends, chart and caption in one SVG. */
function standaloneSvg(figure: DomElement, chart: DomElement): string {
  return imageText(figure, chart).replace(notXml, "\ufffd");
}

function imageText(figure: DomElement, chart: DomElement): string {
  if (figure === chart) return withFileStyle(nestedSvg(chart, undefined));
  const [, , width = 0, height = 0] = (chart.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  const parts: string[] = [];
  let y = 8;
  const add = ({ svg, height: room }: Block) => {
    parts.push(`<g transform="translate(${TEXTS},${y})">${svg}</g>`);
    y += room;
  };
  for (const part of figure.children) {
    if (part === chart) {
      parts.push(nestedSvg(chart, y));
      y += height;
    } else add(blockOf(part, width - 16));
  }
  // Already escaped, except quotes. A chart without a label has its title.
  const ariaLabel = chart.getAttribute("aria-label") || escapeHtml(figureWords(figure, chart) || "Chart");
  const label = ariaLabel.replaceAll('"', "&quot;");
  return withFileStyle(
    `<svg xmlns="http://www.w3.org/2000/svg" class="siteframe-plot" role="img" aria-label="${label}"${ages(figure)} ` +
      `width="${width}" height="${y + 4}" viewBox="0 0 ${width} ${y + 4}">${parts.join("")}</svg>`,
  );
}

function ages(figure: DomElement): string {
  const names = ["data-read-at", "data-generation"];
  return names.map((name) => (figure.getAttribute(name) ? ` ${name}="${figure.getAttribute(name)}"` : "")).join("");
}

function nestedSvg(svg: DomElement, y: number | undefined): string {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  // Labels at the edge of a legend overflow. Image renderers support the attribute, not the style.
  copy.setAttribute("overflow", "visible");
  const ownStyle = copy.getAttribute("style");
  if (ownStyle) copy.setAttribute("style", ownStyle.replace(`--plot-background:${pageGround}`, ""));
  if (y === undefined) copy.setAttribute("class", `${copy.getAttribute("class") ?? ""} siteframe-plot`.trim());
  // Not as the drawing's own `y`, which Firefox ignores in the matrix from the drawing to the screen.
  return y ? `<g transform="translate(0,${y})">${copy.outerHTML}</g>` : copy.outerHTML;
}

function blockOf(part: DomElement, width: number): Block {
  switch (part.tagName.toLowerCase()) {
    case "h2":
      return lines(part.textContent, width, {
        y: 17,
        size: 16,
        after: 9,
        attributes: 'font-weight="700"',
        isBold: true,
      });
    case "h3":
      return lines(part.textContent, width, { y: 12, size: 13, after: 10, attributes: 'opacity="0.75"' });
    case "figcaption":
      return lines(part.textContent, width, { y: 14, size: 11.5, after: 6, attributes: 'opacity="0.75"' });
    case "svg":
      return { svg: nestedSvg(part, 0), height: Number(part.getAttribute("height") ?? 50) };
    default:
      return swatches(part, width);
  }
}

/** Spaces, except the ones between a number and its unit. */
const BREAKS = /[^\S\u00a0\u202f]+/;

/** Text wrapped to a width. */
function lines(text: string, width: number, { y, size, after, attributes, isBold }: TextStyle): Block {
  const found = [""];
  for (const word of text.split(BREAKS)) {
    const longer = `${found.at(-1)} ${word}`.trim();
    if (textWidth(longer, size, isBold) <= width || found.at(-1) === "") found[found.length - 1] = longer;
    else found.push(word);
  }
  const step = Math.round(1.3 * size);
  const svg = found.map((words, index) => line(words, y + step * index, size, attributes)).join("");
  return { svg, height: y + step * (found.length - 1) + after };
}

function line(text: string, y: number, size: number, attributes: string): string {
  return `<text y="${y}" font-size="${size}" ${attributes} style="font-family:system-ui,sans-serif;fill:currentColor">${escapeHtml(text)}</text>`;
}

/** The entries of a legend, wrapped to a width. */
function swatches(legend: DomElement, width: number): Block {
  let [x, y] = [0, 4];
  const parts: string[] = [];
  for (const entry of legend.children) {
    const [symbol] = entry.children;
    if (symbol?.tagName.toLowerCase() !== "svg") continue;
    const room = 21 + textWidth(entry.textContent, 12) + 14;
    if (x > 0 && x + room > width) [x, y] = [0, y + 22];
    const label = `<g transform="translate(21,0)">${line(entry.textContent, 12, 12, "")}</g>`;
    parts.push(`<g data-entry="" transform="translate(${x.toFixed(0)},${y})">${symbol.outerHTML}${label}</g>`);
    x += room;
  }
  return parts.length === 0 ? { svg: "", height: 0 } : { svg: parts.join(""), height: y + 28 };
}

/**
 * Options of a figure whose small multiples are below each other instead of side by side, each below its name.
 *
 * @param names of the small multiples, as in the scale `fx`
 * @returns the unchanged options if the caller's marks label or frame the columns themselves
 */
function stackFacets(options: FigureOptions, names: readonly unknown[]): FigureOptions {
  const marks = (options.marks ?? []).flat(Number.POSITIVE_INFINITY as 1) as readonly unknown[];
  const isTaken = marks.some((mark) => isMark(mark) && (mark.fy != null || /^fx-/.test(mark.ariaLabel ?? "")));
  if (isTaken || names.length < 2) return options;
  const { fx = {}, facet } = options;
  const format = typeof fx.tickFormat === "function" ? fx.tickFormat : nameOf;
  const captions = ObservablePlot.text(
    names.map((name, index) => ({ name, text: String(format(name, index)) })),
    { fy: "name", text: "text", frameAnchor: "top-left", lineAnchor: "bottom", dy: -5, fontWeight: "bold" },
  );
  return {
    ...options,
    height: AROUND + PANEL * names.length,
    marginTop: 34,
    ...(facet ? { facet: turned(facet) } : {}),
    fx: {},
    fy: { ...fx, padding: 0.2, axis: null },
    marks: [
      ...marks.map((mark) => (isMark(mark) ? below(mark) : mark)),
      ...(fx.axis === null ? [] : [captions]),
    ] as never,
  };
}

/** A copy of the mark whose columns are lines. The original is unchanged. */
function below(mark: FacettedMark): unknown {
  if (mark.fx == null) return mark;
  return Object.create(mark, { fx: { value: undefined }, fy: { value: mark.fx } });
}

function turned({ x, y, ...facet }: NonNullable<FigureOptions["facet"]>): NonNullable<FigureOptions["facet"]> {
  return { ...facet, ...(x == null ? {} : { y: x }), ...(y == null ? {} : { x: y }) };
}

function isMark(value: unknown): value is FacettedMark {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "render") === "function";
}

function nameOf(name: unknown): string {
  return name instanceof Date ? formatDay(name, inUtc) : String(name);
}

/** Sets the sizes of the texts around a chart, for any page. */
function fitTexts(figure: DomElement): void {
  for (const part of figure.children) {
    const style = styles[part.tagName.toLowerCase()];
    if (style !== undefined) part.setAttribute("style", style);
  }
}

/** The names of small multiples in a single line. */
function columnsOf(figure: Pick<Figure, "scale">): readonly unknown[] {
  return figure.scale("fy") ? [] : Array.from(figure.scale("fx")?.domain ?? []);
}

/** Undefined if marks cannot be drawn twice: their rows were an iterator's, or they fail at this width. */
function narrowDrawing(options: FigureOptions, marks: number, columns: readonly unknown[]): FigureDrawing | undefined {
  try {
    const { element, chart, tell } = draw(stackFacets(options, columns));
    const tooltips = tell();
    return chart && tooltips.length === marks ? { svg: standaloneSvg(element, chart), tooltips } : undefined;
  } catch {
    return undefined;
  }
}

function draw({ provenance: given, ...options }: FigureOptions): Drawn {
  const style = { ...surroundings, ...(typeof options.style === "object" ? options.style : {}) };
  const document = createDocument();
  const provenance = figureProvenance(given, options.marks ?? []);
  const [drawing, tell]: readonly [unknown, () => readonly TooltipMark[]] = extractTooltips(options.marks, () =>
    ObservablePlot.plot(
      Object.assign({ marginLeft: 48, marginBottom: 40 }, options, {
        style,
        document,
        // A figure has a place for the line, unlike the bare chart.
        ...(provenance && given !== false ? { figure: true } : {}),
      }),
    ),
  );
  const element = drawing as Drawn["element"];
  const chart = chartOf(element);
  for (const axis of ["x", "y"] as const)
    if (chart && options[axis]?.tickFormat === undefined) shortenTicks(chart, axis);
  translateTexts(element);
  if (chart) fitLabels(chart, fontSize);
  escapeAttributes(element);
  // linkedom's elements do not accept a style as a string, which Plot would set.
  if (chart && typeof options.style === "string") {
    chart.setAttribute("style", `${chart.getAttribute("style") ?? ""};${options.style}`);
  }
  if (chart?.getAttribute("aria-label")) chart.setAttribute("role", "img");
  hideParts(element);
  outlinePale(element);
  if (provenance && given !== false) sayProvenance(element, document, provenance);
  fitTexts(element);
  return { element, chart, provenance, tell: () => tell().map(translateTooltips) };
}

/** Plot labels its groups "bar" and "x-axis tick": useful as selectors, but not to screen readers. */
function hideParts(figure: DomElement): void {
  for (const group of figure.querySelectorAll("g[aria-label]")) group.setAttribute("aria-hidden", "true");
}

function sayProvenance(figure: DomElement, document: object, provenance: Provenance): void {
  figure.setAttribute("data-read-at", provenance.readAt.toISOString());
  if (provenance.generation !== undefined) figure.setAttribute("data-generation", String(provenance.generation));
  // A report states once when its data were read.
  if (isForOthers()) return;
  const line = (document as { createElement(name: string): DomElement }).createElement("figcaption");
  Object.assign(line, { textContent: provenanceText(provenance, "figure") });
  figure.append(line);
}

/**
 * Escapes attributes, since linkedom writes `<` and `&` in them unchanged. Browsers accept that in HTML; in an SVG file it is
 * an error. `>` would be valid, but tags could not be distinguished from text.
 */
function escapeAttributes(figure: DomElement): void {
  for (const name of ["aria-label", "aria-description", "href"]) {
    for (const element of [figure, ...figure.querySelectorAll(`[${name}]`)]) {
      const value = element.getAttribute(name);
      if (value) element.setAttribute(name, value.replace(/[&<>]/g, escapeHtml));
    }
  }
}

// In the same file, since loading a second one takes a tenth of a second.

/** The parts of a canvas that Plot uses to paint the gradient of a continuous legend. */
interface CanvasStandIn {
  width: number;
  height: number;
  getContext(): { fillStyle: string; fillRect(x: number): void };
  toDataURL(): string;
}

const stopCount = 32;

/** An empty document for Observable Plot to draw in without a browser. */
export function createDocument(): object {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const createElement = document.createElement.bind(document);
  document.createElement = (name: string) => (name === "canvas" ? createCanvasStandIn() : createElement(name));
  return document;
}

/** Paints a row of colors, as SVG instead of pixels. linkedom's own canvas cannot paint. */
function createCanvasStandIn(): CanvasStandIn {
  const colours: string[] = [];
  const context = {
    fillStyle: "",
    fillRect(x: number) {
      colours[x] = context.fillStyle;
    },
  };
  return { width: 0, height: 0, getContext: () => context, toDataURL: () => rampImage(colours) };
}

function rampImage(colours: readonly string[]): string {
  const stops = Array.from({ length: stopCount }, (_, index) => {
    const offset = index / (stopCount - 1);
    const colour = colours[Math.round(offset * (colours.length - 1))] ?? "none";
    return `<stop offset="${offset.toFixed(3)}" stop-color="${colour}"/>`;
  });
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="256" height="1" preserveAspectRatio="none" viewBox="0 0 256 1">' +
    `<linearGradient id="ramp">${stops.join("")}</linearGradient><rect width="256" height="1" fill="url(#ramp)"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
}
