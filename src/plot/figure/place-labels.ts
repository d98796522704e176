// Labels next to lines and points. They are placed while the chart is drawn, since only then positions are pixels.
import type { Markish } from "@observablehq/plot";
import { readerWord } from "../../core/translate.js";
import { type SvgNode, svgElement } from "../values/palette.js";
import { textWidth } from "./svg-text.js";

/** A position in the data. */
export interface DataPoint {
  readonly x: Date | number;
  readonly y: number;
}

/** The end of a line, and the line's name. */
export interface LineEnd extends DataPoint {
  readonly name: string;
}

/** Names at the ends of lines, and whether they replace the legend. */
interface EndLabels {
  readonly hasLegend: boolean;
  /** Room for the names; undefined with a legend. */
  readonly marginRight?: number;
  readonly marks: readonly Markish[];
}

/** Pixels: font of labels, their lines, from a line to its name, and to a name that had to move. */
const [FONT, LINE, NEAR, MOVED] = [12, 14, 6, 16];
/** More lines are read from a legend, and wider names would leave too little of the figure. */
const [MOST_NAMES, WIDEST] = [6, 0.3];

/**
 * Returns the names of lines at their ends, in the lines' colors, or asks for a legend if they have no room there.
 *
 * @param width of the figure in pixels
 */
export function endLabels(ends: readonly LineEnd[], width: number): EndLabels {
  const widest = Math.max(0, ...ends.map(({ name }) => textWidth(readerWord(name), FONT, true)));
  if (ends.length < 2 || ends.length > MOST_NAMES || widest + MOVED > WIDEST * width) {
    return { hasLegend: ends.length > 1, marks: [] };
  }
  return {
    hasLegend: false,
    marginRight: Math.ceil(widest) + MOVED + 4,
    marks: [drawn((frame) => drawEnds(frame, ends))],
  };
}

/** The names below each other, each as near to its line as the others allow. They are the entries of the legend. */
function drawEnds(frame: ChartFrame, ends: readonly LineEnd[]): readonly SvgNode[] {
  const sorted = ends
    .map((end) => ({ ...end, at: frame.toPixels(end) }))
    .filter(({ at }) => at.every(Number.isFinite))
    .sort((a, b) => a.at[1] - b.at[1]);
  const heights = spread(
    sorted.map(({ at }) => at[1]),
    [frame.top, frame.bottom],
  );
  const right = Math.max(...sorted.map(({ at }) => at[0]));
  const isMoved = sorted.map(({ at: [x, y] }, index) => x < right - 1 || Math.abs((heights[index] as number) - y) > 3);
  const left = right + (isMoved.includes(true) ? MOVED : NEAR);
  return sorted.map(({ name, at: [x, y] }, index) => {
    const color = frame.colorOf(name);
    const height = heights[index] as number;
    const leader = leaderOf(frame, [x + 2, y], [left - 3, height], color);
    const text = textOf(frame, [readerWord(name)], [left, height], { fill: color });
    return frame.element("g", { "data-entry": "" }, [...(isMoved[index] ? [leader] : []), text]);
  });
}

/** Moves heights in ascending order apart, as little as possible: overlapping ones share their middle. */
function spread(wanted: readonly number[], [top, bottom]: readonly [number, number]): readonly number[] {
  const blocks: { sum: number; count: number }[] = [];
  for (const [index, height] of wanted.entries()) {
    let block = { sum: height - LINE * index, count: 1 };
    for (let last = blocks.at(-1); last && last.sum / last.count > block.sum / block.count; last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  const most = bottom - LINE * (wanted.length - 1);
  const starts = blocks.flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count));
  return starts.map((start, index) => Math.max(top, Math.min(start, most)) + LINE * index);
}

/** A label that may be anywhere near its points. */
export interface FreeLabel {
  /** The text, with a shorter one if that has no room. */
  readonly texts: readonly string[];
  /** Points that the label may be next to, the best first. */
  readonly points: readonly DataPoint[];
  readonly isBold?: boolean;
}

/**
 * Returns labels in free space, each with a line to its point unless it is next to it: neither over lines nor over each other.
 *
 * @param lines what the labels must not cover; bands as lines across
 * @param isBesideFree whether labels may be next to the frame
 */
