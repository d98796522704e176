import { ArgumentError } from "../../core/errors.js";
import { formatAsked, shownDates } from "../../core/format/format-date.js";
import { formatFigure, withUnit } from "../../core/format/format-number.js";
import {
  anything,
  checkOptions,
  integerFrom,
  type OptionRule,
  type OptionRules,
  oneOf,
  text,
} from "../../core/options.js";
import { printable } from "../../core/printable.js";
import { belowWhole } from "../../core/share.js";
import { valueKind } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { translate } from "../../core/translate.js";
import { NOT_KNOWN } from "../../history/order/value-label.js";
import { displaySymbol, type MimeBundle } from "../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";

/** One key figure. */
export interface Kpi {
  /** Name of the figure: `Open tickets`. */
  readonly label: string;
  /** The figure, a string such as a date, or null if unknown. */
  readonly value: number | string | null;
  /** Unit after a number: `MW`, `%`, `days`. The change of a `%` is in points. */
  readonly unit?: string | undefined;
  /** Value in the last report, to show the change; null if unknown. */
  readonly before?: number | null | undefined;
  /** Direction that is an improvement. If omitted, the change has no color. */
  readonly better?: "higher" | "lower" | undefined;
  /** Decimals. Default: 0 for integers and numbers from 100, else 1. Small numbers other than 0 have as many as needed. */
  readonly digits?: number | undefined;
  /** Line below the figure: `of 150`, `P50`. */
  readonly note?: string | undefined;
}

/** Options of `kpis()`. */
export interface KpiOptions {
  /** Date of the last report, as displayed: `2026-06-23`. */
  readonly since?: string | undefined;
}

/** Key figures as HTML and as text. Notebooks display them. */
export interface Kpis {
  /** HTML for Jupyter and other hosts. */
  [displaySymbol](): MimeBundle;
  /** The key figures as text, one per line. */
  toString(): string;
}

const rules: OptionRules<KpiOptions> = { since: text };

const numberOrNull: OptionRule = {
  takes: "a number, or null if unknown",
  accepts: (value) => value === null || (typeof value === "number" && Number.isFinite(value)),
};

/** May be empty: notes are often composed. */
const words: OptionRule = { takes: "a string", accepts: (value) => typeof value === "string" };

const figureRules: OptionRules<Kpi> = {
  label: words,
  value: anything,
  unit: words,
  before: numberOrNull,
  better: oneOf("higher", "lower"),
  digits: integerFrom(0, 20),
  note: words,
};

/**
 * Returns key figures as tiles, with the change since the last report, for the top of a report.
 *
 * @param figures in display order
 * @throws ArgumentError for a value that is not a number, string or null, and for an unknown property of a figure
 * @example
 * kpis([{ label: "Open", value: 24, before: 26, better: "lower" }], { since: "2026-06-02" })
 */
export function kpis(figures: readonly Kpi[], options: KpiOptions = {}): Kpis {
  checkOptions("kpis()", options, rules);
  if (!Array.isArray(figures)) {
    throw new ArgumentError(`kpis() needs an array of figures, got ${valueKind(figures)}.`, {
      hint: 'For example: kpis([{ label: "Open", value: 12 }]).',
    });
  }
  for (const figure of figures) checkOptions(`kpis() of ${showValue(figure?.label)}`, figure, figureRules);
  const tiles = figures.map((figure) => showKpi(figure, options.since));
  const asText = () => printable(tiles.map(kpiLine).join("\n"));
  return {
    [displaySymbol]: () => ({
      "text/html": `<div class="siteframe-kpis" style="--columns:${columnsOf(tiles.length)};${grid};max-width:${Math.min(60, WIDEST * tiles.length)}rem">${tiles.map(tileOf).join("")}</div>`,
      "text/plain": asText(),
      [kpiMime]: tiles,
    }),
    toString: asText,
  };
}

/** Columns in print: at most five, without a nearly empty last row. */
function columnsOf(count: number): number {
  const rows = Math.ceil(count / 5);
  return Math.max(1, Math.ceil(count / rows));
}

/** MIME type of key figures for programs: a list. */
export const kpiMime = "application/vnd.siteframe.kpis+json";

/** A key figure as displayed. */
export interface ShownKpi {
  readonly label: string;
  readonly value: string;
  /** Unit after a number. */
  readonly unit?: string | undefined;
  /** Empty without a change. */
  readonly change: string;
  /** Color of the change, if one direction is an improvement. */
  readonly colour?: string | undefined;
  readonly note?: string | undefined;
  /** Date of the last report, as displayed, and how changes end because of it. */
  readonly since?: string | undefined;
  readonly suffix: string;
  /** The figure for programs. */
  readonly amount: KpiAmount;
}

/** A key figure as a number, and its decimals. */
interface KpiAmount {
  readonly value: number | string | null;
  /** Undefined if it is not compared. */
  readonly before?: number | null | undefined;
  readonly decimals: number;
}

/** Whether a notebook output is a list of key figures. */
export function isKpiList(figures: unknown): figures is readonly ShownKpi[] {
  const isText = (value: unknown) => typeof value === "string";
  const isKpi = (each: Partial<ShownKpi> | null) =>
    [each?.label, each?.value, each?.change].every(isText) && typeof each?.amount === "object";
  return Array.isArray(figures) && figures.every(isKpi);
}

