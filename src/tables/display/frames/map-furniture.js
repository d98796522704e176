// What stands around a map and on top of it: the legend, the scale bar, marks of the user's.
(() => {
  const svgElement = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  /** The scale bars follow the zoom. */
  const scaleBars = (chart, { metres, panes }) => {
    const bars = [...chart.querySelectorAll("[data-bar]")].map((path) => {
      const [, start, y, length] = /^M(\S+),(\S+)v5h(\S+)v-5$/.exec(path.getAttribute("d")).map(Number);
      return { path, text: path.nextElementSibling, start, y, end: start + length, place: path.dataset.bar };
    });
    return (zoom) => {
      const perMetre = zoom / metres;
      const most = panes[0].width / 4 / perMetre;
      const power = 10 ** Math.floor(Math.log10(most));
      const bar = (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1) * power;
      const length = bar * perMetre;
      for (const { path, text, start, y, end, place } of bars) {
        const from = place === "corner" ? end - length : start;
        path.setAttribute("d", `M${from.toFixed(1)},${y}v5h${length.toFixed(1)}v-5`);
        text.setAttribute("x", (from + length + 6).toFixed(1));
        text.textContent = bar >= 1000 ? `${bar / 1000} km` : bar >= 1 ? `${bar} m` : `${Math.round(100 * bar)} cm`;
      }
    };
  };

  /** Marks on top of ours move with the map; their lines, dots and letters stay as large as they are. */
  const marksOnTop = (chart, furniture, { panes, origin: [left, top] }) => {
    const marks = [];
    while (furniture.nextElementSibling) {
      marks.push(furniture.nextElementSibling);
      furniture.nextElementSibling.remove();
    }
    const [{ width, height }] = panes;
    const clip = svgElement("clipPath", { id: "pane" });
    clip.append(svgElement("rect", { x: left, y: top, width, height }));
    const group = svgElement("g", {});
    chart.append(clip, group);
    group.append(...marks);
    const moved = panes.length > 1 ? marks.flatMap((mark) => [...mark.children]) : marks;
    const known = moved.map((mark) => ({
      mark,
      own: mark.getAttribute("transform") ?? "",
      font: Number.parseFloat(getComputedStyle(mark).fontSize),
    }));
    for (const shape of group.querySelectorAll("*")) shape.style.vectorEffect = "non-scaling-stroke";
    const dots = [...group.querySelectorAll("circle")].map((dot) => ({ dot, r: Number(dot.getAttribute("r")) }));
    return (zoom, x, y) => {
      if (zoom > 1 && panes.length === 1) group.setAttribute("clip-path", "url(#pane)");
      else group.removeAttribute("clip-path");
      for (const { mark, own, font } of known) {
        mark.setAttribute(
          "transform",
          `${own} translate(${left + x},${top + y}) scale(${zoom}) translate(${-left},${-top})`,
        );
        mark.style.fontSize = `${font / zoom}px`;
      }
      for (const { dot, r } of dots) dot.setAttribute("r", r / zoom);
    };
  };

  /** Entries that single a value out and count it. `chosen` are the labels' places, none means all. */
  const legend = (stage, { entries, labels }, onChoice) => {
    const groups = [...stage.querySelectorAll("[data-entry]")];
    const shown = groups.length === entries.length ? groups : [];
    const known = shown
      .map((entry, place) => ({ entry, key: labels.indexOf(entries[place]) }))
      .filter(({ key }) => key >= 0);
    const chosen = globalThis.siteframeLegend(known, onChoice);
    const count = (counts) => {
      for (const { entry, key } of known) {
        const text = entry.querySelector("text");
        if (text) text.textContent = `${labels[key]} ${counts[key + 1].toLocaleString("en-US")}`;
      }
    };
    return { chosen, count };
  };

  globalThis.siteframeFurniture = (stage, facts, onChoice) => {
    const furniture = stage.querySelector('[aria-label="scale bar and north arrow"]');
    const chart = furniture.closest("svg");
    const bars = scaleBars(chart, facts);
    const marks = marksOnTop(chart, furniture, facts);
    return {
      chart,
      ...legend(stage, facts, onChoice),
      follow: (zoom, x, y) => {
        bars(zoom);
        marks(zoom, x, y);
      },
    };
  };
})();