export function freeLabels(
  labels: readonly FreeLabel[],
  lines: readonly (readonly DataPoint[])[],
  isBesideFree = true,
): Markish {
  return drawn((whole) => {
    const frame = isBesideFree ? whole : { ...whole, width: whole.right };
    const taken = lines.map((points) => points.map(frame.toPixels)).flatMap(segmentsOf);
    const boxes: Box[] = [];
    return labels.flatMap((label) => {
      const place = freePlace(
        label,
        frame,
        (box) => !boxes.some((other) => overlaps(box, other)) && !isCrossed(box, taken),
      );
      if (!place) return [];
      boxes.push(place.box);
      return drawFree(frame, place, label);
    });
  });
}

type Pixels = readonly [x: number, y: number];
/** Edges in pixels. */
interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}
interface Place {
  readonly box: Box;
  readonly point: Pixels;
  readonly lines: readonly string[];
  readonly distance: number;
}

/** Pixels from a point to its label, and the directions, the best first. */
const [NEAR_DISTANCES, FAR_DISTANCES] = [
  [5, 10, 18, 28, 40, 56],
  [76, 100, 140],
];
const DIRECTIONS = [
  [1, -1],
  [-1, -1],
  [1, 1],
  [-1, 1],
  [0, -1],
  [0, 1],
  [1, 0],
  [-1, 0],
] as const;
/** From here on a label has a line to its point. */
const FAR = 10;

/** The nearest free place; the first place within the figure if everything is taken. */
function freePlace(
  { texts, points, isBold = false }: FreeLabel,
  frame: ChartFrame,
  isFree: (box: Box) => boolean,
): Place | undefined {
  const pixels = points.map(frame.toPixels).filter((point) => point.every(Number.isFinite));
  let first: Place | undefined;
  for (const [text, distances] of attempts(texts)) {
    const lines = text.split("\n").map(readerWord);
    const size: Pixels = [textWidth(lines.join("\n"), FONT, isBold), LINE * lines.length];
    for (const distance of distances) {
      for (const point of pixels) {
        for (const direction of DIRECTIONS) {
          const place = { box: boxAt(point, size, direction, distance), point, lines, distance };
          if (!isInside(place.box, frame)) continue;
          first ??= place;
          if (isFree(place.box)) return place;
        }
      }
    }
  }
  return first;
}

/** A shorter text is better than one far away. */
function attempts(texts: readonly string[]): readonly (readonly [text: string, distances: readonly number[]])[] {
  return [NEAR_DISTANCES, FAR_DISTANCES].flatMap((distances) => texts.map((text) => [text, distances] as const));
}

function boxAt([x, y]: Pixels, [width, height]: Pixels, [toX, toY]: Pixels, distance: number): Box {
  const along = toX !== 0 && toY !== 0 ? distance / Math.SQRT2 : distance;
  const left = x + toX * along - (width * (1 - toX)) / 2;
  const top = y + toY * along - (height * (1 - toY)) / 2;
  return { left, right: left + width, top, bottom: top + height };
}

/** Labels may be above the axes and next to them, but not over them. */
function isInside({ left, right, top, bottom }: Box, frame: ChartFrame): boolean {
  return left >= frame.left + 2 && right <= frame.width - 2 && top >= 2 && bottom <= frame.bottom - 2;
}

function overlaps(one: Box, other: Box): boolean {
  const gap = 4;
  const isApart =
    one.right + gap < other.left ||
    other.right + gap < one.left ||
    one.bottom + 1 < other.top ||
    other.bottom + 1 < one.top;
  return !isApart;
}

type Segment = readonly [from: Pixels, to: Pixels];

function segmentsOf(points: readonly Pixels[]): readonly Segment[] {
  const drawnPoints = points.filter((point) => point.every(Number.isFinite));
  return drawnPoints.map((point, index): Segment => [drawnPoints[Math.max(index - 1, 0)] as Pixels, point]);
}

/** Whether a line passes through a box, with a margin of some pixels. */
function isCrossed(box: Box, segments: readonly Segment[]): boolean {
  const margin = 2;
  const low = [box.left - margin, box.top - margin] as const;
  const high = [box.right + margin, box.bottom + margin] as const;
  return segments.some(([from, to]) => {
    // The part of the segment between both edges along each axis; it passes through the box if both parts overlap.
    let [start, end] = [0, 1];
    for (const axis of [0, 1] as const) {
      const way = to[axis] - from[axis];
      if (way === 0) {
        if (from[axis] < low[axis] || from[axis] > high[axis]) return false;
        continue;
      }
      const [one, other] = [(low[axis] - from[axis]) / way, (high[axis] - from[axis]) / way];
      [start, end] = [Math.max(start, Math.min(one, other)), Math.min(end, Math.max(one, other))];
    }
    return start <= end;
  });
}