/** Colors with a contrast of at least 3 to 1 on light and dark backgrounds. */
const colours = { good: "#2e9e5b", bad: "#d9534f" } as const;

/** @param since date of the last report */
export function showKpi(figure: Kpi, since: string | undefined): ShownKpi {
  const { label, value, before, better, note } = figure;
  if (value !== null && typeof value !== "string" && !(typeof value === "number" && !Number.isNaN(value))) {
    throw new ArgumentError(`kpis(): the value of ${showValue(label)} is ${valueKind(value)}.`, {
      hint: "Pass a number, a string, or null if the value is unknown.",
    });
  }
  const unit = typeof value === "number" && figure.unit ? figure.unit : undefined;
  const tiles =
    value === null ? translate(NOT_KNOWN) : typeof value === "number" ? figureText(value, unit, figure.digits) : value;
  const behind = since === undefined ? "" : ` ${translate("since {day}", { day: formatAsked(since, shownDates()) })}`;
  const decimals =
    figure.digits ?? Math.max(...[value, before].map((each) => (typeof each === "number" ? digitsOf(each) : 0)));
  const parts = { label, value: tiles, unit, note, since, suffix: behind, amount: { value, before, decimals } };
  if (typeof value !== "number" || before === undefined) return { ...parts, change: "" };
  if (before === null) return { ...parts, change: `${translate("change not known")}${behind}` };
  const change = value - before;
  if (isNoise(change, value, before)) return { ...parts, change: `${translate("no change")}${behind}` };
  const text = formatFigure(Math.abs(change), { decimals });
  const isGood = better === undefined ? undefined : change > 0 === (better === "higher");
  const colour = isGood === undefined ? undefined : isGood ? colours.good : colours.bad;
  const changeUnit = unit === "%" ? translate("points") : unit;
  return { ...parts, change: `${change > 0 ? "▲ +" : "▼ −"}${withUnit(text, changeUnit)}${behind}`, colour };
}

/** Relative difference of sums of the same numbers in another order. */
const NOISE = 1e-12;

function isNoise(change: number, value: number, before: number): boolean {
  return Number.isFinite(change) && Math.abs(change) <= NOISE * Math.max(Math.abs(value), Math.abs(before));
}

function digitsOf(value: number): number {
  return Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1;
}

/** Values below 100% are never displayed as 100%. */
function figureText(value: number, unit: string | undefined, digits = digitsOf(value)): string {
  return formatFigure(unit === "%" ? belowWhole(value, digits) : value, { decimals: digits });
}

/** `Open: 24 (▼ −2 since 2026-06-02)`. */
function kpiLine({ label, value, unit, change, note }: ShownKpi): string {
  const rest = [note, change].filter(Boolean).join("; ");
  return `${label}: ${withUnit(value, unit)}${rest ? ` (${rest})` : ""}`;
}

/** Width of a single tile, in rem. */
const WIDEST = 16;

// Inline, since Jupyter removes style elements from untrusted notebooks. Lines have the color of the host's text.
const line = "1px solid color-mix(in srgb, currentColor 22%, transparent)";
const grid =
  "display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.7rem;font-family:system-ui,sans-serif";
const tile = `border:${line};border-radius:8px;padding:.7rem .9rem;break-inside:avoid;line-height:1.35`;
const soft = "font-size:.8rem;opacity:.75";

function tileOf(tiles: ShownKpi): string {
  const { label, value, unit, change, note } = tiles;
  const space = unit === "%" ? "" : " ";
  const behind =
    unit === undefined ? "" : `${space}<span style="font-size:.8rem;font-weight:400">${escapeHtml(unit)}</span>`;
  const figure = `<div style="font-size:1.3rem;font-weight:650;font-variant-numeric:tabular-nums"><span style="white-space:nowrap">${escapeHtml(value)}</span>${behind}</div>`;
  const below = [
    note === undefined ? "" : `<div style="${soft}">${escapeHtml(note)}</div>`,
    change === "" ? "" : `<div style="font-size:.8rem">${changeHtml(tiles)}</div>`,
  ];
  return `<div style="${tile}"><div style="${soft}">${escapeHtml(label)}</div>${figure}${below.join("")}</div>`;
}

/** The change of a figure, with a colored arrow. */
export function changeHtml({ change, colour }: Pick<ShownKpi, "change" | "colour">): string {
  const [arrow = ""] = /^[▲▼]/.exec(change) ?? [];
  const mark =
    arrow && `<span style="${colour === undefined ? "" : `color:${colour}`}" aria-hidden="true">${arrow}</span>`;
  return `${mark}${changeOf(change.slice(arrow.length))}`;
}

/** Dates do not wrap. */
function changeOf(text: string): string {
  const [before = ""] = translate("since {day}").split("{day}");
  const start = text.indexOf(before);
  if (before === "" || start < 0) return escapeHtml(text);
  return `${escapeHtml(text.slice(0, start))}<span style="white-space:nowrap">${escapeHtml(text.slice(start))}</span>`;
}
