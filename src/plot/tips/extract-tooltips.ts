import type { Series, Step, TooltipMark } from "../../tables/display/live/chart-payload.js";
import type { PlotNode, PlotScale, RenderedMark } from "./rendered-mark.js";
import { plainText, tooltipChannels } from "./tooltip-channels.js";

/** Attribute of the groups of marks: the index of their tooltips. */
const MARK_ATTRIBUTE = "data-mark";

/** The same mark without tooltips, since another mark has them. */
export function silent<T extends object>(mark: T): T {
  return Object.assign(mark, { isSilent: true });
}

interface DrawingMark {
  render(...args: unknown[]): unknown;
  readonly tip?: unknown;
}

/**
 * Draws, and records the data of the drawn marks. The options are not read: marks are inspected when Plot draws them, after
 * any transforms.
 *
 * @param marks as `plot()` accepts them
 * @param draw draws them, synchronously
 * @returns the drawing, and a function that returns the tooltips of its marks and marks their groups with `MARK_ATTRIBUTE`.
 *   The cost arises only if the figure is displayed
 */
export function extractTooltips<T>(
  marks: unknown,
  draw: () => T,
): readonly [drawn: T, tell: () => readonly TooltipMark[]] {
  const owners = new Set(drawingMarks(marks));
  // If any mark has Plot's option `tip`, it selects the marks with tooltips.
  const hasTips = [...owners].some(({ tip }) => tip !== undefined && tip !== null);
  const pointable: RenderedMark[] = [];
  const ownProperties = new Map<DrawingMark, PropertyDescriptor | undefined>();
  const take = (rendered: RenderedMark) => {
    if ((!hasTips || rendered.mark.tip) && isPointable(rendered)) pointable.push(rendered);
  };
  for (const mark of owners) {
    ownProperties.set(mark, Object.getOwnPropertyDescriptor(mark, "render"));
    Object.defineProperty(mark, "render", {
      configurable: true,
      writable: true,
      value: watched(mark, mark.render, take),
    });
  }
  try {
    return [draw(), () => tellMarks(pointable)];
  } finally {
    for (const [mark, descriptor] of ownProperties) {
      if (descriptor) Object.defineProperty(mark, "render", descriptor);
      else Reflect.deleteProperty(mark, "render");
    }
  }
}

function tellMarks(marks: readonly RenderedMark[]): readonly TooltipMark[] {
  const tooltips: TooltipMark[] = [];
  for (const mark of marks) {
    const tooltip = tooltipMark(mark);
    if (!tooltip) continue;
    mark.node.setAttribute(MARK_ATTRIBUTE, String(tooltips.length));
    tooltips.push(tooltip);
  }
  return tooltips;
}

function watched(mark: DrawingMark, render: DrawingMark["render"], take: (rendered: RenderedMark) => void) {
  return (index: unknown, scales: unknown, values: unknown, dimensions: unknown, ...rest: unknown[]): unknown => {
    const node = render.call(mark, index, scales, values, dimensions, ...rest);
    if (isNode(node) && index) take({ mark, index, scales, values, dimensions, node } as unknown as RenderedMark);
    return node;
  };
}

/** Marks may be in nested arrays; functions and elements among them have no tooltips. */
function drawingMarks(marks: unknown): DrawingMark[] {
  if (Array.isArray(marks)) return marks.flatMap(drawingMarks);
  const isMark = typeof marks === "object" && marks !== null && typeof Reflect.get(marks, "render") === "function";
  return isMark ? [marks as DrawingMark] : [];
}

function isNode(value: unknown): value is PlotNode {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "setAttribute") === "function";
}

/** Marks without data, and shapes that are computed from all data at once. */
const FURNITURE =
  /^(tip|[xy]-axis|[xy]-grid|f[xy]-axis|frame|hatch|background|text|linear-regression|hexgrid|contour|density|raster|delaunay|voronoi|hull)/;

