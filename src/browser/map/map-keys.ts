// Keys and buttons of a map. Arrows move a crosshair; the feature under it is shown and read aloud.
import { find, on } from "../page/elements.js";
import type { MapTools } from "./map-tools.js";
import type { MapActions, MapView } from "./map-view.js";

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Distance in pixels from a pane's edge within which the map moves instead of the crosshair. */
const EDGE = 16;
/** Pixels of a step, without and with Shift. */
const [STEP, LEAP] = [12, 60];

export function listenToKeys(root: HTMLElement, map: MapView, actions: MapActions, tools: MapTools): void {
  const { look, unpin, move, magnify, showAll, click } = actions;
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
    unpin();
    look(cross.pane, cross.x, cross.y, true);
  };
  /** Ends the last action: the tool with its drawing, else the selection and the tooltip. */
  const cancel = () => {
    if (map.tool !== "move" || map.measured.length > 0) {
      if (map.tool !== "move") tools.take(map.tool);
      return tools.forget();
    }
    map.cross = undefined;
    unpin();
    map.selection.set([]);
  };
  const enter = (isMore: boolean) => {
    const link = find("tip").querySelector("a");
    if (map.cross && !(map.isPinned && link)) click(map.cross, isMore);
    else link?.focus();
  };
  const keys: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    enter: ({ ctrlKey, metaKey }) => enter(ctrlKey || metaKey),
    backspace: () => tools.forget(true),
    n: () => tools.step(1),
    p: () => tools.step(-1),
    c: tools.copyPlace,
    l: () => tools.take("lasso"),
    m: () => tools.take("measure"),
    "/": () => find("find").focus(),
  };
  on(root, "keydown", (event) => {
    const { key } = event;
    if (event.altKey || ((event.ctrlKey || event.metaKey) && key !== "Enter")) return;
    const arrow = ARROWS[key];
    const act = keys[key.toLowerCase()];
    if (key === "+" || key === "=") magnify(2, map.cross?.x, map.cross?.y);
    else if (key === "-") magnify(0.5, map.cross?.x, map.cross?.y);
    else if (key === "0") showAll();
    // Entries of the legend handle their own keys.
    else if (event.target !== root) return;
    else if (arrow) walk(arrow, event.shiftKey ? LEAP : STEP);
    else if (act) act(event);
    else return;
    event.preventDefault();
  });
  // For any focus: on a button below the map, or on the link of a card.
  on(document, "keydown", ({ key, target }) => {
    if (key !== "Escape") return;
    if (find("tip").contains(target as Node)) return root.focus();
    cancel();
  });
}
