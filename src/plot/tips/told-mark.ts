import type { PlotScale, RenderedMark } from "./rendered-mark.js";
import { type ToldChannel, toldChannels } from "./told-channels.js";

/** What a frame knows of a mark that was drawn. Positions are in the chart's pixels, one for each row. */
export interface ToldMark {
  readonly kind: "box" | "path" | "shape" | "dot";
  readonly x?: readonly number[];
  readonly y?: readonly number[];
  /** The other edges of boxes. */
  readonly x2?: readonly number[];
  readonly y2?: readonly number[];
  readonly channels: readonly ToldChannel[];
  /** The values that the legend names, if colours tell values. */
  readonly series?: Series;
  /** Row of each element that was drawn, where they are not one for each row; -1 for none. */
  readonly rows?: readonly number[];
}

interface Series {
  /** Of each row. */
  readonly codes: readonly number[];
  readonly labels: readonly string[];
  readonly colours: readonly string[];
}

/** Marks that furnish a chart and hold no data. */
const FURNITURE = /^(tip|[xy]-axis|[xy]-grid|f[xy]-axis|frame|hatch|rule|background|text|arrow)/;

/** Whether a mark holds data that a reader may point at. */
export function isPointable({ mark, index, values }: RenderedMark): boolean {
  if (index.length === 0 || FURNITURE.test(mark.ariaLabel ?? "")) return false;
  const { channels } = values;
  return Boolean(channels?.["geometry"] || values.x || values.x1 || values.y || values.y1);
}

/** What is told of a mark; undefined if nothing is. */
export function toldMark(rendered: RenderedMark): ToldMark | undefined {
  const channels = toldChannels(rendered);
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
  };
}

function kindOf(label: string): ToldMark["kind"] {
  if (/^(bar|rect|cell)/.test(label)) return "box";
  if (/^(line|area|difference)/.test(label)) return "path";
  return label === "geo" ? "shape" : "dot";
}

/** A box that has x or y alone spans the frame. */
function boxes(rendered: RenderedMark) {
  const { values, scales, dimensions } = rendered;
  const { x, x1, x2, y, y1, y2 } = values;
  const { width, height, marginLeft, marginRight, marginTop, marginBottom } = dimensions;
  const [left, top] = facetOffset(rendered);
  const near = (channel: readonly number[] | undefined, edge: number, offset: number) =>
    atRows(rendered, (row) => (channel ? (channel[row] ?? 0) : edge) + offset);
  return {
    x: near(x1 ?? x, marginLeft, left),
    x2: near(x2 ?? shifted(x1 ?? x, scales["x"]), width - marginRight, left),
    y: near(y1 ?? y, marginTop, top),
    y2: near(y2 ?? shifted(y1 ?? y, scales["y"]), height - marginBottom, top),
  };
}

/** Of an area the upper edge, as `y2` has it; of a band its middle. */
function points(rendered: RenderedMark) {
  const { values, scales, dimensions } = rendered;
  const { x, x1, x2, y, y1, y2 } = values;
  const [left, top] = facetOffset(rendered);
  const halfX = (scales["x"]?.bandwidth?.() ?? 0) / 2;
  const halfY = (scales["y"]?.bandwidth?.() ?? 0) / 2;
  const middle = x ?? (x1 && x2 && x1.map((from, row) => (from + (x2[row] ?? 0)) / 2)) ?? x1;
  const upper = y2 ?? y ?? y1;
  return {
    x: atRows(rendered, (row) => (middle ? (middle[row] ?? 0) + halfX : dimensions.width / 2) + left),
    y: atRows(rendered, (row) => (upper ? (upper[row] ?? 0) + halfY : dimensions.height / 2) + top),
  };
}

function shifted(channel: readonly number[] | undefined, scale: PlotScale | undefined): readonly number[] | undefined {
  const room = scale?.bandwidth?.() ?? 0;
  return channel?.map((value) => value + room);
}

/** A tenth of a pixel is less than anybody can point at. */
function atRows({ index }: RenderedMark, value: (row: number) => number): readonly number[] {
  return Array.from(index, (row) => Math.round(value(row) * 10) / 10);
}

/** Where the facet of the mark lies in the chart. */
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
    const label = String(value[row]);
    const code = codeOf.get(label) ?? codeOf.size;
    if (code === codeOf.size) {
      codeOf.set(label, code);
      colours.push(String(values[name]?.[row] ?? ""));
    }
    codes.push(code);
  }
  return { codes, labels: [...codeOf.keys()], colours };
}

/** Plot binds to each element the row that it shows, or the rows of a path, of which the first tells the series. */
function drawnRows({ index, node }: RenderedMark): readonly number[] | undefined {
  const places = new Map(Array.from(index, (row, place) => [row, place]));
  const rows = Array.from(node.children, ({ __data__: bound }) => {
    const row = Array.isArray(bound) || ArrayBuffer.isView(bound) ? Reflect.get(bound, 0) : bound;
    return typeof row === "number" ? (places.get(row) ?? -1) : -1;
  });
  return rows.length === places.size && rows.every((row, place) => row === place) ? undefined : rows;
}