/** Whether a mark has data to point at. */
function isPointable(rendered: RenderedMark): boolean {
  const { mark, index, values } = rendered;
  if (index.length === 0 || mark.isSilent || FURNITURE.test(mark.ariaLabel ?? "")) return false;
  const { channels } = values;
  if (mark.ariaLabel === "rule" && isReference(channels)) return false;
  return Boolean(channels?.["geometry"] || values.x || values.x1 || values.y || values.y1);
}

/** A rule with only a position, which is on the axis: a zero line, a limit. */
function isReference(channels: RenderedMark["values"]["channels"] = {}): boolean {
  const tooltip = Object.entries(channels).filter(([, channel]) => channel?.value);
  return tooltip.length < 2 && tooltip.every(([, channel]) => channel?.label === undefined);
}

/** The tooltips of a mark; undefined without any. */
function tooltipMark(rendered: RenderedMark): TooltipMark | undefined {
  const channels = tooltipChannels(rendered);
  if (channels.length === 0) return undefined;
  const kind = kindOf(rendered.mark.ariaLabel ?? "");
  const series = seriesOf(rendered);
  const rows = drawnRows(rendered);
  return {
    kind,
    ...(kind === "shape" ? {} : kind === "box" ? boxes(rendered) : points(rendered)),
    channels,
    ...(series ? { series } : {}),
    ...(rows ? { rows } : {}),
    ...(kind === "path" ? pathsOf(rendered) : {}),
  };
}

function kindOf(label: string): TooltipMark["kind"] {
  if (/^(bar|rect|cell|rule)/.test(label)) return "box";
  if (/^(line|area|(positive|negative) difference)/.test(label)) return "path";
  return label === "geo" ? "shape" : "dot";
}

/** Pixels next to a rule that belong to it. */
const BESIDE = 4;

/** A box with only x or y spans the frame. */
function boxes(rendered: RenderedMark) {
  const { mark, values, scales, dimensions } = rendered;
  const { x, x1, x2, y, y1, y2 } = values;
  const { width, height, marginLeft, marginRight, marginTop, marginBottom } = dimensions;
  const [left, top] = facetOffset(rendered);
  const near = (channel: readonly number[] | undefined, edge: number, offset: number) =>
    atRows(rendered, (row) => (channel ? (channel[row] as number) : edge) + offset);
  const isRule = mark.ariaLabel === "rule";
  const [besideX, besideY] = [isRule && x && !x1 ? BESIDE : 0, isRule && y && !y1 ? BESIDE : 0];
  return {
    x: near(x1 ?? x, marginLeft, left - besideX),
    x2: near(x2 ?? shifted(x1 ?? x, scales["x"]), width - marginRight, left + besideX),
    y: near(y1 ?? y, marginTop, top - besideY),
    y2: near(y2 ?? shifted(y1 ?? y, scales["y"]), height - marginBottom, top + besideY),
  };
}

/** For an area the upper edge, as in `y2`; for a band and a link the middle. */
function points(rendered: RenderedMark) {
  const { mark, values, scales, dimensions } = rendered;
  const { x, x1, x2, y, y1, y2 } = values;
  const [left, top] = facetOffset(rendered);
  const halfX = (scales["x"]?.bandwidth?.() ?? 0) / 2;
  const halfY = (scales["y"]?.bandwidth?.() ?? 0) / 2;
  const between = (from: readonly number[] | undefined, to: readonly number[] | undefined) =>
    from && to && from.map((one, row) => (one + (to[row] as number)) / 2);
  const middle = x ?? between(x1, x2) ?? x1;
  const isLink = /^(link|arrow)/.test(mark.ariaLabel ?? "");
  const upper = (isLink ? between(y1, y2) : undefined) ?? y2 ?? y ?? y1;
  return {
    x: atRows(rendered, (row) => (middle ? (middle[row] ?? Number.NaN) + halfX : dimensions.width / 2) + left),
    y: atRows(rendered, (row) => (upper ? (upper[row] ?? Number.NaN) + halfY : dimensions.height / 2) + top),
  };
}

function shifted(channel: readonly number[] | undefined, scale: PlotScale | undefined): readonly number[] | undefined {
  const room = scale?.bandwidth?.() ?? 0;
  return channel?.map((value) => value + room);
}

