// Contents of a chart's tooltip: for a mark, or for a position along x with all curves that pass it.
import type { TooltipChannel, TooltipMark } from "../../tables/display/live/chart-payload.js";

/** A mark and its number of rows. */
export type ChartMark = TooltipMark & { readonly length: number };

export interface MarkRow<Mark> {
  readonly mark: Mark;
  readonly row: number;
}

/** The value of a curve at a position. */
export interface CurvePart<Mark> extends MarkRow<Mark> {
  /** Pixels to the position; infinite between two points. */
  readonly gap: number;
}

export interface TooltipLine<Mark> extends MarkRow<Mark> {
  readonly label: string;
  readonly text: string;
  readonly isColoured: boolean;
}

export interface TooltipText<Mark> {
  readonly title: string;
  readonly lines: readonly TooltipLine<Mark>[];
}

/** Plot's own channels, which are hidden if another one is shown instead. */
const OWN = /^(x|y|fill|stroke|r|symbol|(fill|stroke)?Opacity|opacity|strokeWidth|fx|fy)$/;
/** Pixels next to a point that still count as the point. */
const SIDE = 0.5;

/** Tooltips for some marks. */
export function chartTooltip<Mark extends ChartMark>(marks: readonly Mark[]) {
  const paths = marks.filter(({ kind }) => kind === "path");
  const curved = new Set(paths.flatMap((mark) => mark.x?.map((x, row) => `${x} ${mark.y?.[row]}`)));
  /** The positions along x at which a curve has a point. */
  const places = () => {
    const xByPixel = new Map<number, number>();
    for (const mark of paths) {
      for (let row = 0; row < mark.length; row += 1) {
        const x = xOf(mark, row);
        const key = Math.round(2 * x);
        if (!isGap(mark, row) && !xByPixel.has(key)) xByPixel.set(key, x);
      }
    }
    return [...xByPixel.values()].sort((a, b) => a - b);
  };
  /** Points on a curve are shown by the curve. */
  const onCurve = ({ kind, x, y }: ChartMark, row: number) => kind === "dot" && curved.has(`${x?.[row]} ${y?.[row]}`);
  /** The value of each curve at a position: a point, or for step curves the current value. */
  const partsAt = (x: number) => paths.flatMap((mark) => curveParts(mark, x));
  return { places, partsAt, onCurve };
}

function curveParts<Mark extends ChartMark>(mark: Mark, x: number): readonly CurvePart<Mark>[] {
  const partByPath = new Map<number, CurvePart<Mark>>();
  const last = new Map<number, number>();
  for (let row = 0; row < mark.length; row += 1) {
    const path = mark.paths?.[row] ?? 0;
    const before = last.get(path);
    last.delete(path);
    if (isGap(mark, row)) continue;
    last.set(path, row);
    const distance = Math.abs(xOf(mark, row) - x);
    const isAt = distance <= SIDE;
    const currentRow = isAt ? row : before === undefined ? undefined : heldRow(mark, before, row, x);
    const gap = isAt ? distance : Infinity;
    if (currentRow !== undefined && !((partByPath.get(path)?.gap as number) < gap))
      partByPath.set(path, { mark, row: currentRow, gap });
  }
  return [...partByPath.values()];
}

/** For a step curve, the row of its value between two points, if it has one at x. */
function heldRow(mark: ChartMark, from: number, to: number, x: number): number | undefined {
  const { step } = mark;
  const [left, right] = [x - xOf(mark, from), x - xOf(mark, to)];
  if (!step || left * right >= 0) return undefined;
  if (step === "middle") return Math.abs(left) < Math.abs(right) ? from : to;
  return step === "after" ? from : to;
}

