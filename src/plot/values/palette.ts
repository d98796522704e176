import type { Markish, ScaleOptions } from "@observablehq/plot";
import { formatAmount } from "../../core/format/format-number.js";
import { labels, valueLabel } from "../../history/order/value-label.js";
import { byImportance, isUnderWay, meaningOf, saysTrouble } from "../../tables/order/process-words.js";
import type { DomElement } from "../figure/svg-text.js";

/** A color on a white page, and its counterpart on a dark page. */
type Pair = readonly [light: string, dark: string];

/** Colors of categories: each legible on its page, with distinct neighbors, also around the end, for all readers. */
const categories = [
  ["#2a64c8", "#5887db"],
  ["#dc7107", "#f5a14b"],
  ["#10895c", "#6db68c"],
  ["#279cdb", "#79d7f9"],
  ["#bc7b98", "#d3aabc"],
  ["#ba4f21", "#df6d45"],
  ["#8860eb", "#a288fe"],
  ["#a03170", "#b95599"],
  ["#615031", "#ebd482"],
  ["#179694", "#4bc4bb"],
] as const satisfies readonly Pair[];

/** Classes of numbers, low to high: from light to dark on white, and from dark to light on a dark page. */
const numberSteps = [
  ["#dbeff8", "#283b67"],
  ["#92cdf1", "#1a61b0"],
  ["#4496dc", "#3396de"],
  ["#1265bf", "#84cbf4"],
  ["#102870", "#def5ff"],
] as const satisfies readonly Pair[];

/** The low classes of numbers have little contrast to the page, so that figures outline them. */
const paleSteps = 2;

const greys = { other: ["#71685a", "#a89e8d"], none: ["#98907f", "#7f7767"] } as const satisfies Record<string, Pair>;

/** The final state of a process. No other state is green. */
const done = ["#006d44", "#5fe3a1"] as const satisfies Pair;

/** Steps of a process before its end, for 1 to 6 of them: darker step by step on white, lighter on a dark page. */
const processSteps: readonly (readonly Pair[])[] = [
  [["#5480c8", "#5a86ce"]],
  [
    ["#269fcb", "#007da8"],
    ["#714ec0", "#b697ff"],
  ],
  [
    ["#2c9fc6", "#0076a0"],
    ["#5a71e6", "#5482ff"],
    ["#6240b3", "#c5a6ff"],
  ],
  [
    ["#0d9aec", "#00759e"],
    ["#5d80a3", "#7196b8"],
    ["#7560df", "#947cfe"],
    ["#5c3cab", "#c4aaff"],
  ],
  [
    ["#6d97c2", "#01749d"],
    ["#8471fe", "#746cf1"],
    ["#5a7da4", "#5592b6"],
    ["#6b48f7", "#c189ff"],
    ["#61429a", "#d1bbf5"],
  ],
  [
    ["#6d97c3", "#476e97"],
    ["#816ff9", "#6e4dfe"],
    ["#537ea5", "#5a98b7"],
    ["#5e4bf0", "#9775ff"],
    ["#68558c", "#bea3fa"],
    ["#590494", "#c7dafe"],
  ],
];

/** Values that mean trouble. */
const warm = [
  ["#d65c19", "#f6a04a"],
  ["#b71d00", "#f2545b"],
] as const satisfies readonly Pair[];

