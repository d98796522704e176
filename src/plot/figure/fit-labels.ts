import type { DomElement } from "./dom-element.js";
import { textWidth } from "./text-width.js";

/** How far a text reaches, in pixels of the chart. */
interface Extent {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Widens a chart whose labels would be cut off at its left or right edge, and lengthens one whose slanted labels would
 * be at its bottom. Plot reserves fixed margins, whatever the labels say; text cannot be measured without a browser, so
 * its width is estimated.
 */
export function fitLabels(svg: DomElement, fontSize: number): void {
  const [x = 0, y = 0, width = 0, height = 0] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  const extents = [...svg.querySelectorAll("text")].map((text) => extentOf(text, svg, fontSize));
  const left = extents.reduce((least, extent) => Math.min(least, extent.left), x);
  const right = extents.reduce((most, extent) => Math.max(most, extent.right), x + width);
  const bottom = extents.reduce((most, extent) => Math.max(most, extent.bottom), y + height);
  liftLabel(svg, fontSize);
  if (left === x && right === x + width && bottom === y + height) return;
  const [fittedWidth, fittedHeight] = [Math.ceil(right - left), Math.ceil(bottom - y)];
  svg.setAttribute("viewBox", `${Math.floor(left)} ${y} ${fittedWidth} ${fittedHeight}`);
  svg.setAttribute("width", String(fittedWidth));
  svg.setAttribute("height", String(fittedHeight));
}

/** Heights of letters from the top of an axis's label to the middle of the tick's below it. */
const APART = 1.75;

/**
 * Lifts the label above a vertical axis where it would touch the number of the topmost tick: Plot leaves room for
 * smaller letters. The label stays within the chart.
 */
function liftLabel(svg: DomElement, fontSize: number): void {
  const [label] = svg.querySelectorAll('[aria-label="y-axis label"] > text');
  const ticks = [...svg.querySelectorAll('[aria-label="y-axis tick label"] > text')];
  if (!label || placeOf(label, svg).angle !== 0) return;
  const { x: labelX, y: labelY } = placeOf(label, svg);
  const above = ticks.map((tick) => placeOf(tick, svg)).filter(({ y }) => y > labelY);
  const nearest = Math.min(...above.map(({ y }) => y));
  const lift = Math.min(labelY, labelY + APART * fontSize - nearest);
  // On the other side of the chart, or centred beside it, it is in nobody's way.
  if (!(lift > 0) || !above.some(({ x }) => Math.abs(x - labelX) < 60)) return;
  const transform = label.getAttribute("transform") ?? "";
  const moved = transform.replace(TRANSLATE, (_, x: string, y = "0") => `translate(${x},${Number(y) - lift})`);
  label.setAttribute("transform", moved);
}

const TRANSLATE = /translate\(\s*(-?[\d.]+)(?:[\s,]+(-?[\d.]+))?\)/;

/** Where a text begins, in pixels of the chart, and how it is turned. */
function placeOf(
  text: DomElement,
  svg: DomElement,
): { readonly x: number; readonly y: number; readonly angle: number } {
  // Plot moves texts by `transform`; other marks may place them by `x`, which Plot has in ems only.
  let [x, y, angle] = [Number(text.getAttribute("x") ?? 0) || 0, 0, 0];
  for (let node: DomElement | null = text; node && node !== svg; node = node.parentElement) {
    const transform = node.getAttribute("transform") ?? "";
    const [, dx = 0, dy = 0] = (TRANSLATE.exec(transform) ?? []).map(Number);
    x += dx;
    y += dy || 0;
    angle += (Number(/rotate\(\s*(-?[\d.]+)/.exec(transform)?.[1] ?? 0) * Math.PI) / 180;
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
  // Plot's margins have room for labels that lie flat.
  const bottom = angle === 0 ? Number.NEGATIVE_INFINITY : Math.max(...down);
  return { left: Math.min(...across), right: Math.max(...across), bottom };
}

/** The lines that are drawn; what is shown when pointed at (`title`) takes no room. */
function shownText(text: DomElement): string {
  const parts = [...text.children];
  const lines = parts.filter(({ tagName }) => tagName.toLowerCase() === "tspan").map((line) => line.textContent);
  if (lines.length > 0) return lines.join("\n");
  return parts.reduce((shown, { textContent }) => shown.replace(textContent, ""), text.textContent);
}

/** The size that a mark gave its texts; the one of the whole chart is a style. */
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
