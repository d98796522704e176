import { dayOrMinute, formatDate, inUtc } from "../../core/format/format-date.js";
import { formatInterval, periodNamer } from "../../core/format/format-interval.js";
import { formatMeasure, withUnit } from "../../core/format/format-number.js";
import { belowWhole } from "../../core/share.js";
import { labels } from "../../history/order/value-label.js";
import { formatValue } from "../../tables/display/format-value.js";
import type { CellMatch, TooltipChannel } from "../../tables/display/live/chart-payload.js";
import type { PlotChannel, RenderedMark } from "./rendered-mark.js";

/** The formats of Plot's option `tip`: false hides a channel, a function formats it. */
type Formats = Readonly<Record<string, unknown>>;
type Channels = Readonly<Record<string, PlotChannel | undefined>>;

const ORDER = ["x", "y", "fill", "stroke", "r", "opacity"];
/** Channels without meaning to readers, and the ends of intervals, which are in `x` and `y`. */
const SILENT = new Set([
  "geometry",
  "href",
  "src",
  "ariaLabel",
  "scales",
  "sort",
  "z",
  "x1",
  "x2",
  "y1",
  "y2",
  "title",
]);
/** Names of unnamed numbers. Other values have no name. */
const PLAIN_NAMES: Readonly<Record<string, string>> = {
  x: "x",
  y: "y",
  r: "size",
  length: "length",
  rotate: "angle",
  opacity: "opacity",
  fillOpacity: "opacity",
  strokeOpacity: "opacity",
  strokeWidth: "width",
};

/** The channels in the tooltip of a mark, as in Plot's own tip: a title only, else the channels with a value. */
export function tooltipChannels(rendered: RenderedMark): readonly TooltipChannel[] {
  const channels = rendered.values.channels ?? {};
  const formats = formatsOf(rendered.mark.tip);
  const { title } = channels;
  if (title) return [{ name: "title", label: "", ...coded(rendered, title.value, formats["title"]) }];
  const names = [...Object.keys(formats).map((name) => name.replace(/^([xy])[12]$/, "$1")), ...ORDER];
  const texts: TooltipChannel[] = [];
  const seen = new Set<unknown>();
  for (const name of new Set([...names, ...Object.keys(channels)])) {
    if (SILENT.has(name) || isLeftOut(formats, name)) continue;
    if (channels["geometry"] && (name === "x" || name === "y")) continue;
    const part = name === "x" || name === "y" ? positions(rendered, name) : value(rendered, name);
    if (!part || seen.has(part.of)) continue;
    if (part.label !== "" && !/^[xy]$/.test(name) && texts.some(({ label }) => label === part.label)) continue;
    seen.add(part.of);
    const isComputed = isOfSeveral(rendered, part, name);
    texts.push({
      ...{ name, label: part.label, ...columnOf(part) },
      ...coded(rendered, part.values, formatOf(formats, name), {
        ...part,
        ...(isComputed ? { matchOf: noMatch } : {}),
      }),
    });
  }
  return [...texts, ...facets(rendered, formats)];
}

function formatsOf(tip: unknown): Formats {
  const format: unknown = typeof tip === "object" && tip !== null ? Reflect.get(tip, "format") : undefined;
  return typeof format === "object" && format !== null ? (format as Formats) : {};
}

function formatOf(formats: Formats, name: string): unknown {
  return formats[name] ?? formats[`${name}1`] ?? formats[`${name}2`];
}

function isLeftOut(formats: Formats, name: string): boolean {
  return [name, `${name}1`, `${name}2`].some((key) => formats[key] === false || formats[key] === null);
}

/** A channel, or two for the ends of an interval, before formatting. */
interface Part {
  readonly label: string;
  readonly values: ArrayLike<unknown>;
  /** Identity of the part. */
  readonly of: unknown;
  readonly textOf?: (value: unknown) => string;
  /** Column set by the user. */
  readonly column?: string | undefined;
  /** The cell of a table for a value; undefined if no row has it. */
  readonly matchOf?: (value: unknown) => CellMatch | undefined;
}

const noMatch = () => undefined;

/** Empty if the label is the column. */
function columnOf({ label, column }: Part): Pick<TooltipChannel, "column"> {
  return column === undefined || column === label ? {} : { column };
}

