import type { Markish } from "@observablehq/plot";

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
