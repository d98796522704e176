import { setAttributes, svgElement } from "./elements.js";

/** An entry of a legend, and the key of its value. */
export interface LegendEntry<Key> {
  readonly entry: SVGGraphicsElement;
  readonly key: Key;
}

/**
 * Turns entries of a legend into buttons that select a value; Shift or Ctrl adds another.
 *
 * @returns the keys of the selected values; empty for all
 */
export function legendButtons<Key>(entries: readonly LegendEntry<Key>[], onChoice: () => void): ReadonlySet<Key> {
  const chosen = new Set<Key>();
  const choose = (key: Key, isMore: boolean) => {
    const isOnly = chosen.size === 1 && chosen.has(key);
    if (!isMore) chosen.clear();
    if (isMore ? !chosen.delete(key) : !isOnly) chosen.add(key);
    for (const one of entries) {
      one.entry.setAttribute("aria-pressed", String(chosen.has(one.key)));
      one.entry.style.opacity = chosen.size > 0 && !chosen.has(one.key) ? "var(--faint)" : "";
    }
    onChoice();
  };
  for (const { entry, key } of entries) {
    // An image has no buttons: its contents would not be accessible.
    (entry.ownerSVGElement as SVGSVGElement).role = "group";
    setAttributes(entry, { role: "button", tabindex: 0, "aria-pressed": false });
    entry.style.cursor = "pointer";
    const { x, y, width, height } = entry.getBBox();
    const area = { x: x - 3, y: y - 3, width: width + 6, height: height + 6, fill: "transparent" };
    entry.prepend(svgElement("rect", area));
    entry.addEventListener("click", (event) => choose(key, event.shiftKey || event.ctrlKey || event.metaKey));
    entry.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(key, event.shiftKey);
    });
  }
  return chosen;
}
