// Keys and buttons of a map. Arrows move a cross, and what is under it is told.
(() => {
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  /** Pixels from a pane's edge at which the map moves and not the cross. */
  const EDGE = 16;
  /** Pixels of a step, and of one with Shift. */
  const [STEP, LEAP] = [12, 60];

  /**
   * @param map the view, as map.js has it
   * @param acts of map.js
   */
  globalThis.siteframeKeys = (root, map, { look, unpin, move, magnify, showAll }) => {
    const find = (id) => document.getElementById(id);
    find("in").onclick = () => magnify(2);
    find("out").onclick = () => magnify(0.5);
    find("home").onclick = showAll;
    const walk = ([dx, dy], step) => {
      const { width, height } = map;
      map.cross ??= { pane: map.panes[0], x: width / 2, y: height / 2 };
      const { cross } = map;
      const over = (place, most) => Math.max(0, place - most + EDGE) - Math.max(0, EDGE - place);
      [cross.x, cross.y] = [cross.x + dx * step, cross.y + dy * step];
      const [overX, overY] = [over(cross.x, width), over(cross.y, height)];
      [cross.x, cross.y, map.left, map.top] = [cross.x - overX, cross.y - overY, map.left - overX, map.top - overY];
      move();
      map.isPinned = false;
      look(cross.pane, cross.x, cross.y, true);
    };
    root.addEventListener("keydown", (event) => {
      const { key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (key === "+" || key === "=") magnify(2, map.cross?.x, map.cross?.y);
      else if (key === "-") magnify(0.5, map.cross?.x, map.cross?.y);
      else if (key === "0") showAll();
      else if (key === "Escape") {
        map.cross = undefined;
        unpin();
      } else if (ARROWS[key] && event.target === root) walk(ARROWS[key], event.shiftKey ? LEAP : STEP);
      else return;
      event.preventDefault();
    });
  };
})();
