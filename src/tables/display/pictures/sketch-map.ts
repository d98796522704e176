import { type FlatShape, flatShapes } from "./flat-shape.js";
import { type MapFrame, mapFrame } from "./map-frame.js";
import { type Picture, pictureColours, svgDocument } from "./picture.js";
import { sampleEvenly } from "./sample-evenly.js";
import { shapePath } from "./shape-path.js";

/** More features than this are sampled. */
const maxFeatures = 600;
/** More shapes than this, of collections and multi-geometries, are sampled too. */
const maxShapes = 2000;
/** Corners of all shapes together; what has more is drawn with fewer. */
const maxCorners = 12_000;
const footer = 20;

/** What a small map is drawn from. */
export interface MapSource {
  readonly count: number;
  /** The GeoJSON geometry of a row, or anything else where there is none. */
  readonly geometryAt: (row: number) => unknown;
}

/**
 * A small map of many geometries as an SVG of bounded size: at most 600 of them, evenly sampled.
 *
 * @returns undefined if none of them has a place
 */
export function sketchMap({ count, geometryAt }: MapSource): Picture | undefined {
  const drawn = Math.min(count, maxFeatures);
  const features = Array.from({ length: drawn }, (_, index) =>
    flatShapes(geometryAt(Math.floor((index * count) / drawn))),
  ).filter((shapes) => shapes.length > 0);
  const shapes = sampleEvenly(features.flat(), maxShapes);
  const frame = mapFrame(shapes);
  if (!frame) return undefined;
  const caption = captionOf(features.length, drawn, count, frame);
  const { width, height } = frame;
  const content = `${marks(shapes, frame)}${furniture(frame)}`;
  return { svg: svgDocument(width, height + footer, caption, content), width, height: height + footer, caption };
}

function captionOf(placed: number, drawn: number, count: number, { sides }: MapFrame): string {
  const all = count.toLocaleString("en-US");
  const features = count === 1 ? "feature" : "features";
  const what =
    count > drawn
      ? `${placed} of ${all} ${features}, evenly sampled`
      : placed < count
        ? `${placed} of ${all} ${features}, the others have no place`
        : `${all} ${features}`;
  const [east, north] = sides;
  const size =
    east < 1 && north < 1
      ? "one place"
      : `${lengthText(east)} from west to east, ${lengthText(north)} from south to north`;
  return `Map of ${what}: ${size}. North is up.`;
}

function lengthText(metres: number): string {
  if (metres < 1000) return `${Math.round(metres)} m`;
  return `${(metres / 1000).toLocaleString("en-US", { maximumSignificantDigits: 3 })} km`;
}

function marks(shapes: readonly FlatShape[], frame: MapFrame): string {
  const corners = Math.floor(maxCorners / shapes.length);
  const paths = { area: "", line: "", point: "" };
  for (const shape of shapes) {
    const { kind, path } = shapePath(shape, frame, corners);
    // Areas one by one, because they may overlap; points together, because they are short.
    if (kind === "point") paths.point += path;
    else paths[kind] += `<path d="${path}"/>`;
  }
  const { mark } = pictureColours;
  const radius = Math.min(3, Math.max(1, Math.sqrt((frame.width * frame.height) / shapes.length) / 4));
  return (
    `<g transform="scale(.1)" stroke="${mark}" stroke-linejoin="round" stroke-linecap="round">` +
    `<g fill="${mark}" fill-opacity=".4" fill-rule="evenodd" stroke-width="7">${paths.area}</g>` +
    `<g fill="none" stroke-width="18">${paths.line}</g>` +
    `${paths.point === "" ? "" : `<path fill="none" stroke-width="${Math.round(20 * radius)}" d="${paths.point}"/>`}</g>`
  );
}

/** A scale bar and an arrow to the north, below the map. */
function furniture({ width, height, metres }: MapFrame): string {
  const { text } = pictureColours;
  const base = height + footer - 6;
  const bar = barLength((width / 3) * metres);
  const label = bar >= 1000 ? `${bar / 1000} km` : `${bar} m`;
  const length = (bar / metres).toFixed(1);
  const right = width - 14;
  return (
    `<path d="M8 ${base - 5}v5h${length}v-5" fill="none" stroke="${text}" stroke-width="1.2"/>` +
    `<g fill="${text}"><text x="${(Number(length) + 14).toFixed(1)}" y="${base}">${label}</text>` +
    `<text x="${right - 8}" y="${base}" text-anchor="end">N</text>` +
    `<path d="M${right} ${base - 12}l4 12l-4 -3l-4 3Z"/></g>`
  );
}

/** The longest of 1, 2 or 5 times a power of ten that is not longer than `most`. */
function barLength(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1) * power;
}
