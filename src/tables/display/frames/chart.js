// Tips of a chart. It reads what marks know from its own document and sets texts; data never becomes code.
(async () => {
  const REACH = 40;
  /** Of a point beside curves. */
  const NEAR = 9;
  const find = (id) => document.getElementById(id);
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const [tip, said] = ["tip", "said"].map(find);

  const [facts, differences] = await globalThis.siteframeFacts();
  const seriesOf = ({ series }, row) => (series ? series.labels[series.codes[row]] : undefined);
  const colourOf = ({ series }, row) => (series ? series.colours[series.codes[row]] : undefined);
  const rowOf = (mark, child) => (mark.rows ? mark.rows[child] : child);

  const shapesOf = (mark) =>
    mark.children.flatMap((child, index) => {
      const row = rowOf(mark, index);
      if (row < 0 || !child.getBBox) return [];
      const { x, y, width, height } = child.getBBox();
      return [{ mark, row, x: x + width / 2, y: y + height / 2, child }];
    });
  /** What can be pointed at: a thing, or a place along x with all curves that pass it. */
  const stopsOf = (marks, places, onCurve) => {
    const things = [];
    for (const mark of marks) {
      for (let row = 0; row < mark.length; row += 1) {
        if (mark.kind === "dot") {
          things.push({ mark, row, x: mark.x[row], y: mark.y[row] });
        } else if (mark.kind === "box") {
          const [left, right] = [mark.x[row], mark.x2[row]].sort((a, b) => a - b);
          const [top, bottom] = [mark.y[row], mark.y2[row]].sort((a, b) => a - b);
          things.push({ mark, row, left, right, top, bottom, x: (left + right) / 2, y: (top + bottom) / 2 });
        }
      }
      if (mark.kind === "shape") things.push(...shapesOf(mark));
    }
    const columns = places.map((x) => ({ x, isPlace: true }));
    const alone = things.filter(({ mark, row }) => !onCurve(mark, row));
    return { columns, alone, stops: [...columns, ...alone] };
  };

  const begin = (svg, form) => {
    // A new element, which nothing listens to yet.
    const root = find("figure").cloneNode(false);
    find("figure").replaceWith(root);
    root.append(svg);
    const told = form ? facts.map((mark, index) => ({ ...mark, rows: undefined, ...differences[index] })) : facts;
    const marks = told.map((mark, index) => {
      const group = root.querySelector(`[data-mark="${index}"]`);
      const children = [...group.children];
      return { ...mark, group, children, length: mark.channels[0].codes.length };
    });
    const { places, partsAt, onCurve, ofPlace, ofThing, say } = globalThis.siteframeTells(marks);
    const plane = marks[0].group.closest("svg");

    const isFaded = (mark, row) => chosen.size > 0 && mark.series && !chosen.has(seriesOf(mark, row));
    const { columns, alone, stops } = stopsOf(marks, places(), onCurve);
    const nearestThing = (x, y, target) => {
      let [nearest, least] = [undefined, (columns.length > 0 ? NEAR : REACH) ** 2];
      for (const thing of alone) {
        if (isFaded(thing.mark, thing.row)) continue;
        if (thing.child && thing.child === target) return thing;
        const isInside = x >= thing.left && x <= thing.right && y >= thing.top && y <= thing.bottom;
        if (isInside) [nearest, least] = [thing, -1];
        const distance = (thing.x - x) ** 2 + (thing.y - y) ** 2;
        if (thing.left === undefined && !thing.child && distance < least) [nearest, least] = [thing, distance];
      }
      return nearest;
    };
    const nearest = (x, y, target) => {
      const thing = nearestThing(x, y, target);
      if (thing) return thing;
      let [column, least] = [undefined, REACH];
      for (const one of columns) if (Math.abs(one.x - x) < least) [column, least] = [one, Math.abs(one.x - x)];
      return column;
    };

    const { line, put } = globalThis.siteframeTip(tip);

    /** The curve under the pointer, if there are several. */
    const nearestLine = (lines, y) => {
      let [near, gap] = [undefined, Infinity];
      for (const one of lines) {
        const below = y - one.mark.y[one.row];
        if (below >= -3 && below < gap) [near, gap] = [one, below];
      }
      return lines.length > 1 ? near : undefined;
    };

    const tableOf = (lines, near) => {
      const table = document.createElement("table");
      for (const one of lines) {
        const { label, text, mark, row, isColoured } = one;
        const shown = line(label || text, label ? text : "", isColoured ? colourOf(mark, row) : undefined);
        if (one === near) shown.className = "near";
        table.append(shown);
      }
      return table;
    };

    const drawn = [];
    const draw = (parent, name, attributes) => {
      const shape = typeof name === "string" ? document.createElementNS(plane.namespaceURI, name) : name;
      for (const [key, value] of Object.entries({ "pointer-events": "none", ...attributes }))
        shape.setAttribute(key, value);
      drawn.push(parent.appendChild(shape));
    };
    const outline = { fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-opacity": 1 };
    const drawColumn = (x, parts) => {
      const { height } = plane.viewBox.baseVal;
      draw(plane, "line", {
        x1: x,
        x2: x,
        y1: 0,
        y2: height,
        stroke: "currentColor",
        "stroke-opacity": 0.35,
        "stroke-dasharray": "3 2",
      });
      for (const { mark, row } of parts) {
        const fill = colourOf(mark, row) ?? "currentColor";
        draw(plane, "circle", { cx: x, cy: mark.y[row], r: 3.5, fill, stroke: "var(--ground)", "stroke-width": 1.5 });
      }
    };
    const drawThing = ({ mark, row, x, y }) => {
      const child = mark.children[mark.rows ? mark.rows.indexOf(row) : row];
      if (child?.cloneNode && mark.kind !== "dot") draw(mark.group, child.cloneNode(false), outline);
      else draw(plane, "circle", { ...outline, cx: x, cy: y, r: 6 });
    };

    const hide = () => {
      for (const shape of drawn.splice(0)) shape.remove();
      tip.hidden = true;
    };
    const show = (stop, y, isSaid) => {
      hide();
      if (!stop) return;
      const isShown = ({ mark, row }) => !isFaded(mark, row);
      const all = stop.isPlace ? partsAt(stop.x) : [];
      const parts = all.filter(isShown);
      const told = stop.isPlace ? ofPlace(all, isShown) : ofThing(stop);
      const { title, lines } = told;
      if (lines.length === 0 && (!title || stop.isPlace)) return;
      if (stop.isPlace) drawColumn(stop.x, parts);
      else drawThing(stop);
      const table = tableOf(lines, stop.isPlace ? nearestLine(lines, y) : undefined);
      tip.replaceChildren(...(title ? [element("b", title)] : []), table);
      tip.hidden = false;
      const matrix = plane.getScreenCTM();
      const top = stop.isPlace ? (y ?? Math.min(...parts.map(({ mark, row }) => mark.y[row]))) : (stop.top ?? stop.y);
      put(stop.x * matrix.a + matrix.e, top * matrix.d + matrix.f);
      if (isSaid) said.textContent = say(told);
    };

    let [at, isPinned] = [-1, false];
    const follow = ({ clientX, clientY, target }, isSaid) => {
      const matrix = plane.getScreenCTM().inverse();
      const [x, y] = [clientX * matrix.a + matrix.e, clientY * matrix.d + matrix.f];
      const box = plane.viewBox.baseVal;
      const isOutside = x < box.x || y < box.y || x > box.x + box.width || y > box.y + box.height;
      const stop = isOutside ? undefined : nearest(x, y, target);
      at = stops.indexOf(stop);
      show(stop, y, isSaid);
    };
    root.addEventListener("pointermove", (event) => {
      if (!isPinned) follow(event);
    });
    root.addEventListener("pointerleave", () => {
      if (!isPinned) hide();
    });
    root.addEventListener("pointerdown", (event) => {
      if (event.target.closest("[role=button]")) return;
      isPinned = !isPinned;
      follow(event, isPinned);
      isPinned &&= !tip.hidden;
    });
    const steps = {
      ArrowRight: 1,
      ArrowDown: 1,
      ArrowLeft: -1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -stops.length,
      End: stops.length,
    };
    root.addEventListener("keydown", (event) => {
      if (event.target !== root) return;
      if (event.key === "Escape") {
        [at, isPinned] = [-1, false];
        hide();
      }
      const step = steps[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      at = Math.max(0, Math.min(stops.length - 1, at + step));
      show(stops[at], undefined, true);
    });
    root.addEventListener("blur", () => {
      if (!isPinned) hide();
    });

    const labels = new Set(marks.flatMap(({ series }) => series?.labels ?? []));
    const entries = [...root.querySelectorAll("[data-entry]")]
      .map((entry) => ({ entry, key: entry.textContent }))
      .filter(({ key }) => labels.has(key));
    const fade = () => {
      for (const mark of marks) {
        for (const [index, child] of mark.children.entries()) {
          const row = rowOf(mark, index);
          if (row >= 0) child.style.opacity = isFaded(mark, row) ? 0.12 : "";
        }
      }
      isPinned = false;
      hide();
    };
    const chosen = globalThis.siteframeLegend(entries, fade);
    root.tabIndex = 0;
    tip.hidden = true;
  };
  await globalThis.siteframeForms(find("figure").firstElementChild, 0, begin);
  document.documentElement.className = "live";
})();
