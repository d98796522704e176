import { basename } from "node:path";
import { askedTimeText, minuteText } from "../../core/instant.js";
import { printable } from "../../core/printable.js";
import { type Provenance, provenanceOf } from "../../core/provenance.js";
import { originName } from "../../tables/display/text.js";
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
export function figureProvenance(asked: unknown, marks: readonly unknown[]): Provenance | undefined {
  if (asked !== undefined && asked !== false) return provenanceOf(asked);
  for (const mark of marks.flat(Number.POSITIVE_INFINITY)) {
    const found = provenanceOf(typeof mark === "object" && mark !== null ? Reflect.get(mark, "data") : undefined);
    if (found) return found;
  }
  return undefined;
}

/**
 * `As of 2024-06-30. Data read 2026-06-30 14:03 UTC (acme.snapshot, generation 2)`, with the date only if one was requested.
 * The URL of a live service and the folders around a snapshot are not shown, since figures are published; in a report, not
 * even the snapshot's name: `(a snapshot, generation 2)`.
 */
export function provenanceLine({ origin, generation, readAt, asOf }: Provenance): string {
  const snapshot = generation === undefined ? "" : ` (${basename(originName(origin))}, generation ${generation})`;
  const past = asOf === undefined ? "" : `As of ${askedTimeText(asOf)}. `;
  return `${past}Data read ${minuteText(readAt)}${snapshot}`;
}