/** The cell for a value; two numbers of a user's channel are an interval. */
function matchOf(value: unknown): CellMatch | undefined {
  if (value === null || value === undefined) return null;
  const pair = matchOfPair(value);
  if (pair) return pair;
  const number = value instanceof Date || typeof value === "number" ? Number(value) : undefined;
  if (number === undefined) return typeof value === "object" ? formatValue(value) : String(value);
  return Number.isFinite(number) ? number : null;
}

/** The cells in an interval. */
function matchOfPair(pair: unknown): CellMatch | undefined {
  const [from, to, ...more] = Array.isArray(pair) ? pair.map((end) => (end instanceof Date ? end.getTime() : end)) : [];
  if (more.length > 0) return undefined;
  return typeof from === "number" && typeof to === "number" ? [from, to] : undefined;
}

/** Whether each number was aggregated from several rows, such as a sum: a group is found by its position, a bin by its ends. */
function isOfSeveral({ mark, scales }: RenderedMark, { values, matchOf }: Part, name: string): boolean {
  const { data } = mark;
  const count = Array.isArray(data) ? data.length : values.length;
  if (matchOf || values.length === count || scales[name]?.bandwidth) return false;
  return Array.from(values).some((one) => typeof one === "number" || one instanceof Date);
}

/** The channel to show for a computed channel; null for none. */
function sourceOf(channel: PlotChannel | undefined): PlotChannel | undefined {
  let source: PlotChannel | null | undefined = channel;
  while (source?.source !== undefined) source = source.source;
  return source?.value ? source : undefined;
}

function value(rendered: RenderedMark, name: string): Part | undefined {
  const channel = sourceOf(rendered.values.channels?.[name]);
  // Colors and opacities set by the user are not data.
  if (!channel || (!channel.scale && channel.defaultScale)) return undefined;
  const { value: values } = channel;
  return { label: labelOf(rendered, name, [channel], values), values, of: values, column: channel.label };
}

/** The position of a mark along an axis: one value, an interval, or, in a stack, its own length. */
function positions(rendered: RenderedMark, name: "x" | "y"): Part | undefined {
  const channels: Channels = rendered.values.channels ?? {};
  const [near, far] = [sourceOf(channels[`${name}1`]), sourceOf(channels[`${name}2`])];
  const single = near && far ? undefined : (sourceOf(channels[name]) ?? near ?? far);
  if (single) {
    const { value: values } = single;
    const label = labelOf(rendered, name, [single], values);
    return { label, values, of: values, column: single.label, ...periods(rendered, name, values) };
  }
  if (!near || !far) return undefined;
  const isOneThing = near.label === far.label;
  if (near.hint?.length && far.hint?.length)
    return { ...lengths(rendered, name, near, far), ...ofPair(rendered, name, far) };
  // A bar from zero is as long as its other end.
  if (!isOneThing && isZero(rendered, near)) return { values: far.value, ...ofPair(rendered, name, far) };
  if (!isOneThing && isZero(rendered, far)) return { values: near.value, ...ofPair(rendered, name, near) };
  return { ...intervals(rendered, near, far), ...ofPair(rendered, name, near, far) };
}

/** A period instead of its date, for a scale with one place for each month or other period. */
function periods(
  { index, scales }: RenderedMark,
  name: "x" | "y",
  values: ArrayLike<unknown>,
): Pick<Part, "textOf" | "matchOf"> {
  const interval = scales[name]?.interval;
  if (typeof interval?.offset !== "function") return {};
  const endOf = (date: unknown) => (date instanceof Date ? interval.offset?.(date, 1) : undefined);
  const write = periodNamer(Array.from(index, (row) => [values[row], endOf(values[row])]));
  const period = { matchOf: (date: unknown) => matchOfPair([date, endOf(date)]) };
  return write ? { ...period, textOf: (date) => write(date, endOf(date)) ?? plainText(date) } : period;
}

function ofPair(
  rendered: RenderedMark,
  name: "x" | "y",
  ...ends: readonly PlotChannel[]
): Pick<Part, "label" | "of" | "column"> {
  const [{ value: of, label: column }] = ends as [PlotChannel];
  return {
    label: labelOf(rendered, name, ends, of),
    of,
    ...(ends.every(({ label }) => label === column) && { column }),
  };
}

