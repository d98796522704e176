// Keys and buttons of a map. Arrows move a cross, and what is under it is shown and said.
import { find } from "./elements.js";
import type { MapActions, MapView } from "./map-view.js";

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Pixels from a pane's edge at which the map moves and not the cross. */
const EDGE = 16;
/** Pixels of a step, and of one with Shift. */
const [STEP, LEAP] = [12, 60];

export function listenToKeys(root: HTMLElement, map: MapView, actions: MapActions): void {
  const { look, unpin, move, magnify, showAll } = actions;
  find("in").onclick = () => magnify(2);
  find("out").onclick = () => magnify(0.5);
  find("home").onclick = showAll;
  const walk = ([dx, dy]: readonly [number, number], step: number) => {
    const { width, height } = map;
    const [pane] = map.panes;
    if (!pane) return;
    map.cross ??= { pane, x: width / 2, y: height / 2 };
    const { cross } = map;
    const over = (place: number, most: number) => Math.max(0, place - most + EDGE) - Math.max(0, EDGE - place);
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
    const arrow = ARROWS[key];
    if (key === "+" || key === "=") magnify(2, map.cross?.x, map.cross?.y);
    else if (key === "-") magnify(0.5, map.cross?.x, map.cross?.y);
    else if (key === "0") showAll();
    else if (key === "Escape") {
      map.cross = undefined;
      unpin();
    } else if (arrow && event.target === root) walk(arrow, event.shiftKey ? LEAP : STEP);
    else return;
    event.preventDefault();
  });
}
