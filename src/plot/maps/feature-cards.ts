import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { dayOrMinute, formatDate, inUtc } from "../../core/format/format-date.js";
import { formatCount } from "../../core/format/format-number.js";
import {
  anything,
  checkOptions,
  givenOptions,
  integerFrom,
  numeric,
  type OptionRules,
  text,
  texts,
} from "../../core/options.js";
import { printable } from "../../core/printable.js";
import { reportLocale } from "../../core/provenance.js";
import { showValue } from "../../core/show-value.js";
import { readerWord, translate } from "../../core/translate.js";
import { valueLabel } from "../../history/order/value-label.js";
import type { Layer } from "../../layer/layer.js";
import { displaySymbol, type MimeBundle } from "../../tables/display/mime-bundle.js";
import { pictureImage } from "../../tables/display/pictures/picture.js";
import { type SketchBasemap, sketchBasemap, sketchPlace } from "../../tables/display/pictures/sketch-map.js";
import { escapeHtml } from "../../tables/display/text.js";
import { tableRows } from "../values/table-rows.js";
import { columnLabel, featureHint } from "./map-features.js";

/** Options of `featureCards()`. */
export interface FeatureCardsOptions {
  /** Column with the heading of a card. Default: `visible_id` if it exists, else `id`. */
  readonly heading?: string;
  /** Columns to list next to the map, in this order. Default: none. */
  readonly columns?: readonly string[];
  /** Features to draw in gray around the feature, such as the panels around an anomaly. */
  readonly background?: Layer | ColumnTable;
  /** Minimum width of the map, in meters. Default: 60. */
  readonly widthMeters?: number;
  /** Maximum number of cards; a note has the number of rows that are not shown. Default: 60. */
  readonly limit?: number;
}

/** Cards as HTML and as text. Notebooks display them. */
export interface FeatureCards {
  /** HTML for Jupyter and other hosts. */
  [displaySymbol](): MimeBundle;
  /** The cards as text, one feature per line. */
  toString(): string;
}

const rules: OptionRules<FeatureCardsOptions> = {
  heading: text,
  columns: texts,
  background: anything,
  widthMeters: numeric,
  limit: integerFrom(1),
};

/** Pixels: three cards fit next to each other on A4. */
const sketch = { width: 200, height: 128 } as const;

/**
 * Returns a card for each feature, in the order of the rows: a small map of its surroundings, and the values of columns. For
 * the list in a report.
 *
 * @param data a layer, or a table with a column `geometry`
 * @throws ArgumentError for unknown columns
 * @example
 * featureCards(tickets, { columns: ["STATUS", "PRIORITY"], limit: 3 })
 */
export function featureCards(data: Layer | ColumnTable, options: FeatureCardsOptions = {}): FeatureCards {
  checkOptions("featureCards()", options, rules);
  const rows = tableRows(data, featureHint);
  const { columns = [], background, widthMeters: metres = 60, limit = 60 } = options;
  if (!(metres > 0)) {
    throw new ArgumentError(`featureCards(): widthMeters must be a number above 0, got ${showValue(metres)}.`, {
      hint: "For example: { widthMeters: 60 }.",
    });
  }
  const heading = options.heading ?? ["visible_id", "id"].find((name) => rows.has(name));
  const headingAt = heading === undefined ? (row: number) => row + 1 : rows.column(heading);
  const geometryAt = rows.column("geometry");
  const fields = columns.map((name) => ({ label: columnLabel(data, name), at: rows.column(name) }));
  const count = Math.min(rows.count, limit);
  const basemap = background === undefined ? [] : basemapOf(background);
  const cards = Array.from({ length: count }, (_, row): Card => {
    const lines = fields.map(({ label, at }) => lineOf(label, valueText(at(row))));
    return { heading: valueText(headingAt(row)), lines, geometry: geometryAt(row) };
  });
  const rest = rows.count - count;
  const note =
    rest === 0
      ? ""
      : translate("{count} of {total}, in the order of the table.", { count, total: formatCount(rows.count) });
  const asText = () => printable([...cards.map(cardText), note].filter(Boolean).join("\n"));
  return {
    [displaySymbol]: () => ({ "text/html": htmlOf(cards, basemap, metres, note), "text/plain": asText() }),
    toString: asText,
  };
}

interface Card {
  readonly heading: string;
  readonly lines: readonly { readonly label: string; readonly value: string }[];
  readonly geometry: unknown;
}

function basemapOf(background: Layer | ColumnTable): SketchBasemap {
  const rows = tableRows(background, featureHint);
  return sketchBasemap({ count: rows.count, geometryAt: rows.column("geometry") });
}

function valueText(value: unknown): string {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return readerWord(valueLabel(value));
  return formatDate(value, {
    ...inUtc,
    unit: dayOrMinute([value.getTime()], inUtc),
    ...givenOptions({ locale: reportLocale() }),
  });
}

/** A line of a card. A value that begins with its label, such as "Block 05", needs none. */
function lineOf(label: string, value: string): Card["lines"][number] {
  const isRepeated = value.toLowerCase().startsWith(`${label.toLowerCase()} `);
  return { label: isRepeated ? "" : label, value };
}

function cardText({ heading, lines }: Card): string {
  return [heading, ...lines.map(({ label, value }) => (label === "" ? value : `${label}: ${value}`))].join("; ");
}

// Inline, since Jupyter removes style elements from untrusted notebooks. Lines have the color of the host's text.
const grid =
  "display:grid;grid-template-columns:repeat(auto-fill,minmax(13.5rem,1fr));gap:.7rem;font-family:system-ui,sans-serif;font-size:.8rem;line-height:1.4";
const box =
  "border:1px solid color-mix(in srgb, currentColor 22%, transparent);border-radius:8px;padding:.5rem;break-inside:avoid;overflow-wrap:anywhere";
const list = "display:grid;grid-template-columns:fit-content(45%) 1fr;gap:0 .7rem";
const soft = "opacity:.75";

function htmlOf(cards: readonly Card[], basemap: SketchBasemap, metres: number, note: string): string {
  const all = cards.map((card) => cardHtml(card, basemap, metres)).join("");
  // Above the cards; below them it could be alone on a page.
  const above =
    note === ""
      ? ""
      : `<div style="${soft};font:12px/1.5 system-ui,sans-serif;margin-bottom:.5rem;break-after:avoid">${escapeHtml(note)}</div>`;
  return `${above}<div class="siteframe-cards" style="${grid}">${all}</div>`;
}

function cardHtml({ heading, lines, geometry }: Card, basemap: SketchBasemap, metres: number): string {
  const picture = sketchPlace(geometry, basemap, { ...sketch, metres });
  const map = picture ? pictureImage(picture, true) : `<div style="${soft}">${translate("No location")}</div>`;
  const html = lines.map(({ label, value }) => {
    return `<span style="${soft}">${escapeHtml(label)}</span><span>${escapeHtml(value)}</span>`;
  });
  return `<div style="${box}">${map}<div style="font-weight:650;margin-top:.3rem">${escapeHtml(heading)}</div><div style="${list}">${html.join("")}</div></div>`;
}
