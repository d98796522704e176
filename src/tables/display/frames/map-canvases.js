// The canvases of a map's panes: what is drawn on them, and how they follow the view.
(() => {
  /** The paint of what is not known, as figures have it. */
  const hatch = (pen, ink, sharp) => {
    const size = Math.round(6 * sharp);
    const tile = Object.assign(document.createElement("canvas"), { width: size, height: size });
    const line = tile.getContext("2d");
    [line.fillStyle, line.strokeStyle, line.lineWidth] = [ink, ink, 1.2 * sharp];
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
  const strokeTwice = (pen, [inner, outer], [thick, thin]) => {
    for (const [width, style] of [
      [thick, outer],
      [thin, inner],
    ]) {
      [pen.lineWidth, pen.strokeStyle] = [width, style];
      pen.stroke();
    }
  };

  /**
   * @param map the view, as map.js has it; its panes get their canvases
   * @param shapes of siteframeShapes; `rows` can be pointed at, the others are below them
   * @param inks gives the colours of texts and of the ground
   */
  globalThis.siteframeCanvases = (stage, map, { shapes, rows, grain, colours, inks }) => {
    const { draw, outline } = globalThis.siteframeDrawing(shapes);
    const below = Array.from({ length: shapes.count - rows.length }, (_, index) => rows.length + index);
    const figure = stage.firstElementChild;
    for (const pane of map.panes) {
      for (const name of ["canvas", "above", "kept"]) pane[name] = document.createElement("canvas");
      pane.above.className = "above";
      stage.insertBefore(pane.canvas, figure).after(pane.above);
    }

    const view = () => {
      const { zoom, left, top, sharp, width, height, form } = map;
      return {
        scale: (form.times * zoom * sharp) / grain,
        left: (left + form.shift[0] * zoom) * sharp,
        top: (top + form.shift[1] * zoom) * sharp,
        width: width * sharp,
        height: height * sharp,
        pixel: sharp,
        dot: form.radius * sharp,
        zoom,
      };
    };
    const paints = (pen) => {
      const [ink] = inks();
      return colours.map((colour, label) => {
        const style = colour.startsWith("url(") ? hatch(pen, ink, map.sharp) : colour === "currentColor" ? ink : colour;
        return { style, alpha: map.chosen.size > 0 && !map.chosen.has(label) ? 0.1 : 1 };
      });
    };
    const labelOf =
      ({ state }) =>
      (row) =>
        state.labels[row] - 1;
    const isSeen =
      ({ state }) =>
      (row) =>
        state.labels[row] > 0 && (map.chosen.size === 0 || map.chosen.has(state.labels[row] - 1));

    let [cost, drawnAt] = [0, { zoom: 1, left: 0, top: 0 }];
    /** Puts what was drawn onto the page, as the view asks for. */
    const put = () => {
      const { zoom, left, top, sharp } = map;
      const scale = zoom / drawnAt.zoom;
      const [x, y] = [left - drawnAt.left * scale, top - drawnAt.top * scale];
      for (const { canvas, kept } of map.panes) {
        const pen = canvas.getContext("2d");
        pen.setTransform(1, 0, 0, 1, 0, 0);
        pen.clearRect(0, 0, canvas.width, canvas.height);
        pen.setTransform(scale, 0, 0, scale, x * sharp, y * sharp);
        pen.drawImage(kept, 0, 0);
      }
    };
    const drawAll = () => {
      const began = performance.now();
      const [ink] = inks();
      for (const pane of map.panes) {
        const pen = pane.kept.getContext("2d");
        pen.clearRect(0, 0, pane.kept.width, pane.kept.height);
        pen.globalAlpha = 1;
        draw(pen, below, view(), () => 0, [{ style: ink, alpha: 0.14 }]);
        draw(pen, rows, view(), labelOf(pane), paints(pen));
      }
      drawnAt = { zoom: map.zoom, left: map.left, top: map.top };
      put();
      cost = performance.now() - began;
    };
    /** Draws rows of a pane over what is there; false where that shows another part of the map. */
    const drawOver = (pane, changed) => {
      if (drawnAt.zoom !== map.zoom || drawnAt.left !== map.left || drawnAt.top !== map.top) return false;
      const pen = pane.kept.getContext("2d");
      draw(pen, changed, view(), labelOf(pane), paints(pen));
      put();
      return true;
    };
    /** Marks what is told, and the cross. */
    const mark = () => {
      const { at, cross, sharp } = map;
      for (const pane of map.panes) {
        const pen = pane.above.getContext("2d");
        pen.clearRect(0, 0, pane.above.width, pane.above.height);
        if (at && isSeen(pane)(at.row)) {
          outline(pen, at.row, view());
          strokeTwice(pen, inks(), [4 * sharp, 2 * sharp]);
        }
        if (cross?.pane !== pane) continue;
        const [x, y, arm] = [cross.x * sharp, cross.y * sharp, 7 * sharp];
        pen.beginPath();
        pen.moveTo(x - arm, y);
        pen.lineTo(x + arm, y);
        pen.moveTo(x, y - arm);
        pen.lineTo(x, y + arm);
        strokeTwice(pen, inks(), [4 * sharp, 1.5 * sharp]);
      }
    };
    /** Fits the canvases to the panes of the figure, which begins at a place of the stage. */
    const resize = (shiftX, shiftY) => {
      const { fit, sharp, width, height, form } = map;
      for (const [index, pane] of map.panes.entries()) {
        const { x, y } = form.panes[index];
        const style = {
          left: `${x * fit + shiftX}px`,
          top: `${y * fit + shiftY}px`,
          width: `${width * fit}px`,
          height: `${height * fit}px`,
        };
        for (const canvas of [pane.canvas, pane.above]) Object.assign(canvas.style, style);
        for (const canvas of [pane.canvas, pane.above, pane.kept]) {
          [canvas.width, canvas.height] = [Math.round(width * sharp), Math.round(height * sharp)];
        }
      }
    };
    return { drawAll, drawOver, put, mark, resize, isSeen, cost: () => cost };
  };
})();