/** Levels of importance, for 1 to 7 of them: the most important has the most contrast to the page. */
const importanceSteps: readonly (readonly Pair[])[] = [
  [["#c2510e", "#e0641c"]],
  [
    ["#a79163", "#7e6b4d"],
    ["#93040b", "#ff7050"],
  ],
  [
    ["#a79062", "#7e6c4c"],
    ["#c1510d", "#bd6415"],
    ["#93020f", "#fd816d"],
  ],
  [
    ["#a89066", "#716d65"],
    ["#c06e04", "#a67758"],
    ["#ba3636", "#dd6016"],
    ["#900000", "#f88b82"],
  ],
  [
    ["#a1926b", "#7a6a52"],
    ["#b87c1a", "#a55c1d"],
    ["#be4755", "#b87f5e"],
    ["#bc0401", "#f35f08"],
    ["#8d1226", "#f88b84"],
  ],
  [
    ["#a49167", "#746d5c"],
    ["#c67a10", "#917139"],
    ["#946d54", "#c25c79"],
    ["#c73001", "#b18962"],
    ["#99344a", "#f9600e"],
    ["#94000d", "#f78a89"],
  ],
  [
    ["#a8906a", "#766b5b"],
    ["#c47c16", "#986d37"],
    ["#8a7a6b", "#928274"],
    ["#c64203", "#ca7404"],
    ["#93544c", "#af8d69"],
    ["#ac0e08", "#ff4a9e"],
    ["#872031", "#ed9141"],
  ],
];

/** Closed values: a cooler gray than that of none and other. */
const slate = [
  ["#8c959d", "#747d87"],
  ["#5f6770", "#a9b2bc"],
] as const satisfies readonly Pair[];

/** The color of a curve that is not a stage. */
const extra = ["#b8700a", "#d9a441"] as const satisfies Pair;

/** The counterparts on a dark page of all colors. */
export const darkColors: ReadonlyMap<string, string> = new Map<string, string>([
  ...categories,
  ...numberSteps,
  ...Object.values(greys),
  done,
  ...processSteps.flat(),
  ...warm,
  ...importanceSteps.flat(),
  ...slate,
  extra,
]);

/** The colors on a white page. Figures replace them on a dark page. */
const onWhite = (pairs: readonly Pair[]) => pairs.map(([light]) => light);

export const palette: readonly string[] = onWhite(categories);

export const steps: readonly string[] = onWhite(numberSteps);

/** Colors that need an outline, on a white and on a dark page. */
export const paleColors: ReadonlySet<string> = new Set(steps.slice(0, paleSteps));

/** The outline of pale colors. */
export const outline = { color: "currentColor", opacity: 0.55, width: 0.75 } as const;

/** Colors of values without a color, and of null; both muted. */
export const grey = { other: greys.other[0], none: greys.none[0] } as const;

/** Colors of items that appear, come back and are resolved, in every figure. */
export const changeColors = {
  new: palette[1] as string,
  returned: palette[4] as string,
  resolved: palette[2] as string,
} as const;

/** The color of a curve that is not a stage, such as the earned amount. */
export const extraColor = extra[0];

/** Categories next to warm ones for trouble: the ones distinct from warm colors. */
const cool: readonly string[] = [0, 4, 2, 6, 7, 3].map((index) => palette[index] as string);

/** The color of single-colored charts, with equal contrast to white and to a dark background. */
export const accent = "#2a86c8";

/** Outlines areas and points whose color has little contrast to the page. */
export function outlinePale(figure: DomElement): void {
  for (const element of figure.querySelectorAll("[fill]")) {
    const [fill, stroke] = [element.getAttribute("fill"), element.getAttribute("stroke")];
    if (!fill || !paleColors.has(fill) || (stroke !== null && stroke !== fill)) continue;
    element.setAttribute("stroke", outline.color);
    element.setAttribute("stroke-opacity", String(outline.opacity));
    element.setAttribute("stroke-width", String(outline.width));
  }
}

/**
 * Style rules that replace the colors of figures on a dark page.
 *
 * @param svg the figures, or a list of colors
 */
export function darkStyle(svg: string): string {
  const used = [...darkColors].filter(([light]) => svg.includes(light));
  const rulesIn = (scope: string) =>
    used
      .flatMap(([light, dark]) => ["fill", "stroke"].map((name) => `${scope} [${name}="${light}"]{${name}:${dark}}`))
      .join("");
  if (used.length === 0) return "";
  const isDarkCode = ":is(.vscode-dark,.vscode-high-contrast:not(.vscode-high-contrast-light))";
  const isLightCode = ":is(.vscode-light,.vscode-high-contrast-light)";
  // In media queries, since simple renderers of SVG skip them, but fail at unknown selectors.
  return (
    `@media (prefers-color-scheme:dark){${rulesIn(`svg.siteframe-plot:not(${isLightCode} *)`)}}` +
    `@media screen{${rulesIn(`${isDarkCode} svg.siteframe-plot`)}}`
  );
}

