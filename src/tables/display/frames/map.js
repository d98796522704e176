// A map that can be zoomed and pointed at. It reads numbers and texts from its own document; data never becomes code.
(async () => {
  const REACH = 6;
  /** A picture that takes longer than this is shifted and stretched while it moves, and drawn anew when it rests. */
  const SLOW = 10;
  const REST = 90;
  const find = (id) => document.getElementById(id);
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const [root, stage, tip, said, tools, controls] = ["figure", "stage", "tip", "said", "tools", "controls"].map(find);

  const facts = await globalThis.siteframeFacts();
  find("facts").remove();
  const { names, colours, columns, dates, plays, forms } = facts;
  const { grain, deepest } = facts.shapes;
  const rows = names.map((_, row) => row);
  const [whole] = forms[0].panes;
  const shapes = globalThis.siteframeShapes(facts.shapes, rows.length, whole.width * grain, whole.height * grain);
  const values = globalThis.siteframeValues(columns, rows.length);

  /**
   * How many times the map is magnified, and where its corner is, in pixels of the whole map; CSS pixels (`fit`) and
   * canvas pixels (`sharp`) of one of these. `at` is what is told: the pane, the row, and where.
   */
  const map = {
    zoom: 1,
    left: 0,
    top: 0,
    fit: 1,
    sharp: 1,
    form: forms[0],
    width: whole.width,
    height: whole.height,
    at: undefined,
    isPinned: false,
    cross: undefined,
    chosen: new Set(),
    panes: forms[0].panes.map((_, index) => {
      const state = values.before();
      if (!plays) values.goOn(state, columns.length > 0 ? index : -1);
      return { state, day: dates.length > 0 && !plays ? dates[index] : "" };
    }),
  };
  const inks = () => {
    const { color, backgroundColor } = getComputedStyle(tip);
    return [color, backgroundColor];
  };
  const canvases = globalThis.siteframeCanvases(stage, map, { shapes, rows, grain, colours, inks });
  const { drawAll, mark, isSeen } = canvases;
  let furniture;

  const { line, put: putTip } = globalThis.siteframeTip(tip);
  const hide = () => {
    map.at = undefined;
    tip.hidden = true;
    mark();
  };
  const unpin = () => {
    map.isPinned = false;
    hide();
  };
  /** Puts the tip where its place on the map is now. */
  const place = () => {
    const { at, zoom, left, top, width, height, fit } = map;
    const [x, y] = [at.x * zoom + left, at.y * zoom + top];
    tip.style.visibility = x < 0 || y < 0 || x > width || y > height ? "hidden" : "";
    const box = at.pane.canvas.getBoundingClientRect();
    putTip(box.left + x * fit, box.top + y * fit);
  };
  /** Tells a row of a pane; nothing if the row is below 0. */
  const tell = (pane, row, x, y, isSaid) => {
    if (row < 0) return hide();
    map.at = { pane, row, x, y };
    mark();
    const told = columns.map(({ label }, column) => [label, values.textOf(pane.state, column, row)]);
    const title = pane.day ? `${names[row]}, ${pane.day}` : names[row];
    const table = document.createElement("table");
    table.append(
      ...told.map(([label, text], column) =>
        line(label, text, column === values.drawn && colours[pane.state.labels[row] - 1]),
      ),
    );
    tip.replaceChildren(element("b", title), table);
    tip.hidden = false;
    place();
    if (isSaid) said.textContent = [title, ...told.map((words) => words.join(" "))].join(", ");
  };
  /** Looks at a place of a pane, in its pixels as they are shown. */
  const look = (pane, x, y, isSaid) => {
    const { zoom, left, top, fit, form } = map;
    const [mapX, mapY] = [(x - left) / zoom, (y - top) / zoom];
    const units = grain / form.times;
    const [unitX, unitY] = [(mapX - form.shift[0]) * units, (mapY - form.shift[1]) * units];
    tell(pane, shapes.find(unitX, unitY, (REACH / fit / zoom) * units, isSeen(pane)), mapX, mapY, isSaid);
  };

  let [isAsked, rest] = [false, 0];
  const most = () => deepest / map.form.times;
  const onFrame = () => {
    isAsked = false;
    clearTimeout(rest);
    if (canvases.cost() < SLOW) drawAll();
    else {
      canvases.put();
      rest = setTimeout(drawAll, REST);
    }
    furniture.follow(map.zoom, map.left, map.top);
    mark();
    if (map.at) place();
    find("in").disabled = map.zoom >= most();
    find("out").disabled = find("home").disabled = map.zoom <= 1;
    stage.style.touchAction = map.zoom > 1 ? "none" : "pan-y";
  };
  const move = () => {
    const { width, height, zoom } = map;
    map.left = Math.max(width - width * zoom, Math.min(0, map.left));
    map.top = Math.max(height - height * zoom, Math.min(0, map.top));
    if (!isAsked) requestAnimationFrame(onFrame);
    isAsked = true;
  };
  /** Magnifies; what is at a place of a pane stays there. */
  const magnify = (factor, x = map.width / 2, y = map.height / 2) => {
    const next = Math.max(1, Math.min(most(), map.zoom * factor));
    map.left = x - ((x - map.left) * next) / map.zoom;
    map.top = y - ((y - map.top) * next) / map.zoom;
    map.zoom = next;
    move();
  };
  const showAll = () => {
    [map.zoom, map.left, map.top] = [1, 0, 0];
    move();
  };

  /** Fits the canvases to the panes of the figure, whatever its width. */
  const resize = () => {
    const matrix = furniture.chart.getScreenCTM();
    const box = stage.getBoundingClientRect();
    const [x, y] = [matrix.e - box.left, matrix.f - box.top];
    map.fit = matrix.a;
    map.sharp = map.fit * Math.min(3, Math.max(1, devicePixelRatio || 1));
    canvases.resize(x, y);
    const [first] = map.form.panes;
    const isHigh = map.height * map.fit > 120;
    tools.style.left = `${(first.x + map.width) * map.fit + x - (isHigh ? 32 : 30)}px`;
    tools.style.top = `${(first.y + map.height) * map.fit + y - (isHigh ? 84 : 80)}px`;
    drawAll();
    onFrame();
  };
  const count = () => {
    const counts = new Array(colours.length + 1).fill(0);
    for (const label of map.panes[0].state.labels) counts[label] += 1;
    furniture.count(counts);
  };
  /** Takes the figure's other drawing, in which the panes lie elsewhere. */
  const take = (svg, index) => {
    map.form = forms[index];
    [{ width: map.width, height: map.height }] = map.form.panes;
    [map.zoom, map.left, map.top, map.cross] = [1, 0, 0, undefined];
    stage.querySelector("svg").replaceWith(svg);
    furniture = globalThis.siteframeFurniture(stage, { ...facts, ...map.form }, () => {
      unpin();
      drawAll();
    });
    map.chosen = furniture.chosen;
    unpin();
    resize();
    if (plays && map.panes[0].state.date >= 0) count();
  };

  globalThis.siteframePointer(root, stage, map, { look, hide, move, magnify });
  globalThis.siteframeKeys(root, map, { look, unpin, move, magnify, showAll });
  await globalThis.siteframeForms(stage.querySelector("svg"), controls?.offsetHeight ?? 0, take);
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"]) {
    matchMedia(query).addEventListener("change", () => {
      drawAll();
      mark();
    });
  }
  root.tabIndex = 0;
  new ResizeObserver(resize).observe(stage);
  if (plays) {
    const [pane] = map.panes;
    globalThis.siteframePlayer(dates, (date) => {
      if (date < pane.state.date) pane.state = values.before();
      const isBack = pane.state.date < 0;
      const { changed, isLess } = values.goOn(pane.state, date);
      count();
      // What has no place on the canvas yet, or none any more, asks for all.
      if (isBack || isLess || map.chosen.size > 0 || !canvases.drawOver(pane, changed)) drawAll();
      const { at } = map;
      if (at && isSeen(pane)(at.row)) tell(pane, at.row, at.x, at.y);
      else if (at) unpin();
    });
  }
  document.documentElement.className = "live";
})();
