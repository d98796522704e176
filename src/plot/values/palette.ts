import type { Markish, ScaleOptions } from "@observablehq/plot";
import { formatAmount } from "../../core/format/format-number.js";
import { labels, valueLabel } from "../../history/order/value-label.js";
import { byImportance, meaningOf, saysTrouble } from "../../tables/order/process-words.js";

/**
 * Colors whose neighbors are distinct for color-blind readers, with contrast to white and to a dark background: the hues of
 * Okabe and Ito (2008) without black and yellow, then two more.
 */
export const palette: readonly string[] = [
  "#0072b2",
  "#db7812",
  "#17865a",
  "#189ed8",
  "#c77a95",
  "#c4551c",
  "#8b5cf6",
  "#aa3f79",
];

/** Colors of other categories next to warm ones for trouble: distinct from each other and from warm colors. */
const cool: readonly string[] = ["#0072b2", "#c4739a", "#17865a", "#8b5cf6", "#aa3f79", "#189ed8"];

/** Classes of numbers, low to high, from darker to lighter, so that they keep their order in gray. */
export const steps: readonly string[] = ["#945387", "#1960f9", "#299188", "#8e9206", "#c28573"];

/** Colors of values without a color, and of null; both muted on white and on a dark background. */
export const grey = { other: "#71685a", none: "#98907f" } as const;

/**
 * Steps of a process, for 1 to 10 of them, from violet and blue to full green. Each has contrast to white and to a dark
 * background, so lightness alone is not enough: for color-blind readers, neighbors also alternate between light and dark.
 */
const processSteps: readonly (readonly string[])[] = [
  ["#007c51"],
  ["#8487ff", "#007c51"],
  ["#8487ff", "#3a5fc8", "#007c51"],
  ["#8487ff", "#3a5fc8", "#158eb4", "#007c51"],
  ["#8393b5", "#3965a6", "#2b99e0", "#3867e3", "#027e4c"],
  ["#7c8bf3", "#3063c3", "#308dc8", "#046e99", "#1ca0c7", "#007c51"],
  ["#9f6fad", "#4f93fa", "#0974af", "#439bd3", "#076d98", "#0c92ba", "#027d52"],
  ["#9e83e8", "#7055b5", "#7c8bf3", "#3063c3", "#308dc8", "#046e99", "#1ca0c7", "#007c51"],
  ["#9a3fb0", "#9e83e8", "#7055b5", "#7c8bf3", "#3063c3", "#139af3", "#046e99", "#1ca0c7", "#007c51"],
  ["#c672c8", "#9a3fb0", "#9e83e8", "#7055b5", "#7c8bf3", "#3063c3", "#139af3", "#046e99", "#1ca0c7", "#007c51"],
];

/** Values that mean trouble. */
const warm: readonly string[] = ["#e86c0a", "#c81e2c"];

/** Levels of importance, for 1 to 10 steps: the strongest last. */
const importanceSteps: readonly (readonly string[])[] = [
  ["#c2622a"],
  ["#bb8b28", "#c2264d"],
  ["#b88c54", "#a26250", "#e1210f"],
  ["#b98c48", "#976a07", "#d6625e", "#cf1f15"],
  ["#a4914c", "#966b56", "#d27a49", "#a7514d", "#db0315"],
  ["#c57e52", "#906859", "#ce822d", "#b83c10", "#d46075", "#e81a0d"],
  ["#9a8e7e", "#ba8646", "#a2594c", "#cb8262", "#a2571f", "#ee4868", "#cd091b"],
  ["#83776d", "#bd8850", "#a15c20", "#c9824d", "#a35228", "#f9446b", "#a24d29", "#f11985"],
  ["#968e7c", "#c58349", "#9f5f2a", "#e47269", "#b54a2f", "#d27846", "#cd0c1e", "#d25373", "#d42606"],
  ["#bf865d", "#90756c", "#bc8630", "#966446", "#ca7e2e", "#a2590b", "#de6f4d", "#d02216", "#db5372", "#d11e26"],
];

