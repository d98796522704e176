// The tools of a map: search, next feature, measuring, copying, picture, full screen. They are below the map, with a
// line that shows the selection or the measurement.

import { area } from "@turf/area";
import { distance } from "@turf/distance";
import { formatArea, formatCoordinates, formatLength } from "../../core/format/format-geometry.js";
import type { MapPayload } from "../../tables/display/live/map-payload.js";
import { boxOf, find, make, makeButton, many, on } from "../page/elements.js";
import { saveFile, toClipboard } from "../page/save-data.js";
import { placeTooltip } from "../page/tooltip.js";
import type { MapTool, MapView, PanePlace } from "./map-view.js";

interface ToolsOptions {
  readonly stage: HTMLElement;
  /**
   * Longitude and latitude of a position in pixels of the whole map; undefined off the globe, and in an unknown
   * projection.
   */
  lonLatOf(x: number, y: number): readonly [longitude: number, latitude: number] | undefined;
  /** In pixels of the whole map. */
  centerOf(row: number): readonly [x: number, y: number];
  /** Whether a row is currently on any pane. */
  isSeen(row: number): boolean;
  /** Shows a feature, selects it and shows its description. */
  goTo(row: number, isClose: boolean): void;
  mark(): void;
}

export interface MapTools {
  /** Updates the line with the selection or the measurement. */
  refresh(): void;
  /** Switches to another tool, or back to moving the map if it is already active. */
  take(tool: MapTool): void;
  measureTo(x: number, y: number): void;
  /** Removes the measurement, or its last point. */
  forget(isLast?: boolean): void;
  /** Goes to the next visible feature in the order of the table, or to the previous one. */
  step(by: 1 | -1): void;
  /** Opens the menu for a position. */
  offer(place: PanePlace): void;
  copyPlace(): void;
}

type MenuItem = readonly [label: string, act: () => void];

/** Maximum number of names in the line of the selection. */
const NAMED = 40;

/** Shows a message, and reads it aloud. */
type Say = (text: string) => void;
/** Copies a string, and reports it. */
type Give = (text: string, what: string) => void;

/** The line below a map. */
function statusText(map: MapView, names: readonly string[], { lonLatOf }: ToolsOptions): string {
  const { size } = map.selection.rows;
  if (map.tool === "measure" || map.measured.length > 0) {
    if (map.measured.length < 2) return `${isTouch() ? "Tap" : "Click"} places on the map to measure between them`;
    return measuredText(
      map.measured.flatMap(([x, y]) => {
        const place = lonLatOf(x, y);
        return place ? [place] : [];
      }),
    );
  }
  if (size > 0) {
    const first = [...map.selection.rows].slice(0, NAMED).map((row) => names[row]);
    return `${many(size)} selected: ${first.join(", ")}${size > NAMED ? " …" : ""}`;
  }
  if (map.tool === "lasso") return "Draw around features to select them";
  if (map.isSelected) return "";
  return isTouch() ? "Tap to select" : "Click to select, Shift and drag for several";
}

/** Whether the page is used with fingers. */
const isTouch = () => matchMedia("(pointer: coarse)").matches;

/** The search for names and ids. */
function listenToSearch(
  names: readonly string[],
  ids: readonly unknown[],
  { isSeen, goTo }: ToolsOptions,
  say: Say,
): void {
  const field = find<HTMLInputElement>("find");
  let [asked, at, matches] = ["", 0, [] as readonly number[]];
  const look = () => {
    const wanted = field.value.trim();
    if (wanted === "") return;
    at = wanted === asked ? at + 1 : 0;
    if (wanted !== asked) matches = matching(wanted.toLowerCase(), names, ids);
    asked = wanted;
    const seen = matches.filter(isSeen);
    if (seen.length === 0) {
      return say(matches.length > 0 ? `“${wanted}” is outside the map view` : `No feature is named “${wanted}”`);
    }
    goTo(seen[at % seen.length] as number, true);
    if (seen.length > 1) {
      find("told").textContent =
        `${many((at % seen.length) + 1)} of ${many(seen.length)} with “${wanted}”; Enter shows the next`;
    }
  };
  field.onkeydown = (event) => {
    if (event.key === "Enter") look();
    else if (event.key !== "Escape") return;
    else find("figure").focus();
    event.preventDefault();
    event.stopPropagation();
  };
}

