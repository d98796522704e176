import { formatTick } from "../../core/format/format-tick.js";

/** Widths of characters in ems, for the wider fonts of `system-ui`. */
const widths: readonly (readonly [RegExp, number])[] = [
  [/[ijlI.,:;'|!\u2009]/, 0.3],
  [/[\s\-()[\]frt/]/, 0.42],
  [/W/, 1.05],
  [/[mwM@%\u2014]/, 0.96],
  [/\p{Lu}/u, 0.72],
  // Chinese, Japanese and Korean characters fill a square.
  [/[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]/, 1],
];
const usual = 0.62;

/** Relative width of bold characters. */
const BOLD = 1.15;

/** Approximate width of text, that of its widest line: without a browser it cannot be measured. */
export function textWidth(text: string, fontSize: number, isBold = false): number {
  const ems = text.split("\n").map((line) => Array.from(line, characterWidth).reduce((sum, width) => sum + width, 0));
  return Math.max(...ems) * fontSize * (isBold ? BOLD : 1);
}

function characterWidth(character: string): number {
  return widths.find(([pattern]) => pattern.test(character))?.[1] ?? usual;
}

/** Width and height of an SVG image, by its viewBox. */
export function svgSize(svg: string): { readonly width: number; readonly height: number } {
  const [, width = 0, height = 0] = (/^<svg[^>]*viewBox="\S+ \S+ (\S+) ([^"\s]+)"/.exec(svg) ?? []).map(Number);
  return { width, height };
}

/** The used part of a linkedom element. The library compiles without the DOM's types. */
export interface DomElement {
  readonly tagName: string;
  readonly outerHTML: string;
  textContent: string;
  readonly children: Iterable<DomElement>;
  readonly parentElement: DomElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  querySelectorAll(selector: string): Iterable<DomElement>;
  cloneNode(deep: true): DomElement;
  append(...nodes: DomElement[]): void;
}

/** Width in pixels of a figure for a page as narrow as a phone's. */
export const narrowWidth = 360;

/** The chart of a figure; its legends are SVG elements before it. */
export function chartOf(figure: DomElement): DomElement | undefined {
  if (figure.tagName.toLowerCase() === "svg") return figure;
  return [...figure.children].findLast(({ tagName }) => tagName.toLowerCase() === "svg");
}

/** A number as Plot writes the ticks of axes without a format. */
const TICK = /^−?\d{1,3}(,\d{3})*(\.\d+)?$/;

/** Large numbers on axes without a format are as short as on our own. */
export function shortenTicks(chart: DomElement, axis: "x" | "y"): void {
  for (const group of chart.querySelectorAll(`g[aria-label="${axis}-axis tick label"]`)) {
    const texts = [...group.querySelectorAll("text")];
    if (!texts.every(({ textContent }) => TICK.test(textContent))) continue;
    const numbers = texts.map(({ textContent }) => Number(textContent.replaceAll(",", "").replace("−", "-")));
    const most = Math.max(...numbers.map(Math.abs));
    for (const [index, text] of texts.entries()) text.textContent = formatTick(numbers[index] as number, most);
  }
}

/** Extent of text, in pixels of the chart. */
interface Extent {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/** Pixels from the edge of an image to its title and other texts. */
export const TEXTS = 8;

/** Distance from the top of an axis's label to the middle of the tick's below it, in heights of a character. */
const APART = 1.75;

const TRANSLATE = /translate\(\s*(-?[\d.]+)(?:[\s,]+(-?[\d.]+))?\)/;

/**
 * Widens a chart whose labels would be cut off at its left or right edge, and lengthens a chart whose slanted labels would
 * be cut off at its bottom. Plot's margins are fixed; text cannot be measured without a browser, so its width is
 * estimated.
 */
export function fitLabels(svg: DomElement, fontSize: number): void {
  moveAside(svg, fontSize);
  const [x = 0, y = 0, width = 0, height = 0] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  const extents = [...svg.querySelectorAll("text")].map((text) => extentOf(text, svg, fontSize));
  const left = extents.reduce((least, extent) => Math.min(least, extent.left), x);
  const right = extents.reduce((most, extent) => Math.max(most, extent.right), x + width);
  const bottom = extents.reduce((most, extent) => Math.max(most, extent.bottom), y + height);
  liftLabel(svg, fontSize, left + TEXTS);
  if (left === x && right === x + width && bottom === y + height) return;
  const [fittedWidth, fittedHeight] = [Math.ceil(right - left), Math.ceil(bottom - y)];
  svg.setAttribute("viewBox", `${Math.floor(left)} ${y} ${fittedWidth} ${fittedHeight}`);
  svg.setAttribute("width", String(fittedWidth));
  svg.setAttribute("height", String(fittedHeight));
}

/**
 * Aligns the label above a vertical axis with the title, and lifts it if it would overlap the number of the topmost tick:
 * Plot's margins are for a smaller font. The label stays within the chart.
 */
function liftLabel(svg: DomElement, fontSize: number, left: number): void {
  const [label] = svg.querySelectorAll('[aria-label="y-axis label"] > text');
  const ticks = [...svg.querySelectorAll('[aria-label="y-axis tick label"] > text')];
  if (!label || placeOf(label, svg).angle !== 0) return;
  const { x: labelX, y: labelY } = placeOf(label, svg);
  const above = ticks.map((tick) => placeOf(tick, svg)).filter(({ y }) => y > labelY);
  const nearest = Math.min(...above.map(({ y }) => y));
  // On the other side of the chart, or centered next to it, it overlaps nothing.
  if (!above.some(({ x }) => Math.abs(x - labelX) < 60)) return;
  const isAtStart = inherited(label, "text-anchor") === "start" && labelX < left;
  const lift = Math.max(0, Math.min(labelY, labelY + APART * fontSize - nearest));
  shift(label, isAtStart ? left - labelX : 0, -lift);
}

/** Moves the label that is centered next to a vertical axis away from the ticks' labels, which may have any length. */
function moveAside(svg: DomElement, fontSize: number): void {
  const [label] = svg.querySelectorAll('[aria-label="y-axis label"] > text');
  const ticks = [...svg.querySelectorAll('[aria-label="y-axis tick label"] > text')];
  if (!label || ticks.length === 0) return;
  const { x, angle } = placeOf(label, svg);
  if (angle === 0) return;
  const extents = ticks.map((tick) => extentOf(tick, svg, fontSize));
  const [left, right] = [Math.min(...extents.map((one) => one.left)), Math.max(...extents.map((one) => one.right))];
  const room = 1.5 * fontSize;
  const isOnTheLeft = inherited(ticks[0] as DomElement, "text-anchor") === "end";
  const away = isOnTheLeft ? Math.min(0, Math.floor(left - room - x)) : Math.max(0, Math.ceil(right + room - x));
  if (away !== 0) shift(label, away, 0);
}

function shift(text: DomElement, dx: number, dy: number): void {
  const transform = text.getAttribute("transform") ?? "";
  const moved = transform.replace(
    TRANSLATE,
    (_, x: string, y = "0") => `translate(${Number(x) + dx},${Number(y) + dy})`,
  );
  text.setAttribute("transform", moved);
}

/** Position of text, in pixels of the chart, and its rotation. */
function placeOf(
  text: DomElement,
  svg: DomElement,
): { readonly x: number; readonly y: number; readonly angle: number } {
  // Plot positions texts by `transform`; other marks may use `x`, which Plot has in ems only.
  let [x, y, angle] = [Number(text.getAttribute("x") ?? 0) || 0, 0, 0];
  for (let node: DomElement | null = text; node && node !== svg; node = node.parentElement) {
    const transform = node.getAttribute("transform") ?? "";
    const [, dx = 0, dy = 0] = (TRANSLATE.exec(transform) ?? []).map(Number);
    x += dx;
    y += dy || 0;
    const [, degrees = 0] = (/rotate\(\s*(-?[\d.]+)/.exec(transform) ?? []).map(Number);
    angle += (degrees * Math.PI) / 180;
  }
  return { x, y, angle };
}

function extentOf(text: DomElement, svg: DomElement, fontSize: number): Extent {
  const { x, y, angle } = placeOf(text, svg);
  const size = ownFontSize(text, svg) ?? fontSize;
  const isBold = /bold|[6-9]00/.test(inherited(text, "font-weight") ?? "");
  const width = textWidth(shownText(text), size, isBold);
  const anchor = inherited(text, "text-anchor");
  const start = anchor === "end" ? -width : anchor === "middle" ? -width / 2 : 0;
  const across = [start, start + width].map((along) => x + along * Math.cos(angle));
  const down = [start, start + width].map((along) => y + along * Math.sin(angle) + size);
  // Plot's margins fit horizontal labels.
  const bottom = angle === 0 ? Number.NEGATIVE_INFINITY : Math.max(...down);
  // Rotated characters extend to the side of their line.
  const beside = angle === 0 ? 0 : Math.ceil(size / 4);
  return { left: Math.min(...across) - beside, right: Math.max(...across) + beside, bottom };
}

/** The drawn lines; the tooltip (`title`) takes no space. */
function shownText(text: DomElement): string {
  const parts = [...text.children];
  const lines = parts.filter(({ tagName }) => tagName.toLowerCase() === "tspan").map((line) => line.textContent);
  if (lines.length > 0) return lines.join("\n");
  return parts.reduce((rest, { textContent }) => rest.replace(textContent, ""), text.textContent);
}

/** The font size of a mark's texts; that of the whole chart is a style. */
function ownFontSize(text: DomElement, svg: DomElement): number | undefined {
  for (let node: DomElement | null = text; node && node !== svg; node = node.parentElement) {
    const size = Number.parseFloat(node.getAttribute("font-size") ?? "");
    if (Number.isFinite(size)) return size;
  }
  return undefined;
}

function inherited(element: DomElement, attribute: string): string | null {
  for (let node: DomElement | null = element; node; node = node.parentElement) {
    const value = node.getAttribute(attribute);
    if (value !== null) return value;
  }
  return null;
}
