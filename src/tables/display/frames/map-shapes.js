// Shapes of a map: reads them, and finds what is under a pointer. Nothing here knows the page. All lengths are units of
// the shapes.
(() => {
  const FIRST = 40;
  const SPAN = 0xd000;
  /** A shape in more cells of the grid than this is looked at wherever the pointer is. */
  const WIDE = 256;

  /** Integers from text, as pack-numbers.ts writes them. */
  const unpack = (text) => {
    const numbers = new Int32Array(text.length);
    let length = 0;
    for (let at = 0; at < text.length; at += 1) {
      let code = text.charCodeAt(at) - FIRST;
      if (code >= SPAN) {
        at += 1;
        code = (code - SPAN) * SPAN + text.charCodeAt(at) - FIRST;
      }
      numbers[length] = code % 2 ? -(code + 1) / 2 : code / 2;
      length += 1;
    }
    return numbers.subarray(0, length);
  };

  const read = (packed) => {
    const [counts, sizes, x, y] = ["parts", "sizes", "x", "y"].map((name) => unpack(packed[name]));
    const parts = new Uint32Array(counts.length + 1);
    const starts = new Uint32Array(sizes.length + 1);
    const kinds = new Uint8Array(sizes.length);
    const boxes = new Int32Array(4 * counts.length);
    let [part, fromX, fromY] = [0, 0, 0];
    for (let row = 0; row < counts.length; row += 1) {
      let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
      for (const end = part + counts[row]; part < end; part += 1) {
        kinds[part] = sizes[part] % 3;
        const start = starts[part];
        starts[part + 1] = start + (sizes[part] - kinds[part]) / 3;
        for (let at = start; at < starts[part + 1]; at += 1) {
          x[at] += at === start ? fromX : x[at - 1];
          y[at] += at === start ? fromY : y[at - 1];
          left = Math.min(left, x[at]);
          right = Math.max(right, x[at]);
          top = Math.min(top, y[at]);
          bottom = Math.max(bottom, y[at]);
        }
        [fromX, fromY] = [x[start], y[start]];
      }
      parts[row + 1] = part;
      // Of a shape without parts a box that nothing meets.
      boxes.set(parts[row + 1] > parts[row] ? [left, top, right, bottom] : [1, 1, 0, 0], 4 * row);
    }
    return { parts, starts, kinds, x, y, boxes, count: counts.length };
  };

  /** Rows by cell of a grid, for those that are pointed at. */
  const gridOf = ({ boxes }, pointable, width, height) => {
    const side = Math.max(1, Math.sqrt((4 * width * height) / Math.max(pointable, 1)), Math.max(width, height) / 1000);
    const [across, down] = [Math.ceil(width / side), Math.ceil(height / side)];
    const column = (x) => Math.max(0, Math.min(across - 1, Math.floor(x / side)));
    const line = (y) => Math.max(0, Math.min(down - 1, Math.floor(y / side)));
    const wide = [];
    const each = (call) => {
      for (let row = 0; row < pointable; row += 1) {
        const [left, top, right, bottom] = boxes.subarray(4 * row, 4 * row + 4);
        if (left > right) continue;
        const [c0, c1, l0, l1] = [column(left), column(right), line(top), line(bottom)];
        if ((c1 - c0 + 1) * (l1 - l0 + 1) > WIDE) call(-1, row);
        else for (let l = l0; l <= l1; l += 1) for (let c = c0; c <= c1; c += 1) call(c + across * l, row);
      }
    };
    const ends = new Uint32Array(across * down + 1);
    each((cell, row) => {
      if (cell < 0) wide.push(row);
      else ends[cell + 1] += 1;
    });
    for (let cell = 0; cell < across * down; cell += 1) ends[cell + 1] += ends[cell];
    const rows = new Uint32Array(ends[across * down]);
    const next = ends.slice();
    each((cell, row) => {
      if (cell >= 0) rows[next[cell]++] = row;
    });
    /** Calls for every row that may be within reach of a place; for some more than once. */
    return (x, y, reach, call) => {
      for (const row of wide) call(row);
      const [c0, c1, l0, l1] = [column(x - reach), column(x + reach), line(y - reach), line(y + reach)];
      for (let l = l0; l <= l1; l += 1) {
        for (let c = c0; c <= c1; c += 1) {
          for (let at = ends[c + across * l]; at < ends[c + across * l + 1]; at += 1) call(rows[at]);
        }
      }
    };
  };

  /** Whether a place is inside of a shape's rings: a canvas fills what they wind around. */
  const isInside = ({ parts, starts, kinds, x, y }, row, px, py) => {
    let turns = 0;
    for (let part = parts[row]; part < parts[row + 1]; part += 1) {
      if (kinds[part] !== 0) continue;
      const end = starts[part + 1];
      for (let at = starts[part], before = end - 1; at < end; before = at, at += 1) {
        if (y[at] > py === y[before] > py) continue;
        const side = (x[before] - x[at]) * (py - y[at]) - (px - x[at]) * (y[before] - y[at]);
        if (y[at] > py ? side > 0 : side < 0) turns += y[at] > py ? 1 : -1;
      }
    }
    return turns !== 0;
  };

  /** The square of the distance to a shape's lines and points. */
  const distance = ({ parts, starts, kinds, x, y }, row, px, py) => {
    let least = Infinity;
    for (let part = parts[row]; part < parts[row + 1]; part += 1) {
      if (kinds[part] === 0) continue;
      const [start, end] = [starts[part], starts[part + 1]];
      for (let at = start; at < end; at += 1) {
        const from = Math.max(start, at - 1);
        const [dx, dy] = [x[at] - x[from], y[at] - y[from]];
        const share = ((px - x[from]) * dx + (py - y[from]) * dy) / (dx * dx + dy * dy || 1);
        const near = Math.max(0, Math.min(1, share));
        least = Math.min(least, (x[from] + near * dx - px) ** 2 + (y[from] + near * dy - py) ** 2);
      }
    }
    return least;
  };

  /**
   * @param packed as map-shapes.ts writes it
   * @param pointable rows that can be found; the others come after them
   */
  globalThis.siteframeShapes = (packed, pointable, width, height) => {
    const shapes = read(packed);
    const { boxes } = shapes;
    const nearby = gridOf(shapes, pointable, width, height);
    const boxDistance = (row, px, py) => {
      const [left, top, right, bottom] = boxes.subarray(4 * row, 4 * row + 4);
      return Math.max(left - px, 0, px - right) ** 2 + Math.max(top - py, 0, py - bottom) ** 2;
    };
    /**
     * The row at a place: the nearest line or point, else the smallest area around it, else the nearest area that is
     * itself no wider than the reach. -1 if there is none.
     */
    const find = (px, py, reach, isSeen) => {
      let [line, lineFar] = [-1, reach ** 2];
      let [area, areaSize] = [-1, Infinity];
      let [small, smallFar] = [-1, reach ** 2];
      nearby(px, py, reach, (row) => {
        const box = boxDistance(row, px, py);
        if (box > reach ** 2 || !isSeen(row)) return;
        const far = distance(shapes, row, px, py);
        if (far <= lineFar) [line, lineFar] = [row, far];
        const [wide, high] = [boxes[4 * row + 2] - boxes[4 * row], boxes[4 * row + 3] - boxes[4 * row + 1]];
        if (box === 0 && wide * high <= areaSize && isInside(shapes, row, px, py))
          [area, areaSize] = [row, wide * high];
        if (Math.min(wide, high) <= reach && box <= smallFar) [small, smallFar] = [row, box];
      });
      return line >= 0 ? line : area >= 0 ? area : small;
    };
    return { ...shapes, find };
  };
  globalThis.siteframeUnpack = unpack;
})();
