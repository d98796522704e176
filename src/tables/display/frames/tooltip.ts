// The tooltip of a chart or map: its lines, and where it stands. Texts of the data stay texts.
const OVER = 12;
const HATCHED = "repeating-linear-gradient(45deg, currentColor 0 1px, transparent 1px 4px)";

/** A line of its table. */
export function tooltipLine(label: string, text: string, colour: string | undefined): HTMLTableRowElement {
  const row = document.createElement("tr");
  const head = row.appendChild(document.createElement("th"));
  if (colour) {
    head.appendChild(document.createElement("i")).style.background = colour.startsWith("url(") ? HATCHED : colour;
  }
  head.append(label);
  row.appendChild(document.createElement("td")).textContent = text;
  return row;
}

/**
 * Puts it beside a place of the frame, and within the frame.
 *
 * @param left where what it is of begins, if that is wider than a place
 */
export function placeTooltip(tooltip: HTMLElement, x: number, y: number, left = x): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const { offsetWidth, offsetHeight } = tooltip;
  const right = x + OVER + offsetWidth > clientWidth ? left - OVER - offsetWidth : x + OVER;
  tooltip.style.left = `${Math.max(2, Math.min(right, clientWidth - offsetWidth - 2))}px`;
  tooltip.style.top = `${Math.max(2, Math.min(y - offsetHeight / 2, clientHeight - offsetHeight - 2))}px`;
}
