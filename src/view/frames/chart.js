// Tips of a chart. It reads what marks know from its own document and sets texts; data never becomes code.
(async () => {
  const REACH = 40;
  const DAY = 86_400_000;
  /** Plot's own channels: another one was given to be told in their place. */
  const OWN = new Set(["x", "y", "fill", "stroke", "r", "opacity", "fx", "fy", "title"]);
  const find = (id) => document.getElementById(id);
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const [tip, said] = ["tip", "said"].map(find);

  const [facts, differences] = await globalThis.siteframeFacts();
  const seriesOf = ({ series }, row) => (series ? series.labels[series.codes[row]] : undefined);
  const colourOf = ({ series }, row) => (series ? series.colours[series.codes[row]] : undefined);
  const rowOf = (mark, child) => (mark.rows ? mark.rows[child] : child);

  const dateText = (ms, isDay) => {
    const text = new Date(ms).toISOString();
    return isDay ? text.slice(0, 10) : text.slice(0, 16).replace("T", " ");
  };
  /** Four digits that tell, and no integer cut. */
  const numberText = (value) => {
    const whole = Math.floor(Math.log10(Math.abs(value) || 1)) + 1;
    return value.toLocaleString("en-US", { maximumFractionDigits: Math.max(0, Math.min(20, 4 - whole)) });
  };
  const textOf = (channel, row) => {
    if (channel.codes) return channel.texts[channel.codes[row]] || "none";
    const value = (channel.dates ?? channel.numbers)[row];
    if (value === null) return "none";
    if (channel.numbers) return numberText(value);
    channel.isDay ??= channel.dates.every((ms) => ms === null || ms % DAY === 0);
    return dateText(value, channel.isDay);
  };

  const shapesOf = (mark) =>
    mark.children.flatMap((child, index) => {
      const row = rowOf(mark, index);
      if (row < 0 || !child.getBBox) return [];
      const { x, y, width, height } = child.getBBox();
      return [{ mark, row, x: x + width / 2, y: y + height / 2, child }];
    });
  /** What can be pointed at: a thing, or a place along x with all curves that pass it. */
  const stopsOf = (marks) => {
    const things = [];
    const places = new Map();
    for (const mark of marks) {
      for (let row = 0; row < mark.length; row += 1) {
        if (mark.kind === "path") {
          const key = Math.round(2 * mark.x[row]);
          if (!places.has(key)) places.set(key, { x: mark.x[row], parts: [] });
          places.get(key).parts.push({ mark, row });
        } else if (mark.kind === "dot") {
          things.push({ mark, row, x: mark.x[row], y: mark.y[row] });
        } else if (mark.kind === "box") {
          const [left, right] = [mark.x[row], mark.x2[row]].sort((a, b) => a - b);
          const [top, bottom] = [mark.y[row], mark.y2[row]].sort((a, b) => a - b);
          things.push({ mark, row, left, right, top, bottom, x: (left + right) / 2, y: (top + bottom) / 2 });
        }
      }
      if (mark.kind === "shape") things.push(...shapesOf(mark));
    }
    const columns = [...places.values()].sort((a, b) => a.x - b.x);
    // Points on a curve are told by the curve.
    const alone = columns.length > 0 ? things.filter(({ mark }) => mark.kind !== "dot") : things;
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
      const { codes, dates, numbers } = mark.channels[0];
      return { ...mark, group, children, length: (codes ?? dates ?? numbers).length };
    });
    const plane = marks[0].group.closest("svg");

    const isFaded = (mark, row) => chosen.size > 0 && mark.series && !chosen.has(seriesOf(mark, row));
    const { columns, alone, stops } = stopsOf(marks);
    const nearestThing = (x, y, target) => {
      let [nearest, least] = [undefined, REACH ** 2];
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

    /** Lines of a tip for a place along x: each curve once, the one under the pointer in bold. */
    const tellColumn = ({ parts }, y) => {
      const lines = [];
      let [near, gap] = [undefined, Infinity];
      for (const { mark, row } of parts) {
        if (isFaded(mark, row)) continue;
        const channel =
          mark.channels.find(({ name }) => !OWN.has(name)) ?? mark.channels.find(({ name }) => name === "y");
        if (!channel) continue;
        const [label, text] = [seriesOf(mark, row) ?? channel.label, textOf(channel, row)];
        if (lines.some((one) => one.label === label && one.text === text)) continue;
        const told = { label, text, row: line(label, text, colourOf(mark, row)) };
        lines.push(told);
        const below = y - mark.y[row];
        if (below >= -3 && below < gap) [near, gap] = [told, below];
      }
      if (near && lines.length > 1) near.row.className = "near";
      const [{ mark, row }] = parts;
      const across = mark.channels.find(({ name }) => name === "x");
      return { title: across ? textOf(across, row) : "", lines };
    };
    const tellThing = ({ mark, row }) => {
      const lines = [];
      let title = "";
      for (const channel of mark.channels) {
        const text = textOf(channel, row);
        if (channel.name === "title") title = text;
        else {
          const colour = channel.name === "fill" || channel.name === "stroke" ? colourOf(mark, row) : undefined;
          lines.push({ label: channel.label, text, row: line(channel.label, text, colour) });
        }
      }
      return { title, lines };
    };

    const drawn = [];
    const draw = (parent, name, attributes) => {
      const shape = typeof name === "string" ? document.createElementNS(plane.namespaceURI, name) : name;
      for (const [key, value] of Object.entries({ "pointer-events": "none", ...attributes }))
        shape.setAttribute(key, value);
      drawn.push(parent.appendChild(shape));
    };
    const outline = { fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-opacity": 1 };
    const drawColumn = ({ x, parts }) => {
      const { height } = plane.viewBox.baseVal;
      const [across] = parts;
      draw(plane, "line", {
        x1: x,
        x2: x,
        y1: 0,
        y2: height,
        stroke: "currentColor",
        "stroke-opacity": 0.35,
        "stroke-dasharray": "3 2",
      });
      for (const { mark, row } of [across, ...parts.slice(1)]) {
        if (isFaded(mark, row)) continue;
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
      const { title, lines } = stop.parts ? tellColumn(stop, y) : tellThing(stop);
      if (!title && lines.length === 0) return;
      if (stop.parts) drawColumn(stop);
      else drawThing(stop);
      const table = document.createElement("table");
      table.append(...lines.map(({ row }) => row));
      tip.replaceChildren(...(title ? [element("b", title)] : []), table);
      tip.hidden = false;
      const matrix = plane.getScreenCTM();
      const top = stop.parts
        ? (y ?? Math.min(...stop.parts.map(({ mark, row }) => mark.y[row])))
        : (stop.top ?? stop.y);
      put(stop.x * matrix.a + matrix.e, top * matrix.d + matrix.f);
      if (isSaid)
        said.textContent = [title, ...lines.map(({ label, text }) => `${label} ${text}`)].filter(Boolean).join(", ");
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
