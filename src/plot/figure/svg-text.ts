/** Widths of characters in ems, for the wider fonts of `system-ui`. */
const widths: readonly (readonly [RegExp, number])[] = [
  [/[ijlI.,:;'|!\u2009]/, 0.3],
  [/[\s\-()[\]frt/]/, 0.42],
  [/W/, 1.05],
  [/[mwM@%\u2014]/, 0.96],
  [/\p{Lu}/u, 0.72],
  // Chinese, Japanese and Korean characters fill a square.
  [/[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]/, 1],
];
const usual = 0.62;

/** Relative width of bold characters. */
const BOLD = 1.15;

/** Approximate width of text, that of its widest line: without a browser it cannot be measured. */
export function textWidth(text: string, fontSize: number, isBold = false): number {
  const ems = text.split("\n").map((line) => Array.from(line, characterWidth).reduce((sum, width) => sum + width, 0));
  return Math.max(...ems) * fontSize * (isBold ? BOLD : 1);
}

function characterWidth(character: string): number {
  return widths.find(([pattern]) => pattern.test(character))?.[1] ?? usual;
}

/** Width and height of an SVG image, by its viewBox. */
export function svgSize(svg: string): { readonly width: number; readonly height: number } {
  const [, width = 0, height = 0] = (/^<svg[^>]*viewBox="\S+ \S+ (\S+) ([^"\s]+)"/.exec(svg) ?? []).map(Number);
  return { width, height };
}

/** The used part of a linkedom element. The library compiles without the DOM's types. */
export interface DomElement {
  readonly tagName: string;
  readonly outerHTML: string;
  textContent: string;
  readonly children: Iterable<DomElement>;
  readonly parentElement: DomElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  querySelectorAll(selector: string): Iterable<DomElement>;
  cloneNode(deep: true): DomElement;
  append(...nodes: DomElement[]): void;
}

/** Width in pixels of a figure for a page as narrow as a phone's. */
export const narrowWidth = 360;

/** The chart of a figure; its legends are SVG elements before it. */
export function chartOf(figure: DomElement): DomElement | undefined {
  if (figure.tagName.toLowerCase() === "svg") return figure;
  return [...figure.children].findLast(({ tagName }) => tagName.toLowerCase() === "svg");
}
