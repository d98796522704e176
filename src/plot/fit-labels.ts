import type { DomElement } from "./dom-element.js";
import { textWidth } from "./text-width.js";

/**
 * Widens a chart whose labels would be cut off at its left or right edge. Plot reserves a fixed margin, whatever
 * the labels say; text cannot be measured without a browser, so its width is estimated.
 */
export function fitLabels(svg: DomElement, fontSize: number): void {
  const [x = 0, y = 0, width = 0, height = 0] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  let left = x;
  let right = x + width;
  for (const text of svg.querySelectorAll("text")) {
    const extent = horizontalExtent(text, svg, fontSize);
    left = Math.min(left, extent.left);
    right = Math.max(right, extent.right);
  }
  if (left === x && right === x + width) return;
  const fitted = Math.ceil(right - left);
  svg.setAttribute("viewBox", `${Math.floor(left)} ${y} ${fitted} ${height}`);
  svg.setAttribute("width", String(fitted));
}

function horizontalExtent(text: DomElement, svg: DomElement, fontSize: number): { left: number; right: number } {
  // Plot moves texts by `transform`; other marks may place them by `x`, which Plot has in ems only.
  let x = Number(text.getAttribute("x") ?? 0) || 0;
  for (let node: DomElement | null = text; node && node !== svg; node = node.parentElement) {
    const transform = node.getAttribute("transform") ?? "";
    if (transform.includes("rotate")) return { left: Number.POSITIVE_INFINITY, right: Number.NEGATIVE_INFINITY };
    x += Number(/translate\(\s*(-?[\d.]+)/.exec(transform)?.[1] ?? 0);
  }
  const width = textWidth(shownText(text), ownFontSize(text, svg) ?? fontSize);
  const anchor = inherited(text, "text-anchor");
  const before = anchor === "end" ? width : anchor === "middle" ? width / 2 : 0;
  return { left: x - before, right: x - before + width };
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
