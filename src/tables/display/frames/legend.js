// Entries of a legend as buttons that single a value out; with Shift or Ctrl one more.
globalThis.siteframeLegend = (entries, onChoice) => {
  /** Keys of the values that are singled out; none means all. */
  const chosen = new Set();
  const choose = (key, isMore) => {
    const isOnly = chosen.size === 1 && chosen.has(key);
    if (!isMore) chosen.clear();
    if (isMore ? !chosen.delete(key) : !isOnly) chosen.add(key);
    for (const one of entries) {
      one.entry.setAttribute("aria-pressed", String(chosen.has(one.key)));
      one.entry.style.opacity = chosen.size > 0 && !chosen.has(one.key) ? "var(--faint)" : "";
    }
    onChoice();
  };
  const set = (element, attributes) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  };
  for (const { entry, key } of entries) {
    // A picture has no buttons: what is in it would not be reached.
    entry.ownerSVGElement.role = "group";
    set(entry, { role: "button", tabindex: 0, "aria-pressed": false });
    entry.style.cursor = "pointer";
    const { x, y, width, height } = entry.getBBox();
    const area = document.createElementNS(entry.namespaceURI, "rect");
    set(area, { x: x - 3, y: y - 3, width: width + 6, height: height + 6, fill: "transparent" });
    entry.prepend(area);
    entry.addEventListener("click", (event) => choose(key, event.shiftKey || event.ctrlKey || event.metaKey));
    entry.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(key, event.shiftKey);
    });
  }
  return chosen;
};
