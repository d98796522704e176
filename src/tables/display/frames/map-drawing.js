// Draws shapes of a map on a canvas.
(() => {
  /** Shapes in one path: long ones are slow. */
  const CHUNK = 400;
  /** With more shapes in view than this areas have no outline, which nobody would see. */
  const OUTLINED = 4000;

  /** @param shapes of siteframeShapes */
  globalThis.siteframeDrawing = (shapes) => {
    const { parts, starts, kinds, x, y, boxes } = shapes;
    const has = [0, 1, 2].map((kind) => kinds.includes(kind));

    /** `view`: `scale` and shift from units to pixels of the canvas; in these `pixel`, one of the whole map, and `dot`, the radius of points. */
    const extent = (row, { scale }) =>
      Math.max(boxes[4 * row + 2] - boxes[4 * row], boxes[4 * row + 3] - boxes[4 * row + 1]) * scale;
    const isPoint = (row) => kinds[parts[row]] === 2;
    const isSmall = (row, view) => !isPoint(row) && extent(row, view) < 1.6 * view.dot;
    const pointRadius = ({ dot, zoom }) => dot * Math.min(2.5, Math.sqrt(zoom));
    const isInView = (row, { scale, left, top, width, height, dot }) => {
      const room = 3 * dot;
      const [from, to] = [boxes[4 * row] * scale + left, boxes[4 * row + 2] * scale + left];
      const [above, below] = [boxes[4 * row + 1] * scale + top, boxes[4 * row + 3] * scale + top];
      return from < width + room && to > -room && above < height + room && below > -room && from <= to;
    };
    const trace = (pen, row, kind, { scale, left, top }) => {
      for (let part = parts[row]; part < parts[row + 1]; part += 1) {
        if (kinds[part] !== kind) continue;
        pen.moveTo(x[starts[part]] * scale + left, y[starts[part]] * scale + top);
        for (let at = starts[part] + 1; at < starts[part + 1]; at += 1)
          pen.lineTo(x[at] * scale + left, y[at] * scale + top);
        if (kind === 0) pen.closePath();
      }
    };
    const disc = (pen, px, py, size) => {
      // A square that is too small to be told from a disc is drawn faster.
      if (size < 3) pen.rect(px - 0.9 * size, py - 0.9 * size, 1.8 * size, 1.8 * size);
      else {
        pen.moveTo(px + size, py);
        pen.arc(px, py, size, 0, 7);
      }
    };
    const middle = (row, { scale, left, top }) => [
      ((boxes[4 * row] + boxes[4 * row + 2]) / 2) * scale + left,
      ((boxes[4 * row + 1] + boxes[4 * row + 3]) / 2) * scale + top,
    ];
    const points = (pen, row, view, size) => {
      for (let part = parts[row]; part < parts[row + 1]; part += 1) {
        const at = starts[part];
        if (kinds[part] === 2) disc(pen, x[at] * view.scale + view.left, y[at] * view.scale + view.top, size);
      }
    };

    /** Puts into a path what a row is of a kind: a ring, a line or points; what is small is a dot. */
    const add = (pen, row, kind, view) => {
      if (isSmall(row, view)) {
        if (kind === 0) disc(pen, ...middle(row, view), view.dot);
      } else if (kind === 2) points(pen, row, view, pointRadius(view));
      else trace(pen, row, kind, view);
    };
    /** Rows of one paint. */
    const fill = (pen, rows, kind, view, isOutlined) => {
      pen.lineWidth = (kind === 1 ? 2.2 : 0.6) * view.pixel;
      for (let from = 0; from < rows.length; from += CHUNK) {
        pen.beginPath();
        for (const row of rows.slice(from, from + CHUNK)) add(pen, row, kind, view);
        if (kind !== 1) pen.fill();
        if (kind === 1 || (kind === 0 && isOutlined)) pen.stroke();
      }
    };

    /**
     * @param rows those that may be seen
     * @param paintOf the place of a row's paint; -1 for none
     * @param paints with `style` and `alpha`
     */
    const draw = (pen, rows, view, paintOf, paints) => {
      const lists = paints.map(() => []);
      let count = 0;
      for (const row of rows) {
        const paint = paintOf(row);
        if (paint < 0 || !isInView(row, view)) continue;
        lists[paint].push(row);
        count += 1;
      }
      for (const kind of [0, 1, 2]) {
        if (!has[kind] && kind > 0) continue;
        for (const [paint, list] of lists.entries()) {
          if (list.length === 0) continue;
          const { style, alpha = 1, line = style } = paints[paint];
          pen.globalAlpha = alpha;
          [pen.fillStyle, pen.strokeStyle] = [style, line];
          fill(pen, list, kind, view, count < OUTLINED);
        }
      }
      pen.globalAlpha = 1;
    };
    /** Makes a row's outline the path. */
    const outline = (pen, row, view) => {
      pen.beginPath();
      const size = pointRadius(view) + 2 * view.pixel;
      if (isPoint(row)) points(pen, row, view, Math.max(3, size));
      else if (isSmall(row, view)) disc(pen, ...middle(row, view), Math.max(3, size));
      else for (const kind of [0, 1]) trace(pen, row, kind, view);
    };
    return { draw, outline };
  };
})();
