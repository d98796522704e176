import { on, setAttributes, svgElement } from "./elements.js";

/** An entry of a legend, and the key of its value. */
export interface LegendEntry<Key> {
  readonly entry: SVGGraphicsElement;
  readonly key: Key;
}

/**
 * Turns entries of a legend into buttons that select a value; Shift or Ctrl adds another.
 *
 * @returns the keys of the selected values, empty for all, and a function that selects others
 */
export function legendButtons<Key>(
  entries: readonly LegendEntry<Key>[],
  onChoice: () => void,
): { readonly chosen: ReadonlySet<Key>; choose(keys: readonly Key[]): void } {
  const chosen = new Set<Key>();
  const press = (key: Key, isMore: boolean) => {
    const others = [...chosen].filter((each) => each !== key);
    const isOnly = chosen.has(key) && others.length === 0;
    if (isMore) choose(chosen.has(key) ? others : [...others, key]);
    else choose(isOnly ? [] : [key]);
  };
  const choose = (keys: readonly Key[]) => {
    chosen.clear();
    for (const { key } of entries) if (keys.includes(key)) chosen.add(key);
    for (const one of entries) {
      one.entry.setAttribute("aria-pressed", String(chosen.has(one.key)));
      one.entry.style.opacity = chosen.size > 0 && !chosen.has(one.key) ? "var(--faint)" : "";
    }
    onChoice();
  };
  for (const { entry, key } of entries) {
    // Screen readers do not see buttons in an image. Labels at line ends are in a drawing within the figure.
    for (let image = entry.closest("[role=img]"); image; image = entry.closest("[role=img]")) image.role = "group";
    setAttributes(entry, { role: "button", tabindex: 0, "aria-pressed": false });
    entry.style.cursor = "pointer";
    const { x, y, width, height } = entry.getBBox();
    const area = { x: x - 3, y: y - 3, width: width + 6, height: height + 6, fill: "transparent" };
    entry.prepend(svgElement("rect", area));
    on(entry, "click", (event) => press(key, event.shiftKey || event.ctrlKey || event.metaKey));
    on(entry, "keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press(key, event.shiftKey);
    });
  }
  return { chosen, choose };
}