function isZero({ index }: RenderedMark, { value: values }: PlotChannel): boolean {
  return Array.from(index).every((row) => values[row] === 0);
}

/** Shares for stacks that fill their axis, otherwise the stacked values. */
function lengths(
  { index, values: { x, x1, y, y1 } }: RenderedMark,
  name: "x" | "y",
  near: PlotChannel,
  far: PlotChannel,
): Pick<Part, "values" | "textOf"> {
  const across = name === "y" ? (x ?? x1) : (y ?? y1);
  const values = Array.from(far.value, (to, row) => roundOff(Number(to) - Number(near.value[row])));
  const sums = new Map<unknown, number>();
  for (const row of index) sums.set(across?.[row], (sums.get(across?.[row]) ?? 0) + (values[row] as number));
  const areFull = [...sums.values()].every((sum) => Math.abs(sum - 1) < 1e-9);
  const areShares = areFull && Array.from(index).some((row) => !Number.isInteger(values[row]));
  return areShares
    ? { values, textOf: (share) => withUnit(formatMeasure(belowWhole(roundOff(100 * Number(share)), 2)), "%") }
    : { values };
}

/** Removes rounding errors of sums of binary fractions. */
function roundOff(value: number): number {
  return Number(value.toPrecision(12));
}

function intervals(
  { index, mark }: RenderedMark,
  near: PlotChannel,
  far: PlotChannel,
): Pick<Part, "values" | "textOf" | "matchOf"> {
  const isDirected = /^(link|arrow)/.test(mark.ariaLabel ?? "");
  const ends = Array.from(index, (row) => inOrder(near.value[row], far.value[row], isDirected));
  const name = near.label === far.label ? periodNamer(ends) : undefined;
  const write = plainWriter(ends.flat());
  const pairs: [unknown, unknown][] = [];
  for (const [place, row] of Array.from(index).entries()) pairs[row] = ends[place] as [unknown, unknown];
  return {
    values: pairs,
    // No cell is between two columns.
    matchOf: near.label === far.label ? matchOfPair : noMatch,
    textOf: (pair) => {
      const [from, to] = pair as [unknown, unknown];
      return name?.(from, to) ?? formatInterval(from, to, write, inUtc);
    },
  };
}

/** An arrow has a direction; other marks start with the lesser end. */
function inOrder(from: unknown, to: unknown, isDirected: boolean): readonly [from: unknown, to: unknown] {
  const areOrdered =
    (typeof from === "number" && typeof to === "number") || (from instanceof Date && to instanceof Date);
  return areOrdered && !isDirected && Number(from) > Number(to) ? [to, from] : [from, to];
}

/** The axis's label, else the channels', as in Plot's own tips. A date needs no label. */
function labelOf(
  { scales, values: { channels } }: RenderedMark,
  name: string,
  given: readonly PlotChannel[],
  values: ArrayLike<unknown>,
): string {
  // A phrase needs no label.
  if (given.every(({ label }) => label === "")) return "";
  const scaleName = given.find(({ scale }) => scale)?.scale ?? channels?.[name]?.scale ?? name;
  const scaleLabel = scales[scaleName]?.label;
  const own = [...new Set(given.flatMap(({ label }) => (label == null ? [] : [label])))].join(" – ");
  const isNumber = Array.from(values).some((one) => typeof one === "number");
  const isPlace = name === "x" || name === "y";
  // Plot's arrows show in which direction an axis grows.
  const label = String(scaleLabel ?? own).replace(/^[←↑→↓\s]+|[←↑→↓\s]+$/g, "");
  if (isPlace && !isNumber && DATES.test(label)) return "";
  if (label !== "") return label;
  if (name in PLAIN_NAMES || SCALED.has(name)) return isNumber ? (PLAIN_NAMES[name] ?? "") : "";
  // A channel named by the user.
  return name;
}

const DATES = /^(date|day|week|month|quarter|year|time)$/i;
/** Plot's other channels with scales. */
const SCALED = new Set(["fill", "stroke", "symbol", "text"]);