const lightPage = "color: #1d2228; background: #fff; --plot-background: #fff;";
const darkPage = "color: #dfe4e9; background: #15191d; --plot-background: #15191d;";

/**
 * Style of an SVG file, which cannot use the page's style: it has a background and a color for text, and both follow the
 * reader's preference for light or dark. VS Code embeds it in its page, which has its own theme.
 */
const fileStyle = `<style>svg.siteframe-plot, .vscode-light svg.siteframe-plot { ${lightPage} }
.vscode-dark svg.siteframe-plot, .vscode-high-contrast svg.siteframe-plot { ${darkPage} }
.vscode-high-contrast-light svg.siteframe-plot { ${lightPage} }
@media (prefers-color-scheme: dark) { svg.siteframe-plot { ${darkPage} } }
@media (prefers-contrast: more) { svg.siteframe-plot { color: #000; } svg.siteframe-plot text { opacity: 1; } }
@media (prefers-contrast: more) and (prefers-color-scheme: dark) { svg.siteframe-plot { color: #fff; background: #000; --plot-background: #000; } }
@media (forced-colors: active) { svg.siteframe-plot { color: CanvasText; background: Canvas; --plot-background: Canvas; } svg.siteframe-plot text { opacity: 1; } }
svg.siteframe-plot svg { --plot-background: inherit; }
svg.siteframe-plot > text { font-family: system-ui, sans-serif; fill: currentColor; }`;

/** Returns the SVG of a figure as a file, with the style of its page and the colors on a dark page. */
export function withFileStyle(svg: string): string {
  return svg.replace(/^<svg[^>]*>/, (tag) => `${tag}${fileStyle}\n${darkStyle(svg)}</style>`);
}

/** A figure with the colors of a dark page, for renderers that do not support `darkStyle()`. */
export function withDarkColors(svg: string): string {
  return svg.replace(/(?<=\b(?:fill|stroke)=")#[0-9a-f]{6}(?=")/g, (light) => darkColors.get(light) ?? light);
}

/** Paint for unknown values. Every figure that uses it has the mark `hatch()`. */
export const hatchFill = "url(#siteframe-hatch)";

export interface SvgNode {
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
function schemeOf(schemes: readonly (readonly Pair[])[], count: number): readonly string[] {
  return onWhite(schemes.slice(0, count).at(-1) ?? []);
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
      onWhite(warm),
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
 * The colors of processes: trouble is warm, closed is gray, and the steps in between go from blue to violet. Green is only
 * the end of construction: a complete step, or the last one if no value is closed and the last is not work under way.
 */
function processColours(named: readonly string[], all: readonly string[]): ReadonlyMap<string, string> {
  const inTrouble = all.filter((label) => meaningOf(label) === "trouble");
  const closed = all.filter((label) => meaningOf(label) === "closed");
  const steps = all.filter((label) => !inTrouble.includes(label) && !closed.includes(label));
  const last = steps.at(-1);
  const isEnd = last !== undefined && (meaningOf(last) === "complete" || (closed.length === 0 && !isUnderWay(last)));
  const before = isEnd ? steps.slice(0, -1) : steps;
  const of = (some: readonly string[]) => named.filter((label) => some.includes(label));
  return new Map([
    ...colourPlaces(of(before), before, schemeOf(processSteps, before.length)),
    ...(isEnd ? [[last, done[0]] as const] : []),
    ...colourPlaces(of(inTrouble), inTrouble, onWhite(warm)),
    // The last one is the final state, with the calm gray in any case.
    ...colourPlaces(of(closed), closed.toReversed(), onWhite(slate)),
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
