import { escapeHtml } from "../../tables/display/text/escape-html.js";
import type { DomElement } from "./dom-element.js";
import { figureWords } from "./figure-text.js";
import { textWidth } from "./text-width.js";

const light = "color: #1d2228; background: #fff; --plot-background: #fff;";
const dark = "color: #dfe4e9; background: #15191d; --plot-background: #15191d;";

/**
 * A stand-alone SVG knows nothing of the page around it, so it brings its own ground with its own text colour,
 * and both follow the reader's preference for light or dark. VS Code, which puts it into its page, has a theme of its own.
 */
const style = `<style>svg.siteframe-plot, .vscode-light svg.siteframe-plot { ${light} }
.vscode-dark svg.siteframe-plot, .vscode-high-contrast svg.siteframe-plot { ${dark} }
.vscode-high-contrast-light svg.siteframe-plot { ${light} }
@media (prefers-color-scheme: dark) { svg.siteframe-plot { ${dark} } }
@media (prefers-contrast: more) { svg.siteframe-plot { color: #000; } svg.siteframe-plot text { opacity: 1; } }
@media (prefers-contrast: more) and (prefers-color-scheme: dark) { svg.siteframe-plot { color: #fff; background: #000; --plot-background: #000; } }
@media (forced-colors: active) { svg.siteframe-plot { color: CanvasText; background: Canvas; --plot-background: Canvas; } svg.siteframe-plot text { opacity: 1; } }
svg.siteframe-plot svg { --plot-background: inherit; }
svg.siteframe-plot > text { font-family: system-ui, sans-serif; fill: currentColor; }</style>`;

/** The ground of a page, which a figure in a page has its halos and tips on. */
export const pageGround = "var(--vscode-editor-background, var(--jp-layout-color0, Canvas))";

/** Lines of SVG, and how far down they reach. */
interface Block {
  readonly svg: string;
  readonly height: number;
}

/** What XML cannot say: a figure with one of these would be no image, in a browser or elsewhere. */
const notXml = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** A figure as the text of an image file: title, legends, chart and caption in one SVG. */
export function standaloneSvg(figure: DomElement, chart: DomElement): string {
  return imageText(figure, chart).replace(notXml, "\ufffd");
}

function imageText(figure: DomElement, chart: DomElement): string {
  if (figure === chart) return nestedSvg(chart, undefined).replace(/^<svg[^>]*>/, (tag) => tag + style);
  const [, , width = 0, height = 0] = (chart.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  const parts: string[] = [];
  let y = 8;
  const add = ({ svg, height: room }: Block) => {
    parts.push(`<g transform="translate(8,${y})">${svg}</g>`);
    y += room;
  };
  for (const part of figure.children) {
    if (part === chart) {
      parts.push(nestedSvg(chart, y));
      y += height;
    } else add(blockOf(part, width - 16));
  }
  // Escaped already, but for quotes. A chart that says nothing of itself is called by its title.
  const own = chart.getAttribute("aria-label") || escapeHtml(figureWords(figure, chart) || "Chart");
  const label = own.replaceAll('"', "&quot;");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="siteframe-plot" role="img" aria-label="${label}"${ages(figure)} ` +
    `width="${width}" height="${y + 4}" viewBox="0 0 ${width} ${y + 4}">${style}${parts.join("")}</svg>`
  );
}

function ages(figure: DomElement): string {
  const names = ["data-read-at", "data-generation"];
  return names.map((name) => (figure.getAttribute(name) ? ` ${name}="${figure.getAttribute(name)}"` : "")).join("");
}

function nestedSvg(svg: DomElement, y: number | undefined): string {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  // Labels at the edge of a legend stand out of it. Image renderers know the attribute, not the style.
  copy.setAttribute("overflow", "visible");
  const ownStyle = copy.getAttribute("style");
  if (ownStyle) copy.setAttribute("style", ownStyle.replace(`--plot-background:${pageGround}`, ""));
  if (y === undefined) copy.setAttribute("class", `${copy.getAttribute("class") ?? ""} siteframe-plot`.trim());
  // Not as the drawing's own `y`, which Firefox leaves out where it says how the drawing lies on the screen.
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

interface TextStyle {
  /** Of the first line's baseline. */
  readonly y: number;
  readonly size: number;
  /** Room below the last baseline. */
  readonly after: number;
  readonly attributes: string;
  readonly isBold?: boolean;
}

/** A text in as many lines as its width asks for. */
function lines(text: string, width: number, { y, size, after, attributes, isBold }: TextStyle): Block {
  const found = [""];
  for (const word of text.split(/\s+/)) {
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

/** The entries of a legend, as many in a line as fit. */
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
