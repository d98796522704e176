import { printable } from "../../core/printable.js";
import { type Provenance, provenanceOf } from "../../core/provenance.js";
import type { DomElement } from "./svg-text.js";

const maxWords = 400;

/** A figure in words, for terminals and other hosts without images: `[Plot 640 × 400] Tickets by status. …`. */
export function figureText(figure: DomElement, chart: DomElement | undefined): string {
  const size = chart ? ` ${chart.getAttribute("width")} × ${chart.getAttribute("height")}` : "";
  const words = figureWords(figure, chart);
  return `[Plot${size}]${words === "" ? "" : ` ${printable(words)}`}`;
}

/** Returns the words in a figure: its headings, and the label of its chart. */
export function figureWords(figure: DomElement, chart: DomElement | undefined): string {
  const words = [...headings(figure), plain(chart?.getAttribute("aria-label") ?? "")]
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text, index, all) => text !== "" && all.indexOf(text) === index)
    .map((text) => (/[.!?…]$/.test(text) ? text : `${text}.`))
    .join(" ");
  return words.length > maxWords ? `${words.slice(0, maxWords - 1)}…` : words;
}

function headings(figure: DomElement): readonly string[] {
  if (figure.tagName.toLowerCase() !== "figure") return [];
  return [...figure.querySelectorAll("h2, h3, figcaption")].map((element) => element.textContent);
}

/** Attributes are stored escaped. */
function plain(attribute: string): string {
  return attribute.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** An option of every figure. */
export interface ProvenanceOptions {
  /**
   * Data of the provenance line below the figure: a layer, a history or one of their tables. `false` hides the line. Default:
   * the data of the figure.
   */
  readonly provenance?: unknown;
}

/** The provenance of the requested data, else of the first table in the data of the marks. */
export function figureProvenance(given: unknown, marks: readonly unknown[]): Provenance | undefined {
  if (given !== undefined && given !== false) return provenanceOf(given);
  for (const mark of marks.flat(Number.POSITIVE_INFINITY)) {
    const provenance = provenanceOf(typeof mark === "object" && mark !== null ? Reflect.get(mark, "data") : undefined);
    if (provenance) return provenance;
  }
  return undefined;
}