/** Coordinates of places on a map. */
function mapPlaces(map: MapView, names: readonly string[], { lonLatOf, centerOf }: ToolsOptions, say: Say, give: Give) {
  const menu = mapMenu();
  /** The crosshair, the pointer if given, a single selected feature, or the middle; in pixels of the whole map. */
  const spot = (pointer?: PanePlace): readonly [what: string, x: number, y: number] => {
    const [row] = map.selection.rows;
    const { cross, zoom, left, top, width, height } = map;
    const place = cross ?? pointer;
    if (place) return ["the place", (place.x - left) / zoom, (place.y - top) / zoom];
    if (row !== undefined && map.selection.rows.size === 1) return [names[row] as string, ...centerOf(row)];
    return ["the middle", (width / 2 - left) / zoom, (height / 2 - top) / zoom];
  };
  const copyPlace = (pointer?: PanePlace) => {
    const [, x, y] = spot(pointer);
    const lonLat = lonLatOf(x, y);
    if (lonLat) give(formatCoordinates(lonLat), formatCoordinates(lonLat));
    else say("No coordinates at this place");
  };
  const offer = ({ x, y, pane }: PanePlace, measureFrom: (x: number, y: number) => void) => {
    const [mapX, mapY] = [(x - map.left) / map.zoom, (y - map.top) / map.zoom];
    const lonLat = lonLatOf(mapX, mapY);
    if (!lonLat) return;
    const text = formatCoordinates(lonLat);
    const box = boxOf(pane.canvas);
    menu.open(box.left + x * map.fit, box.top + y * map.fit, find("figure"), [
      [`Copy ${text}`, () => give(text, text)],
      ["Measure from here", () => measureFrom(mapX, mapY)],
    ]);
  };
  return { menu, spot, copyPlace, offer };
}

interface ItemsOptions extends Pick<MapPayload, "names" | "ids" | "plane" | "links"> {
  readonly stage: HTMLElement;
  readonly places: ReturnType<typeof mapPlaces>;
  readonly say: Say;
  readonly give: Give;
  copyIds(): void;
}

/** The items of the menu below a map. */
function menuItems(map: MapView, options: ItemsOptions): readonly MenuItem[] {
  const { names, ids, plane, links, stage, places, say, give, copyIds } = options;
  const isFull = document.fullscreenElement !== null;
  const rows = [...map.selection.rows];
  const size = rows.length;
  const copyNames = () => give(rows.map((row) => names[row]).join("\n"), `${many(size)} names`);
  // Empty if the host does not allow opening links.
  const link = (size === 1 && links?.[rows[0] as number]) || "";
  return [
    ...(plane ? [[`Copy coordinates of ${places.spot()[0]}`, () => places.copyPlace()] as const] : []),
    ...(size > 0 ? [[`Copy ids of ${many(size)} selected`, copyIds] as const] : []),
    ...(size > 0 && ids ? [[`Copy names of ${many(size)} selected`, copyNames] as const] : []),
    ...(link ? [["Copy link", () => give(link, link)] as const] : []),
    ["Save as PNG", () => void savePicture(stage, map).catch(() => say("The browser cannot draw a picture"))],
    ...(document.fullscreenEnabled
      ? [[isFull ? "Leave full screen" : "Full screen", () => void toggleFullScreen()] as const]
      : []),
  ];
}