function drawFree(
  frame: ChartFrame,
  { box, point, lines, distance }: Place,
  { isBold }: FreeLabel,
): readonly SvgNode[] {
  const isLeft = point[0] > box.right;
  const [x, anchor] = isLeft ? [box.right, "end"] : [box.left, "start"];
  const text = textOf(frame, lines, [x, box.top + LINE / 2], {
    fill: "currentColor",
    "text-anchor": anchor,
    "font-weight": isBold ? 700 : 400,
  });
  const nearest: Pixels = [
    Math.max(box.left, Math.min(point[0], box.right)),
    Math.max(box.top + 2, Math.min(point[1], box.bottom - 2)),
  ];
  return distance < FAR ? [text] : [leaderOf(frame, point, nearest, "currentColor"), text];
}

/** The chart that is being drawn, in pixels. */
interface ChartFrame {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  /** Right end of the frame. */
  readonly right: number;
  readonly width: number;
  readonly toPixels: (point: DataPoint) => Pixels;
  readonly colorOf: (name: string) => string;
  readonly element: (
    name: string,
    attributes: Readonly<Record<string, string | number>>,
    children?: readonly SvgNode[],
  ) => SvgNode;
  readonly document: { createTextNode(text: string): SvgNode };
}

/** The used parts of what Plot passes to a mark. */
interface Scales {
  readonly x: (value: Date | number) => number;
  readonly y: (value: number) => number;
  readonly color?: (name: string) => unknown;
}
interface Dimensions {
  readonly width: number;
  readonly height: number;
  readonly marginTop: number;
  readonly marginBottom: number;
  readonly marginLeft: number;
  readonly marginRight: number;
}

/** A mark that draws the elements of a function. Plot moves it to the panel of a chart with one panel. */
function drawn(draw: (frame: ChartFrame) => readonly SvgNode[]): Markish {
  return ((
    _index: unknown,
    scales: Scales,
    _values: unknown,
    dimensions: Dimensions,
    context: { document: object },
  ) => {
    const { width, height, marginTop, marginBottom, marginLeft, marginRight } = dimensions;
    const element: ChartFrame["element"] = (name, attributes, children) =>
      svgElement(context.document, name, attributes, children);
    const nodes = draw({
      ...{
        top: marginTop,
        bottom: height - marginBottom,
        left: marginLeft,
        right: width - marginRight,
        width,
        element,
      },
      toPixels: ({ x, y }) => [scales.x(x), scales.y(y)],
      // Hatching is illegible as text.
      colorOf: (name) => String(scales.color?.(name) ?? "currentColor").replace(/^url.*/, "currentColor"),
      document: context.document as ChartFrame["document"],
    });
    return element("g", {}, nodes);
  }) as unknown as Markish;
}

function textOf(
  { element, document }: ChartFrame,
  lines: readonly string[],
  [x, y]: Pixels,
  attributes: Readonly<Record<string, string | number>>,
): SvgNode {
  const halo = {
    stroke: "var(--plot-background)",
    "stroke-width": 3,
    "stroke-linejoin": "round",
    "paint-order": "stroke",
  };
  const spans = lines.map((line, index) =>
    element("tspan", { x: 0, y: `${(index * LINE) / FONT + 0.32}em` }, [document.createTextNode(line)]),
  );
  return element(
    "text",
    {
      transform: `translate(${round(x)},${round(y)})`,
      ...halo,
      "text-anchor": "start",
      "font-size": FONT,
      "font-weight": 600,
      ...attributes,
    },
    spans,
  );
}

function leaderOf({ element }: ChartFrame, from: Pixels, to: Pixels, stroke: string): SvgNode {
  const [[x1, y1], [x2, y2]] = [from.map(round) as unknown as Pixels, to.map(round) as unknown as Pixels];
  return element("path", { d: `M${x1},${y1}L${x2},${y2}`, stroke, "stroke-opacity": 0.7, fill: "none" });
}

function round(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}
