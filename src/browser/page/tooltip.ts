// The tooltip of a chart or map: its lines and position. Strings of the data stay text.
import { clamp } from "./clamp.js";
import { svgElement } from "./elements.js";

const OVER = 12;

/** A line of the tooltip's table. Its swatch is a drawing, whose colors follow the figure's style. */
export function tooltipLine(label: string, text: string, colour: string | undefined): HTMLTableRowElement {
  const row = document.createElement("tr");
  const head = row.appendChild(document.createElement("th"));
  if (colour) {
    const size = { width: 9, height: 9 };
    head
      .appendChild(svgElement("svg", { class: "siteframe-plot", ...size }))
      .append(svgElement("rect", { ...size, rx: 2, fill: colour }));
  }
  head.append(label);
  row.appendChild(document.createElement("td")).textContent = text;
  return row;
}

/**
 * Places the tooltip next to a position in the frame, and inside the frame.
 *
 * @param left start of the target, if it is wider than a point
 */
export function placeTooltip(tooltip: HTMLElement, x: number, y: number, left = x): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const { offsetWidth, offsetHeight } = tooltip;
  const right = x + OVER + offsetWidth > clientWidth ? left - OVER - offsetWidth : x + OVER;
  tooltip.style.left = `${clamp(2, right, clientWidth - offsetWidth - 2)}px`;
  tooltip.style.top = `${clamp(2, y - offsetHeight / 2, clientHeight - offsetHeight - 2)}px`;
}
