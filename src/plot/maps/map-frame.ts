import type { Geometry } from "geojson";
import { escapeHtml } from "../../display/text/escape-html.js";
import { type Still, viewHtml } from "../../view/view.js";
import type { Figure } from "../figure/figure.js";
import type { MapPane, MapPanes } from "./map-panes.js";
import { mapShapes } from "./map-shapes.js";
import type { ToldColumn } from "./told-column.js";

/** What lies below the frame, and what it shows in words. */
export interface MapStill extends Still {
  readonly title: string;
}

/** What a map knows that can be zoomed and pointed at. */
export interface MapFacts {
  /** In the order of rows of the columns. */
  readonly features: readonly { readonly name: string; readonly geometry: Geometry }[];
  /** What is drawn below, for orientation. */
  readonly background: readonly Geometry[];
  /** Radius of points in pixels. */
  readonly radius: number;
  /** Labels of the legend; the classes of the first column are theirs. */
  readonly labels: readonly string[];
  /** Without any, all features are the first label. */
  readonly columns: readonly ToldColumn[];
  readonly dates: readonly string[];
  /** Whether there is one pane in which the dates are played, and not a pane for each. */
  readonly plays?: boolean;
}

/** Pixels below the map for the player, whatever the width. */
const PLAYER_ROOM = 42;

const style = `#figure { position: relative; outline: none; } #stage { position: relative; overflow: hidden; }
#stage > svg { position: relative; display: block; width: 100%; height: auto; pointer-events: none; } #stage > svg.siteframe-plot { background: none; }
#stage > svg [data-entry] { pointer-events: auto; } #figure:focus-visible { box-shadow: inset 0 0 0 2px var(--accent); } #figure [role=button]:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
canvas { position: absolute; } canvas.above { pointer-events: none; }
#tools { position: absolute; z-index: 2; display: flex; flex-direction: column; }
button { box-sizing: border-box; border: 1px solid var(--line); background: var(--ground); color: var(--text); font: inherit; cursor: pointer; }
#tools button { width: 26px; height: 26px; padding: 0; font: 15px/1 system-ui, sans-serif; } #tools button + button { border-top: 0; } #tools button:first-child { border-radius: 5px 5px 0 0; } #tools button:last-child { border-radius: 0 0 5px 5px; }
button:disabled { color: var(--soft); cursor: default; } button:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#hint { position: absolute; z-index: 2; pointer-events: none; display: grid; place-items: center; background: #0007; color: #fff; font-size: 14px; text-align: center; } #hint[hidden] { display: none; }
#controls { display: flex; box-sizing: border-box; height: ${PLAYER_ROOM}px; align-items: center; gap: 10px; padding: 0 8px; }
#controls input { flex: 1; min-width: 4rem; margin: 0; accent-color: var(--accent); } #play { min-width: 4.6rem; padding: 5px 10px; border-radius: 6px; } #date { min-width: 5.4rem; font-weight: 600; font-size: 13px; font-variant-numeric: tabular-nums; }
@media print { #tools, #play, #controls input { display: none; } }`;

/**
 * A map that can be zoomed and pointed at, as HTML.
 *
 * @param furniture the figure without its features: title, legend, scale bar and the like, around the frame's canvases
 */
export function mapFrame(furniture: Figure, { ground, panes }: MapPanes, map: MapFacts, still: MapStill): string {
  const { title } = still;
  const label = `${escapeHtml(title)} Plus and minus zoom, arrows move a cross, 0 shows all.`;
  const svg = furniture.toSVG();
  return viewHtml({
    title,
    still,
    style,
    room: map.plays ? PLAYER_ROOM : 0,
    body:
      `<div id="figure" role="group" aria-roledescription="map" aria-label="${label}"><div id="stage">${svg}</div>` +
      `<div id="tools"><button id="in" type="button" aria-label="Zoom in">+</button><button id="out" type="button" aria-label="Zoom out">−</button>` +
      `<button id="home" type="button" aria-label="Whole map">⌂</button></div><div id="hint" hidden></div></div>` +
      `${map.plays ? player(map.dates) : ""}<div id="tip" hidden></div><div id="said" role="status"></div>`,
    facts: { facts: factsOf(furniture, ground, panes, map) },
    script: "map",
  });
}

function player(dates: readonly string[]): string {
  const last = dates.length - 1;
  return (
    `<div id="controls"><button id="play" type="button">Play</button>` +
    `<input id="slider" type="range" min="0" max="${last}" value="${last}" aria-label="Date"><output id="date"></output></div>`
  );
}

function factsOf(furniture: Figure, ground: MapPanes["ground"], panes: readonly MapPane[], map: MapFacts) {
  const { features, background, radius, labels, columns, dates, plays = false } = map;
  const scale = furniture.scale("color");
  return {
    shapes: mapShapes([...features.map(({ geometry }) => geometry), ...background], ground),
    panes,
    origin: [ground.left, ground.top],
    radius,
    metres: ground.metresPerPixel,
    names: features.map(({ name }) => name),
    labels,
    // The caller's colours, if there are any.
    colours: labels.map((label) => String(scale?.apply(label) ?? "currentColor")),
    /** The legend's entries, in its order. */
    entries: scale?.domain ? [...scale.domain].map(String) : [],
    columns,
    dates,
    plays,
  };
}
