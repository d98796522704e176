// A map that can be zoomed and pointed at. It reads numbers and texts from its own document; data never becomes code.
(async () => {
  const REACH = 6;
  /** A picture that takes longer than this is shifted and stretched while it moves, and drawn anew when it rests. */
  const SLOW = 10;
  const REST = 90;
  const find = (id) => document.getElementById(id);
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const [root, stage, tip, said, hint, tools] = ["figure", "stage", "tip", "said", "hint", "tools"].map(find);

  const facts = await globalThis.siteframeFacts();
  find("facts").remove();
  const { names, colours, columns, dates, plays } = facts;
  const { grain, deepest } = facts.shapes;
  const [{ width, height }] = facts.panes;
  const rows = names.map((_, row) => row);
  const shapes = globalThis.siteframeShapes(facts.shapes, rows.length, width * grain, height * grain);
  const { draw, outline } = globalThis.siteframeDrawing(shapes, facts.radius);
  const below = Array.from({ length: shapes.count - rows.length }, (_, index) => rows.length + index);
  const values = globalThis.siteframeValues(columns, rows.length);
  const furniture = globalThis.siteframeFurniture(stage, facts, () => {
    unpin();
    drawAll();
  });
  const { chosen } = furniture;

  const still = stage.firstElementChild;
  const panes = facts.panes.map((pane, index) => {
    const [above, canvas] = ["above", ""].map((name) => {
      const made = document.createElement("canvas");
      made.className = name;
      return made;
    });
    stage.insertBefore(canvas, still).after(above);
    const state = values.before();
    if (!plays) values.goOn(state, columns.length > 0 ? index : -1);
    const kept = document.createElement("canvas");
    return { ...pane, above, canvas, kept, state, day: dates.length > 0 && !plays ? dates[index] : "" };
  });

  // The view: how many times the map is magnified, and where its corner is, in pixels of the whole map.
  let [zoom, left, top] = [1, 0, 0];
  /** CSS pixels and canvas pixels of a pixel of the whole map. */
  let [fit, sharp] = [1, 1];
  const view = () => {
    const scale = (zoom * sharp) / grain;
    return {
      scale,
      left: left * sharp,
      top: top * sharp,
      width: width * sharp,
      height: height * sharp,
      pixel: sharp,
      zoom,
    };
  };
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const hatch = (pen) => {
    const size = Math.round(6 * sharp);
    const tile = Object.assign(document.createElement("canvas"), { width: size, height: size });
    const line = tile.getContext("2d");
    const colour = getComputedStyle(document.documentElement).color;
    [line.fillStyle, line.strokeStyle, line.lineWidth] = [colour, colour, 1.2 * sharp];
    line.globalAlpha = 0.08;
    line.fillRect(0, 0, size, size);
    line.globalAlpha = 0.55;
    for (const [from, to] of [
      [-size, size],
      [0, 2 * size],
      [-2 * size, 0],
    ]) {
      line.moveTo(from, size);
      line.lineTo(to - size, 0);
    }
    line.stroke();
    return pen.createPattern(tile, "repeat");
  };
  const paints = (pen) =>
    colours.map((colour, label) => {
      const ink = getComputedStyle(document.documentElement).color;
      const style = colour.startsWith("url(") ? hatch(pen) : colour === "currentColor" ? ink : colour;
      return { style, alpha: chosen.size > 0 && !chosen.has(label) ? 0.1 : 1 };
    });
  const labelOf =
    ({ state }) =>
    (row) =>
      state.labels[row] - 1;
  const isSeen =
    ({ state }) =>
    (row) =>
      state.labels[row] > 0 && (chosen.size === 0 || chosen.has(state.labels[row] - 1));

  let [cost, drawnAt] = [0, { zoom: 1, left: 0, top: 0 }];
  const drawAll = () => {
    const began = performance.now();
    for (const pane of panes) {
      const pen = pane.kept.getContext("2d");
      pen.clearRect(0, 0, pane.kept.width, pane.kept.height);
      const ink = getComputedStyle(document.documentElement).color;
      pen.globalAlpha = 1;
      draw(pen, below, view(), () => 0, [{ style: ink, alpha: 0.14 }]);
      draw(pen, rows, view(), labelOf(pane), paints(pen));
    }
    drawnAt = { zoom, left, top };
    put();
    cost = performance.now() - began;
  };
  /** Puts what was drawn onto the page, as the view asks for. */
  const put = () => {
    const scale = zoom / drawnAt.zoom;
    for (const { canvas, kept } of panes) {
      const pen = canvas.getContext("2d");
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      pen.setTransform(scale, 0, 0, scale, (left - drawnAt.left * scale) * sharp, (top - drawnAt.top * scale) * sharp);
      pen.drawImage(kept, 0, 0);
    }
  };
  /** `at`: the pane and the row that are told, and where, in pixels of the whole map. */
  let [at, isPinned, cross] = [undefined, false, undefined];
  const mark = () => {
    const [inner, outer] = isDark.matches ? ["#fff", "#15191d"] : ["#000", "#fff"];
    for (const pane of panes) {
      const pen = pane.above.getContext("2d");
      pen.clearRect(0, 0, pane.above.width, pane.above.height);
      if (at && isSeen(pane)(at.row)) outline(pen, at.row, view(), inner, outer);
      if (cross?.pane !== pane) continue;
      const [x, y, arm] = [cross.x * sharp, cross.y * sharp, 7 * sharp];
      pen.beginPath();
      for (const [dx, dy] of [
        [arm, 0],
        [0, arm],
      ]) {
        pen.moveTo(x - dx, y - dy);
        pen.lineTo(x + dx, y + dy);
      }
      for (const [size, style] of [
        [4, outer],
        [1.5, inner],
      ]) {
        [pen.lineWidth, pen.strokeStyle] = [size * sharp, style];
        pen.stroke();
      }
    }
  };

  const { line, put: putTip } = globalThis.siteframeTip(tip);
  const hide = () => {
    at = undefined;
    tip.hidden = true;
    mark();
  };
  const unpin = () => {
    isPinned = false;
    hide();
  };
  /** Tells a row of a pane; nothing if the row is below 0. */
  const tell = (pane, row, x, y, isSaid) => {
    if (row < 0) return hide();
    at = { pane, row, x, y };
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
  /** Puts the tip where its place on the map is now. */
  const place = () => {
    const [x, y] = [at.x * zoom + left, at.y * zoom + top];
    tip.style.visibility = x < 0 || y < 0 || x > width || y > height ? "hidden" : "";
    const box = at.pane.canvas.getBoundingClientRect();
    putTip(box.left + x * fit, box.top + y * fit);
  };
  /** Looks at a place of a pane, in its pixels as they are shown. */
  const look = (pane, x, y, isSaid) => {
    const [mapX, mapY] = [(x - left) / zoom, (y - top) / zoom];
    const row = shapes.find(mapX * grain, mapY * grain, (REACH / fit / zoom) * grain, isSeen(pane));
    tell(pane, row, mapX, mapY, isSaid);
  };

  let isAsked = false;
  let rest = 0;
  const onFrame = () => {
    isAsked = false;
    clearTimeout(rest);
    if (cost < SLOW) drawAll();
    else {
      put();
      rest = setTimeout(drawAll, REST);
    }
    furniture.follow(zoom, left, top);
    mark();
    if (at) place();
    find("in").disabled = zoom >= deepest;
    find("out").disabled = find("home").disabled = zoom <= 1;
    stage.style.touchAction = zoom > 1 ? "none" : "pan-y";
  };
  const move = () => {
    left = Math.max(width - width * zoom, Math.min(0, left));
    top = Math.max(height - height * zoom, Math.min(0, top));
    if (!isAsked) requestAnimationFrame(onFrame);
    isAsked = true;
  };
  /** Magnifies; what is at a place of a pane stays there. */
  const magnify = (factor, x = width / 2, y = height / 2) => {
    const next = Math.max(1, Math.min(deepest, zoom * factor));
    left = x - ((x - left) * next) / zoom;
    top = y - ((y - top) * next) / zoom;
    zoom = next;
    move();
  };
  const showAll = () => {
    [zoom, left, top] = [1, 0, 0];
    move();
  };

  /** The pane that a pointer is over, and where in it. */
  const placeOf = ({ clientX, clientY }) => {
    for (const pane of panes) {
      const box = pane.canvas.getBoundingClientRect();
      const [x, y] = [(clientX - box.left) / fit, (clientY - box.top) / fit];
      if (x >= 0 && y >= 0 && x <= width && y <= height) return { pane, x, y };
    }
    return undefined;
  };
  const fingers = new Map();
  let [isEntered, travel, pinch] = [false, 0, undefined];
  stage.addEventListener("pointerdown", (event) => {
    const spot = placeOf(event);
    if (!spot || event.button > 0) return;
    [isEntered, travel, cross] = [true, 0, undefined];
    root.focus({ preventScroll: true });
    fingers.set(event.pointerId, event);
    if (zoom > 1) stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    const held = fingers.get(event.pointerId);
    if (held) {
      fingers.set(event.pointerId, event);
      travel += Math.hypot(event.clientX - held.clientX, event.clientY - held.clientY);
      if (fingers.size === 2) return spread();
      left += (event.clientX - held.clientX) / fit;
      top += (event.clientY - held.clientY) / fit;
      if (travel > 4) move();
      return;
    }
    if (isPinned) return;
    const spot = placeOf(event);
    if (spot) look(spot.pane, spot.x, spot.y);
    else hide();
  });
  const spread = () => {
    const [a, b] = fingers.values();
    const gap = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    const middle = { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 };
    const spot = placeOf(middle);
    if (pinch && spot) {
      left += (middle.clientX - pinch.middle.clientX) / fit;
      top += (middle.clientY - pinch.middle.clientY) / fit;
      magnify(gap / pinch.gap, spot.x, spot.y);
    }
    pinch = { gap, middle };
  };
  const release = (event) => {
    const wasHeld = fingers.delete(event.pointerId);
    pinch = undefined;
    if (!wasHeld || travel > 4 || event.type === "pointercancel") return;
    const spot = placeOf(event);
    if (!spot) return;
    look(spot.pane, spot.x, spot.y, true);
    isPinned = !isPinned && at !== undefined;
  };
  stage.addEventListener("pointerup", release);
  stage.addEventListener("pointercancel", release);
  root.addEventListener("pointerleave", () => {
    if (!isPinned) hide();
  });

  // The wheel scrolls the page, unless someone has clicked on the map or holds Ctrl.
  let hinting = 0;
  stage.addEventListener(
    "wheel",
    (event) => {
      const spot = placeOf(event);
      if (!spot) return;
      if (!isEntered && !event.ctrlKey && !event.metaKey) {
        const box = spot.pane.canvas.getBoundingClientRect();
        Object.assign(hint.style, {
          left: `${box.left}px`,
          top: `${box.top}px`,
          width: `${box.width}px`,
          height: `${box.height}px`,
        });
        hint.textContent = "Click the map, or hold Ctrl, to zoom";
        hint.hidden = false;
        clearTimeout(hinting);
        hinting = setTimeout(() => {
          hint.hidden = true;
        }, 1200);
        return;
      }
      event.preventDefault();
      hint.hidden = true;
      if (!isPinned) hide();
      magnify(2 ** (-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), spot.x, spot.y);
    },
    { passive: false },
  );
  addEventListener("blur", () => {
    isEntered = false;
  });
  root.addEventListener("focusout", ({ relatedTarget }) => {
    if (root.contains(relatedTarget)) return;
    isEntered = false;
    cross = undefined;
    if (!isPinned) hide();
  });

  find("in").onclick = () => magnify(2);
  find("out").onclick = () => magnify(0.5);
  find("home").onclick = showAll;
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  /** Moves a cross over the map, and the map below it where the cross is at its edge. */
  const walk = ([dx, dy], step) => {
    cross ??= { pane: panes[0], x: width / 2, y: height / 2 };
    const over = (place, most) => Math.max(0, place - most + 16) - Math.max(0, 16 - place);
    [cross.x, cross.y] = [cross.x + dx * step, cross.y + dy * step];
    const [overX, overY] = [over(cross.x, width), over(cross.y, height)];
    [cross.x, cross.y, left, top] = [cross.x - overX, cross.y - overY, left - overX, top - overY];
    move();
    isPinned = false;
    look(cross.pane, cross.x, cross.y, true);
  };
  root.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "+" || key === "=") magnify(2, cross?.x, cross?.y);
    else if (key === "-") magnify(0.5, cross?.x, cross?.y);
    else if (key === "0") showAll();
    else if (key === "Escape") {
      cross = undefined;
      unpin();
    } else if (arrows[key] && event.target === root) walk(arrows[key], event.shiftKey ? 60 : 12);
    else return;
    event.preventDefault();
  });

  /** Fits the canvases to the panes of the figure, whatever its width. */
  const resize = () => {
    const matrix = furniture.chart.getScreenCTM();
    const box = stage.getBoundingClientRect();
    fit = matrix.a;
    sharp = fit * Math.min(3, Math.max(1, devicePixelRatio || 1));
    for (const pane of panes) {
      const style = {
        left: `${pane.x * fit + matrix.e - box.left}px`,
        top: `${pane.y * fit + matrix.f - box.top}px`,
        width: `${width * fit}px`,
        height: `${height * fit}px`,
      };
      for (const canvas of [pane.canvas, pane.above]) Object.assign(canvas.style, style);
      for (const canvas of [pane.canvas, pane.above, pane.kept]) {
        [canvas.width, canvas.height] = [Math.round(width * sharp), Math.round(height * sharp)];
      }
    }
    const first = panes[0];
    const isHigh = height * fit > 120;
    tools.style.left = `${(first.x + width) * fit + matrix.e - box.left - (isHigh ? 32 : 30)}px`;
    tools.style.top = `${(first.y + height) * fit + matrix.f - box.top - (isHigh ? 84 : 80)}px`;
    drawAll();
    onFrame();
  };
  isDark.addEventListener("change", () => {
    drawAll();
    mark();
  });
  root.tabIndex = 0;
  new ResizeObserver(resize).observe(stage);
  resize();
  if (plays) {
    const [pane] = panes;
    globalThis.siteframePlayer(dates, (date) => {
      if (date < pane.state.date) pane.state = values.before();
      const isBack = pane.state.date < 0;
      const { changed, isLess } = values.goOn(pane.state, date);
      const counts = new Array(colours.length + 1).fill(0);
      for (const label of pane.state.labels) counts[label] += 1;
      furniture.count(counts);
      const isAsDrawn = drawnAt.zoom === zoom && drawnAt.left === left && drawnAt.top === top;
      // What has no place on the canvas yet, or none any more, asks for all.
      if (isBack || isLess || !isAsDrawn || chosen.size > 0) drawAll();
      else {
        const pen = pane.kept.getContext("2d");
        draw(pen, changed, view(), labelOf(pane), paints(pen));
        put();
      }
      if (at && isSeen(pane)(at.row)) tell(pane, at.row, at.x, at.y);
      else if (at) unpin();
    });
  }
  document.documentElement.className = "live";
})();
