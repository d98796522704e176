import type { DomElement } from "./dom-element.js";

const maxWords = 400;

/** A figure in words, for terminals and wherever no image shows: `[Plot 640 × 400] Tickets by status. …`. */
export function figureText(figure: DomElement, chart: DomElement | undefined): string {
  const size = chart ? ` ${chart.getAttribute("width")} × ${chart.getAttribute("height")}` : "";
  const words = figureWords(figure, chart);
  return `[Plot${size}]${words === "" ? "" : ` ${words}`}`;
}

/** What a figure says of itself: its headings, and the label of its chart. */
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

/** Attributes are kept as they are written. */
function plain(attribute: string): string {
  return attribute.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