export function mapTools(map: MapView, payload: MapPayload, ids: readonly unknown[], options: ToolsOptions): MapTools {
  const { names, plane } = payload;
  const { stage, lonLatOf, isSeen, goTo, mark } = options;
  const [said, told, more, copy, clear] = [find("said"), find("told"), find("more"), find("copy"), find("clear")];
  const toggles = ["lasso", "measure"] as const;
  find("measure").hidden = !plane;

  const say = (text: string) => {
    told.textContent = said.textContent = text;
  };
  const describe = () => statusText(map, names, options);
  const refresh = () => {
    const isMeasured = map.measured.length > 0;
    map.isSelected ||= map.selection.rows.size > 0;
    told.textContent = describe();
    copy.textContent = isMeasured ? "Copy" : "Copy ids";
    copy.hidden = isMeasured ? map.measured.length < 2 : map.selection.rows.size === 0;
    clear.hidden = !isMeasured && map.selection.rows.size === 0;
    for (const name of toggles) find(name).setAttribute("aria-pressed", String(map.tool === name));
    stage.classList.toggle("draws", map.tool !== "move");
    stage.style.touchAction = map.zoom > 1 || map.tool === "lasso" ? "none" : "pan-y";
  };
  const give = (text: string, what: string) =>
    say(toClipboard(text) ? `Copied ${what}` : "The browser blocked copying");
  const copyIds = () => give(map.selection.ids().join("\n"), `${many(map.selection.rows.size)} ids`);
  const take = (tool: MapTool) => {
    map.tool = map.tool === tool ? "move" : tool;
    if (map.tool === "measure") map.measured = [];
    refresh();
    said.textContent = told.textContent;
    mark();
  };
  const forget = (isLast = false) => {
    map.measured = isLast ? map.measured.slice(0, -1) : [];
    refresh();
    mark();
  };
  const measureTo = (x: number, y: number) => {
    if (!lonLatOf(x, y)) return;
    map.measured = [...map.measured, [x, y]];
    refresh();
    said.textContent = told.textContent;
    mark();
  };

  const step = (by: 1 | -1) => {
    const { length } = names;
    const from = map.at?.row ?? [...map.selection.rows].at(-1) ?? (by > 0 ? -1 : length);
    for (let gone = 1; gone <= length; gone += 1) {
      const row = (((from + by * gone) % length) + length) % length;
      if (isSeen(row)) return goTo(row, false);
    }
    say("No features in the map view");
  };

  const places = mapPlaces(map, names, options, say, give);
  const measureFrom = (x: number, y: number) => {
    if (map.tool !== "measure") take("measure");
    measureTo(x, y);
  };
  const openMenu = () => {
    const { left, top } = boxOf(more);
    places.menu.open(left, top, more, menuItems(map, { ...payload, stage, places, say, give, copyIds }));
  };

  more.onclick = openMenu;
  copy.onclick = () => (map.measured.length > 0 ? give(describe(), "the measurement") : copyIds());
  clear.onclick = () => {
    if (map.measured.length > 0) forget();
    else map.selection.set([]);
    find("figure").focus();
  };
  for (const name of toggles) find(name).onclick = () => take(name);
  find("next").onclick = () => step(1);
  find("before").onclick = () => step(-1);
  listenToSearch(names, ids, options, say);
  refresh();
  return {
    ...{ refresh, take, measureTo, forget, step },
    offer: (place) => places.offer(place, measureFrom),
    copyPlace: () => places.copyPlace(map.pointer),
  };
}

/** Rows with exactly this name, then rows whose name or id begins with it, then rows that contain it. */
function matching(wanted: string, names: readonly string[], ids: readonly unknown[]): readonly number[] {
  const found: [number[], number[], number[]] = [[], [], []];
  for (const [row, name] of names.entries()) {
    const places = [name, String(ids[row])].map((text) => {
      const lower = text.toLowerCase();
      return lower === wanted
        ? 0
        : [Infinity, 2, 1][Math.sign(lower.indexOf(wanted) + 1) + Number(lower.startsWith(wanted))];
    });
    found[Math.min(...(places as number[]))]?.push(row);
  }
  return found[0].length > 0 ? found[0] : [...found[1], ...found[2]];
}