/** Rounded to a tenth of a pixel. JSON has null for a missing position: a gap in a line. */
function atRows({ index }: RenderedMark, value: (row: number) => number): readonly number[] {
  return Array.from(index, (row) => Math.round(value(row) * 10) / 10);
}

/** Position of the facet of the mark in the chart. */
function facetOffset({ index, scales, dimensions }: RenderedMark): readonly [x: number, y: number] {
  const { fx, fy } = scales;
  const x = fx && index.fx !== undefined ? fx(index.fx) - dimensions.marginLeft : 0;
  const y = fy && index.fy !== undefined ? fy(index.fy) - dimensions.marginTop : 0;
  return [x, y];
}

function seriesOf({ index, values }: RenderedMark): Series | undefined {
  const channels = values.channels ?? {};
  const name = (["fill", "stroke"] as const).find((key) => channels[key]?.scale === "color");
  const channel = name && channels[name];
  if (!name || !channel?.value) return undefined;
  const { value } = channel;
  if (Array.from(index).some((row) => typeof value[row] === "number")) return undefined;
  const codes: number[] = [];
  const codeOf = new Map<string, number>();
  const colours: string[] = [];
  for (const row of index) {
    const label = plainText(value[row]);
    const code = codeOf.get(label) ?? codeOf.size;
    if (code === codeOf.size) {
      codeOf.set(label, code);
      colours.push(String(values[name]?.[row] ?? ""));
    }
    codes.push(code);
  }
  return { codes, labels: [...codeOf.keys()], colours };
}

/** Plot binds its rows to each path. */
function pathsOf({ mark, index, node }: RenderedMark): Pick<TooltipMark, "paths" | "step"> {
  const step = stepOf(mark.curve);
  const paths = new Map<unknown, number>();
  for (const [path, { __data__: bound }] of Array.from(node.children).entries()) {
    if (Array.isArray(bound) || ArrayBuffer.isView(bound)) {
      for (const row of bound as unknown as Iterable<unknown>) paths.set(row, path);
    }
  }
  return {
    ...(node.children.length > 1 ? { paths: Array.from(index, (row) => paths.get(row) ?? -1) } : {}),
    ...(step ? { step } : {}),
  };
}

/** Determines from a curve how it connects two points: steps go along x and y only. */
function stepOf(curve: unknown): Step | undefined {
  if (typeof curve !== "function") return undefined;
  const ways: number[][] = [];
  const note = (...way: number[]) => ways.push(way);
  try {
    const pen: unknown = Reflect.apply(curve, undefined, [{ moveTo: note, lineTo: note, closePath() {} }]);
    const { lineStart, point, lineEnd } = pen as Record<string, (...coordinates: number[]) => void>;
    lineStart?.call(pen);
    for (const coordinates of [0, 2]) point?.call(pen, coordinates, coordinates);
    lineEnd?.call(pen);
  } catch {
    return undefined;
  }
  const way = ways.map((coordinates) => coordinates.join(" ")).join(", ");
  return STEPS[way.replace(/(, 2 2)+$/, "")];
}

/** The corners between points at 0 0 and 2 2. */
const STEPS: Readonly<Record<string, Step>> = { "0 0, 2 0": "after", "0 0, 0 2": "before", "0 0, 1 0, 1 2": "middle" };

/** Plot binds to each element its row, or the rows of a path, of which the first identifies the series. */
function drawnRows({ index, node }: RenderedMark): readonly number[] | undefined {
  const indexOfRow = new Map(Array.from(index, (row, position) => [row, position]));
  const rows = Array.from(node.children, ({ __data__: bound }) => {
    const row = Array.isArray(bound) || ArrayBuffer.isView(bound) ? Reflect.get(bound, 0) : bound;
    return typeof row === "number" ? (indexOfRow.get(row) ?? -1) : -1;
  });
  return rows.length === indexOfRow.size && rows.every((row, position) => row === position) ? undefined : rows;
}
