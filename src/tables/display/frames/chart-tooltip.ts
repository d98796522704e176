// What the tooltip of a chart says: of a thing, and of a place along x with all curves that pass it.
import type { TooltipChannel, TooltipMark } from "../live/chart-facts.js";

/** A mark and how many rows it has. */
export type ChartMark = TooltipMark & { readonly length: number };

export interface MarkRow<Mark> {
  readonly mark: Mark;
  readonly row: number;
}

/** What a curve has at a place. */
export interface CurvePart<Mark> extends MarkRow<Mark> {
  /** Pixels to the place; infinite between two points. */
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

/** Plot's own channels: another one was given to be shown in their place. */
const OWN = /^(x|y|fill|stroke|r|symbol|(fill|stroke)?Opacity|opacity|strokeWidth|fx|fy)$/;
/** Pixels beside a point that are still at it. */
const SIDE = 0.5;

/** What can be said of marks. */
export function chartTooltip<Mark extends ChartMark>(marks: readonly Mark[]) {
  const paths = marks.filter(({ kind }) => kind === "path");
  const curved = new Set(paths.flatMap((mark) => mark.x?.map((x, row) => `${x} ${mark.y?.[row]}`)));
  /** The places along x at which a curve has a point. */
  const places = () => {
    const found = new Map<number, number>();
    for (const mark of paths) {
      for (let row = 0; row < mark.length; row += 1) {
        const x = xOf(mark, row);
        const key = Math.round(2 * x);
        if (!isGap(mark, row) && !found.has(key)) found.set(key, x);
      }
    }
    return [...found.values()].sort((a, b) => a - b);
  };
  /** Points on a curve are shown by the curve. */
  const onCurve = ({ kind, x, y }: ChartMark, row: number) => kind === "dot" && curved.has(`${x?.[row]} ${y?.[row]}`);
  /** What each curve has at a place: a point, or, of steps, the value that holds there. */
  const partsAt = (x: number) => paths.flatMap((mark) => curveParts(mark, x));
  return { places, partsAt, onCurve };
}

function curveParts<Mark extends ChartMark>(mark: Mark, x: number): readonly CurvePart<Mark>[] {
  const found = new Map<number, CurvePart<Mark>>();
  const last = new Map<number, number>();
  for (let row = 0; row < mark.length; row += 1) {
    const path = mark.paths?.[row] ?? 0;
    const before = last.get(path);
    last.delete(path);
    if (isGap(mark, row)) continue;
    last.set(path, row);
    const distance = Math.abs(xOf(mark, row) - x);
    const isAt = distance <= SIDE;
    const held = isAt ? row : before === undefined ? undefined : heldRow(mark, before, row, x);
    const gap = isAt ? distance : Infinity;
    if (held !== undefined && !((found.get(path)?.gap as number) < gap)) found.set(path, { mark, row: held, gap });
  }
  return [...found.values()];
}

/** Of a curve of steps the row whose value it has between two points, if it has one at x. */
function heldRow(mark: ChartMark, from: number, to: number, x: number): number | undefined {
  const { step } = mark;
  const [left, right] = [x - xOf(mark, from), x - xOf(mark, to)];
  if (!step || left * right >= 0) return undefined;
  if (step === "middle") return Math.abs(left) < Math.abs(right) ? from : to;
  return step === "after" ? from : to;
}

/** Of a place each curve once. What is true at a point alone is not said between points. */
export function placeText<Mark extends ChartMark>(
  parts: readonly CurvePart<Mark>[],
  isShown: (part: CurvePart<Mark>) => unknown = () => true,
): TooltipText<Mark> {
  const lines: TooltipLine<Mark>[] = [];
  let unit = "";
  const shown = parts.filter(isShown);
  const facets = new Set(shown.map(facetOf));
  const [facet] = facets.size === 1 ? facets : [""];
  for (const { mark, row, gap } of shown) {
    const [own, ...more] = mark.channels.filter(({ name }) => !OWN.test(name));
    const channel = own ?? channelOf(mark, "y");
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
  const place = across?.channel ? words(across.channel.label, textOf(across.channel, across.row)) : "";
  return { title: [facet, place, unit].filter(Boolean).join(", "), lines };
}

/** What has no label is the title, but for colours, which stand beside their value. */
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

/** A tooltip in one line, to be spoken. */
export function spokenText({ title, lines }: TooltipText<unknown>): string {
  return [title, ...lines.map(({ label, text }) => words(label, text))].filter(Boolean).join(", ");
}

/** The value in the legend that a row has the colour of. */
export function seriesOf({ series }: ChartMark, row: number): string | undefined {
  return series?.labels[series.codes[row] as number];
}

function textOf({ codes, texts }: TooltipChannel, row: number): string {
  return texts[codes[row] as number] as string;
}

function channelOf({ channels }: ChartMark, name: string): TooltipChannel | undefined {
  return channels.find((channel) => channel.name === name);
}

/** More lines than these are those of one small multiple. */
const MOST_LINES = 8;

/** Of a place that passes small multiples with many curves, the parts in the one nearest to a height. */
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

/** What is no number has no place: a gap in a line. */
function isGap({ x, y }: ChartMark, row: number): boolean {
  return x?.[row] === null || y?.[row] === null;
}