/**
 * The small multiple of a mark, by its column and line; in a grid without separate meanings of these, by the format
 * `facet` of both.
 */
function facets({ index, scales }: RenderedMark, formats: Formats): TooltipChannel[] {
  const nameOf = formats["facet"];
  if (typeof nameOf === "function") {
    const name = String(nameOf(index.fx, index.fy));
    return [{ name: "fx", label: "", codes: Array.from(index, () => 0), texts: [name] }];
  }
  return (["fx", "fy"] as const).flatMap((name) => {
    const facet = index[name];
    const scale = scales[name];
    if (facet === undefined || !scale || isLeftOut(formats, name)) return [];
    const format = formats[name];
    const text = typeof format === "function" ? String(format(facet, 0)) : plainText(facet);
    const label = String(scale.label ?? "").replace(/^[←↑→↓\s]+|[←↑→↓\s]+$/g, "");
    return [{ name, label, codes: Array.from(index, () => 0), texts: [text], ...matches([text], [matchOf(facet)]) }];
  });
}

/** Returns the tooltip strings of the drawn rows. */
function coded(
  { index }: RenderedMark,
  values: ArrayLike<unknown>,
  format: unknown,
  { textOf, matchOf: match = matchOf }: Pick<Part, "textOf" | "matchOf"> = {},
): Pick<TooltipChannel, "codes" | "texts" | "is"> {
  const drawn = Array.from(index, (row) => values[row]);
  const write = writerOf(drawn, format, textOf);
  const codeOf = new Map<string, number>();
  const [texts, cells]: [string[], (CellMatch | undefined)[]] = [[], []];
  const codeByKey = new Map<unknown, number>();
  const codes = drawn.map((one, place) => {
    // Formats may use the row; equal dates are different objects.
    const key = typeof format === "function" || typeof one === "object" ? undefined : one;
    const before = key === undefined ? undefined : codeByKey.get(key);
    if (before !== undefined) return before;
    const [text, cell] = [write(one, place), match(one)];
    // Two values may have the same text.
    const told = JSON.stringify([text, cell]);
    const code = codeOf.get(told) ?? codeOf.size;
    if (code === codeOf.size) [texts[code], cells[code]] = [text, cell];
    codeOf.set(told, code);
    if (key !== undefined) codeByKey.set(key, code);
    return code;
  });
  return { codes, texts, ...matches(texts, cells) };
}

/** Empty if the texts identify the cells. */
function matches(texts: readonly string[], cells: readonly (CellMatch | undefined)[]): Pick<TooltipChannel, "is"> {
  if (cells.every((cell, code) => String(cell) === texts[code])) return {};
  const channels = cells.filter((cell) => cell !== undefined);
  return { is: channels.length === cells.length ? channels : [] };
}

function writerOf(
  drawn: readonly unknown[],
  format: unknown,
  textOf: ((value: unknown) => string) | undefined,
): (value: unknown, index: number) => string {
  if (typeof format === "function") {
    return (one, index) =>
      Array.isArray(one) && one.length === 2 && textOf
        ? formatInterval(one[0], one[1], (end) => String(format(end, index)), inUtc)
        : String(format(one, index));
  }
  if (textOf) return textOf;
  return plainWriter(drawn);
}

/** Returns a function for the text of values of one channel: all its dates are days, or none. */
function plainWriter(values: readonly unknown[]): (value: unknown) => string {
  const unit = dayOrMinute(
    values.map((value) => (value instanceof Date ? value.getTime() : null)),
    inUtc,
  );
  return (value) => (value instanceof Date ? timeText(value, unit) : plainText(value));
}

function timeText(date: Date, unit: number): string {
  return Number.isNaN(date.getTime()) ? labels.none : formatDate(date, { ...inUtc, unit });
}

/** A value without context. */
export function plainText(one: unknown): string {
  if (one === null || one === undefined || one === "") return labels.none;
  if (typeof one === "number") return Number.isFinite(one) ? formatMeasure(one) : labels.none;
  if (one instanceof Date) return timeText(one, dayOrMinute([one.getTime()], inUtc));
  return typeof one === "object" ? formatValue(one) : String(one);
}
