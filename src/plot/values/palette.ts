import type { Markish, ScaleOptions } from "@observablehq/plot";
import { labels, valueLabel } from "./table-rows.js";

/**
 * Colours that stay apart for colour-blind readers, on white and on dark ground: Okabe and Ito (2008) without black and
 * yellow, then two more.
 */
export const palette: readonly string[] = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#56b4e9",
  "#cc79a7",
  "#d55e00",
  "#8b5cf6",
  "#a8326e",
];

/** Classes of numbers, low to high: darker to lighter, so that they keep their order in grey. */
export const steps: readonly string[] = ["#4a55b0", "#2a84a6", "#20a486", "#86c440", "#e3b505"];

/** What stands for everything that has no colour of its own, and for null; neither shines on white or on dark ground. */
export const grey = { other: "#6b757e", none: "#99a3ac" } as const;

/** The colour of single-coloured charts: as far from white as from a dark ground. */
export const accent = "#2a86c8";

/** Paint for what is not known. Every figure that uses it has the mark `hatch()`. */
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

/** A mark that draws nothing but defines the hatching. Its lines have the text's colour, light or dark. */
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

/**
 * A colour scale for labels of values: unknown is hatched, none and other are grey.
 *
 * @param places all labels that the column can have: a label's place among them gives its colour, whatever else a
 *   figure shows
 */
export function valueColours(domain: readonly string[], places: readonly string[] = domain): ScaleOptions {
  const colours = colourPlaces(
    domain.filter((label) => !isSpecial(label)),
    places.filter((label) => !isSpecial(label)),
  );
  const colourOf = (label: string): string => {
    if (label === labels.unknown) return hatchFill;
    if (label === labels.none) return grey.none;
    return label === labels.other ? grey.other : (palette[colours.get(label) ?? 0] ?? grey.other);
  };
  return { type: "ordinal", domain, range: domain.map(colourOf), legend: domain.length > 1 };
}

/** Place of each label's colour in the palette. Of more places than colours a taken one gives way to the next. */
function colourPlaces(named: readonly string[], places: readonly string[]): ReadonlyMap<string, number> {
  const all = [...new Set([...places, ...named])];
  const taken = new Set<number>();
  const colours = new Map<string, number>();
  for (const label of named) {
    let colour = all.indexOf(label) % palette.length;
    while (taken.has(colour) && taken.size < palette.length) colour = (colour + 1) % palette.length;
    taken.add(colour);
    colours.set(label, colour);
  }
  return colours;
}

/**
 * Labels in an order: those that are listed first, even if they were not found, so that every figure with the same
 * list has the same colours; the rest after them, unknown at the end.
 */
export function orderLabels(found: Iterable<string>, order: readonly unknown[] = []): readonly string[] {
  const all = new Set(found);
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