/** Tooltip of a position, with each curve once. Facts about single points are omitted between points. */
export function placeText<Mark extends ChartMark>(
  parts: readonly CurvePart<Mark>[],
  isShown: (part: CurvePart<Mark>) => unknown = () => true,
): TooltipText<Mark> {
  const lines: TooltipLine<Mark>[] = [];
  let unit = "";
  const visibleParts = parts.filter(isShown);
  const facets = new Set(visibleParts.map(facetOf));
  const [facet] = facets.size === 1 ? facets : [""];
  for (const { mark, row, gap } of visibleParts) {
    const [ownChannel, ...more] = mark.channels.filter(({ name }) => !OWN.test(name));
    const channel = ownChannel ?? channelOf(mark, "y");
    if (!channel) continue;
    const name = seriesOf(mark, row);
    const label = words(facets.size > 1 && facetOf({ mark, row }), name ?? channel.label);
    const besides = gap === Infinity ? [] : more.map((one) => words(one.label, textOf(one, row)));
    const text = [textOf(channel, row), ...besides].join(", ");
    if (name !== undefined) unit ||= channel.label;
    if (!lines.some((one) => one.label === label && one.text === text))
      lines.push({ label, text, mark, row, isColoured: true });
  }
  const across = parts
    .filter(({ gap }) => gap !== Infinity)
    .map(({ mark, row }) => ({ channel: channelOf(mark, "x"), row }))
    .find(({ channel }) => channel);
  const positionText = across?.channel ? words(across.channel.label, textOf(across.channel, across.row)) : "";
  return { title: [facet, positionText, unit].filter(Boolean).join(", "), lines };
}

/** Values without a label become the title, except colors, which are shown next to their value. */
export function thingText<Mark extends ChartMark>({ mark, row }: MarkRow<Mark>): TooltipText<Mark> {
  const titles: string[] = [];
  const lines: TooltipLine<Mark>[] = [];
  for (const channel of mark.channels) {
    const text = textOf(channel, row);
    const isColoured = /^(fill|stroke)$/.test(channel.name) && seriesOf(mark, row) !== undefined;
    if (channel.label || isColoured) lines.push({ label: channel.label, text, mark, row, isColoured });
    else titles.push(text);
  }
  return { title: titles.join(", "), lines };
}

/** A tooltip in one line, for screen readers. */
export function spokenText({ title, lines }: TooltipText<unknown>): string {
  return [title, ...lines.map(({ label, text }) => words(label, text))].filter(Boolean).join(", ");
}

/** The legend value for the color of a row. */
export function seriesOf({ series }: ChartMark, row: number): string | undefined {
  return series?.labels[series.codes[row] as number];
}

function textOf({ codes, texts }: TooltipChannel, row: number): string {
  return texts[codes[row] as number] as string;
}

function channelOf({ channels }: ChartMark, name: string): TooltipChannel | undefined {
  return channels.find((channel) => channel.name === name);
}

/** With more lines than this, only those of one facet are shown. */
const MOST_LINES = 8;

/** For a position in facets with many curves, the parts in the facet nearest to a height. */
export function nearestFacet<Mark extends ChartMark>(
  parts: readonly CurvePart<Mark>[],
  y: number,
): readonly CurvePart<Mark>[] {
  if (parts.length <= MOST_LINES) return parts;
  const gap = ({ mark, row }: MarkRow<Mark>) => Math.abs((mark.y?.[row] as number) - y);
  const nearest = facetOf(parts.reduce((best, part) => (gap(part) < gap(best) ? part : best)));
  return parts.filter((part) => facetOf(part) === nearest);
}

function facetOf({ mark, row }: MarkRow<ChartMark>): string {
  return ["fx", "fy"]
    .flatMap((name) => channelOf(mark, name) ?? [])
    .map((channel) => textOf(channel, row))
    .join(", ");
}

function words(...parts: readonly unknown[]): string {
  return parts.filter(Boolean).join(" ");
}

function xOf({ x }: ChartMark, row: number): number {
  return x?.[row] as number;
}

/** NaN has no position: it is a gap in a line. */
function isGap({ x, y }: ChartMark, row: number): boolean {
  return x?.[row] === null || y?.[row] === null;
}
