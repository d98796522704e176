// Words in figures for the readers of a report: codes become words, all in the report's language.
import { reportLocale } from "../../core/provenance.js";
import { readerWord } from "../../core/translate.js";
import type { TooltipMark } from "../../tables/display/live/chart-payload.js";
import type { DomElement } from "./svg-text.js";

interface TextNode {
  readonly nodeType: number;
  readonly childNodes?: Iterable<TextNode>;
  readonly tagName?: string;
  textContent: string;
}

const TEXT = 3;

/** Translates a drawn figure: title, legend, axes and labels. */
export function translateTexts(figure: DomElement): void {
  if (reportLocale() === undefined) return;
  visit(figure as unknown as TextNode);
  for (const element of [figure, ...figure.querySelectorAll("[aria-label]")]) {
    const label = element.getAttribute("aria-label");
    if (label) element.setAttribute("aria-label", label.replace(/[A-Z]+(?:_[A-Z]+)*/g, readerWord));
  }
}

function visit(node: TextNode): void {
  for (const child of node.childNodes ?? []) {
    if (child.nodeType !== TEXT) {
      if (child.tagName?.toLowerCase() !== "style") visit(child);
      continue;
    }
    const text = readerText(child.textContent);
    if (text !== child.textContent) child.textContent = text;
  }
}

/** A label of an axis with its arrow, an amount with its unit, or a word. */
const PARTS = /^(↑ |← |[+−]?\d[\d.,\u00a0\u202f]*\s)?(.*?)( →)?$/su;

function readerText(text: string): string {
  const whole = readerWord(text);
  if (whole !== text) return whole;
  return text.replace(PARTS, (_, before = "", word: string, after = "") => `${before}${readerWord(word)}${after}`);
}

/** Translates the tooltips of a mark. */
export function translateTooltips(mark: TooltipMark): TooltipMark {
  if (reportLocale() === undefined) return mark;
  const channels = mark.channels.map((channel) => ({
    ...channel,
    label: readerText(channel.label),
    texts: channel.texts.map(readerText),
  }));
  const { series } = mark;
  return { ...mark, channels, ...(series ? { series: { ...series, labels: series.labels.map(readerWord) } } : {}) };
}