async function toggleFullScreen(): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen();
}

/** Saves the visible map, in the resolution of the screen. */
async function savePicture(stage: HTMLElement, { fit, sharp, panes }: MapView): Promise<void> {
  const box = boxOf(stage);
  const scale = sharp / fit;
  const sheet = make("canvas", { width: Math.round(box.width * scale), height: Math.round(box.height * scale) });
  const pen = sheet.getContext("2d") as CanvasRenderingContext2D;
  const style = getComputedStyle(document.documentElement);
  pen.fillStyle = style.backgroundColor;
  pen.fillRect(0, 0, sheet.width, sheet.height);
  const put = (canvas: HTMLCanvasElement) => {
    const { left, top, width, height } = boxOf(canvas);
    pen.drawImage(canvas, (left - box.left) * scale, (top - box.top) * scale, width * scale, height * scale);
  };
  for (const { canvas } of panes) put(canvas);
  const drawn = stage.querySelector("svg") as SVGSVGElement;
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const { width, height } = boxOf(drawn);
  copy.setAttribute("width", String(width * scale));
  copy.setAttribute("height", String(height * scale));
  copy.style.cssText += `;color:${style.color};background:none;--faint:${style.getPropertyValue("--faint")}`;
  const image = make("img", {
    src: `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`,
  });
  await image.decode();
  pen.drawImage(image, 0, 0);
  for (const { above } of panes) put(above);
  const content = await new Promise<Blob | null>((done) => sheet.toBlob(done));
  if (!content) throw new Error("no picture");
  saveFile("map.png", content);
}

/** A menu that opens next to a position in the frame. */
function mapMenu() {
  const menu = find("menu");
  let opener: HTMLElement | undefined;
  const close = () => {
    menu.hidden = true;
    opener?.setAttribute("aria-expanded", "false");
  };
  const open = (x: number, y: number, by: HTMLElement, items: readonly MenuItem[]) => {
    opener = by;
    menu.replaceChildren(
      ...items.map(([label, act]) => {
        const onclick = () => {
          close();
          by.focus();
          act();
        };
        return makeButton({ role: "menuitem", tabIndex: -1, onclick }, label);
      }),
    );
    menu.hidden = false;
    if (by.hasAttribute("aria-haspopup")) by.setAttribute("aria-expanded", "true");
    placeTooltip(menu, x, y);
    (menu.firstElementChild as HTMLElement).focus();
  };
  menu.onkeydown = (event) => {
    const all = [...menu.children] as HTMLElement[];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (to !== undefined) all.at(to % all.length)?.focus();
    else if (event.key === "Escape") {
      close();
      opener?.focus();
    } else if (event.key === "Tab") return close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  on(menu, "focusout", ({ relatedTarget }) => {
    if (!menu.contains(relatedTarget as Node | null)) close();
  });
  on(document, "pointerdown", ({ target }) => {
    if (!menu.contains(target as Node)) close();
  });
  return { open };
}

// Lengths and areas on the sphere, computed as in layers.

type LonLat = readonly [longitude: number, latitude: number];

/** Length of a line in meters. */
function lengthOf(line: readonly LonLat[]): number {
  const metres = line.map(([x, y], at) => {
    const [fromX, fromY] = line[Math.max(0, at - 1)] as LonLat;
    return distance([fromX, fromY], [x, y], { units: "meters" });
  });
  return metres.reduce((sum, one) => sum + one, 0);
}

/** Length and, for three points or more, the enclosed area. */
function measuredText(line: readonly LonLat[]): string {
  const length = lengthOf(line);
  const text = formatLength(length);
  const [first] = line;
  if (line.length < 3 || !first) return text;
  const size = area({ type: "Polygon", coordinates: [[...line, first].map(([x, y]) => [x, y])] });
  return `${text}, area ${formatArea(size)}`;
}