/** Closed values: a cooler gray than that of none and other. */
const slate: readonly string[] = ["#8c959d", "#666d76"];

/** The color of single-colored charts, with equal contrast to white and to a dark background. */
export const accent = "#2a86c8";

/** Paint for unknown values. Every figure that uses it has the mark `hatch()`. */
export const hatchFill = "url(#siteframe-hatch)";

interface SvgNode {
  setAttribute(name: string, value: string): void;
  append(...nodes: SvgNode[]): void;
}

/** Makes an SVG element with attributes and children. */
export function svgElement(
  document: unknown,
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly SvgNode[] = [],
): SvgNode {
  const maker = document as { createElementNS(namespace: string, name: string): SvgNode };
  const element = maker.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** A mark that only defines the hatching. Its lines have the text's color, light or dark. */
export function hatch(): Markish {
  return ((
    _index: unknown,
    _scales: unknown,
    _values: unknown,
    _dimensions: unknown,
    context: { document: unknown },
  ) => {
    const box = { id: "siteframe-hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse" };
    const make = (name: string, attributes: Readonly<Record<string, string | number>>) =>
      svgElement(context.document, name, attributes);
    const ground = make("rect", { width: 6, height: 6, fill: "currentColor", "fill-opacity": 0.08 });
    const line = make("path", {
      d: "M-1,1L1,-1M0,6L6,0M5,7L7,5",
      stroke: "currentColor",
      "stroke-opacity": 0.55,
      "stroke-width": 1.2,
    });
    const pattern = svgElement(context.document, "pattern", box, [ground, line]);
    return svgElement(context.document, "defs", {}, [pattern]);
  }) as unknown as Markish;
}

/** Options of the colors of values. */
interface ColourOptions {
  /**
   * All possible labels of the column: the index of a label determines its color in every figure. Default: those of the
   * figure.
   */
  readonly places?: readonly string[];
  /** Whether the labels are steps of a process in their order. Otherwise they are categories. */
  readonly isProcess?: boolean;
}

/** A color scale for labels of values: unknown is hatched, none and other are gray. */
export function valueColours(
  domain: readonly string[],
  { places: order = domain, isProcess = false }: ColourOptions = {},
): ScaleOptions {
  const named = domain.filter((label) => !isSpecial(label));
  const all = [...new Set([...order.filter((label) => !isSpecial(label)), ...named])];
  const colours = chosenColours(named, all, isProcess);
  const colourOf = (label: string): string => {
    if (label === labels.unknown) return hatchFill;
    if (label === labels.none) return grey.none;
    return colours.get(label) ?? grey.other;
  };
  return { type: "ordinal", domain, range: domain.map(colourOf), legend: domain.length > 1 };
}

function chosenColours(
  named: readonly string[],
  all: readonly string[],
  isProcess: boolean,
): ReadonlyMap<string, string> {
  const important = byImportance(all);
  if (important) return colourPlaces(named, important, schemeOf(importanceSteps, important.length));
  return isProcess ? processColours(named, all) : categoryColours(named, all);
}

/** The scheme for a number of steps, or the longest. */
function schemeOf(schemes: readonly (readonly string[])[], count: number): readonly string[] {
  return schemes.slice(0, count).at(-1) ?? [];
}

/** Categories that mean trouble are warm, too, and only they. */
function categoryColours(named: readonly string[], all: readonly string[]): ReadonlyMap<string, string> {
  const inTrouble = all.filter(saysTrouble);
  if (inTrouble.length === 0) return colourPlaces(named, all, palette);
  const calm = all.filter((label) => !inTrouble.includes(label));
  return new Map([
    ...colourPlaces(
      named.filter((label) => calm.includes(label)),
      calm,
      cool,
    ),
    ...colourPlaces(
      named.filter((label) => inTrouble.includes(label)),
      inTrouble,
      warm,
    ),
  ]);
}

/**
 * Colors of labels by index. With more labels than colors, a taken color is replaced by the next.
 *
 * @param all labels in order
 */
function colourPlaces(
  named: readonly string[],
  all: readonly string[],
  colours: readonly string[],
): ReadonlyMap<string, string> {
  const taken = new Set<number>();
  const chosen = new Map<string, string>();
  for (const label of named) {
    let colorIndex = all.indexOf(label) % colours.length;
    while (taken.has(colorIndex) && taken.size < colours.length) colorIndex = (colorIndex + 1) % colours.length;
    taken.add(colorIndex);
    chosen.set(label, colours[colorIndex] as string);
  }
  return chosen;
}

/**
 * The colors of processes: trouble is warm, closed is gray, and the steps in between go from blue to full green. Green is
 * the end of construction: if work ends in gray, the step before it is not green.
 */
function processColours(named: readonly string[], all: readonly string[]): ReadonlyMap<string, string> {
  const inTrouble = all.filter((label) => meaningOf(label) === "trouble");
  const closed = all.filter((label) => meaningOf(label) === "closed");
  const steps = all.filter((label) => !inTrouble.includes(label) && !closed.includes(label));
  const last = steps.at(-1);
  const isEndAhead = closed.length > 0 && (last === undefined || meaningOf(last) !== "complete");
  const scheme = schemeOf(processSteps, steps.length + (isEndAhead ? 1 : 0));
  const of = (some: readonly string[]) => named.filter((label) => some.includes(label));
  return new Map([
    ...colourPlaces(of(steps), steps, scheme),
    ...colourPlaces(of(inTrouble), inTrouble, warm),
    // The last one is the final state, with the calm gray in any case.
    ...colourPlaces(of(closed), closed.toReversed(), slate),
  ]);
}

/**
 * Labels in an order: first the listed ones, even if not found, so that figures with the same list have the same colors;
 * then the rest, with unknown at the end.
 */
export function orderLabels(values: Iterable<string>, order: readonly unknown[] = []): readonly string[] {
  const all = new Set(values);
  const listed = [...new Set(order.map((value) => valueLabel(value)))];
  const rest = [...all].filter((label) => !listed.includes(label) && !isSpecial(label));
  const special = [labels.other, labels.none, labels.unknown].filter(
    (label) => all.has(label) && !listed.includes(label),
  );
  return [...listed, ...rest, ...special];
}

function isSpecial(label: string): boolean {
  return label === labels.unknown || label === labels.none || label === labels.other;
}

/** If the maximum is more than this many times the 90th percentile, its root leaves the palest third of the shades to the others. */
const FAR = 9;
const OTHERS = 0.9;
const SHARES = [0.2, 0.4, 0.6, 0.8, 1];

/** Shades of cells by their counts. */
interface CountShades {
  readonly opacity: ScaleOptions;
  /** Note after the subtitle; empty if shades are proportional. */
  readonly note: string;
}

/**
 * Returns shades for counts: by their square root, or, if the largest is far above all others, by rank, so that the others
 * can be distinguished.
 *
 * @param range the palest and the fullest opacity
 */
export function countShades(counts: Iterable<number>, range: readonly [pale: number, full: number]): CountShades {
  const sorted = [...counts].filter((count) => count > 0).sort((a, b) => a - b);
  const [most = 1, others = 1] = [sorted.at(-1), sorted[Math.floor(OTHERS * (sorted.length - 1))]];
  const levels = [...new Set(sorted)];
  // A single other count needs no distinction.
  if (levels.length < 3 || most <= FAR * others) {
    return { opacity: { type: "sqrt", range, domain: [0, most] }, note: "" };
  }
  const steps = [...new Set(SHARES.map((share) => levels[Math.floor(share * (levels.length - 1))] as number))];
  const [pale, full] = range;
  const shades = [0, ...steps].map((_, index) => pale + ((full - pale) * index) / steps.length);
  return {
    opacity: { type: "linear", domain: [0, ...steps], range: shades },
    note: `; shaded by rank, since the largest, ${formatAmount(most)}, is far above the others`,
  };
}
