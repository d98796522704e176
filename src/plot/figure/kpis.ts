import { ArgumentError } from "../../core/errors.js";
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
import { NOT_KNOWN, shortAmount } from "../../history/order/value-label.js";
import { displaySymbol, type MimeBundle } from "../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";

/** One key figure. */
export interface Kpi {
  /** What it is: `Open tickets`. */
  readonly label: string;
  /** The figure, a text such as a date, or null where it is not known. */
  readonly value: number | string | null;
  /** Behind a number: `MW`, `%`, `days`. The change of a `%` is in points. */
  readonly unit?: string | undefined;
  /** What it was in the last report; the change is shown. Null where that is not known. */
  readonly before?: number | null | undefined;
  /** Which direction is good. Neither if absent: the change has no colour. */
  readonly better?: "higher" | "lower" | undefined;
  /** Digits behind the point. Default: none for integers and numbers from 100, else 1. What is not 0 has as many as show that. */
  readonly digits?: number | undefined;
  /** A line below: `of 150`, `P50`. */
  readonly note?: string | undefined;
}

/** Options of `kpis()`. */
export interface KpiOptions {
  /** The date of what was before, as it is to be read: `2026-06-23`. */
  readonly since?: string | undefined;
}

/** Key figures that show themselves, as HTML and as text. */
export interface Kpis {
  /** What Jupyter and other hosts show. */
  [displaySymbol](): MimeBundle;
  /** As text, a figure a line. */
  toString(): string;
}

const rules: OptionRules<KpiOptions> = { since: text };

const numberOrNull: OptionRule = {
  takes: "a number, or null where it is not known",
  accepts: (value) => value === null || (typeof value === "number" && Number.isFinite(value)),
};

/** Also none: notes are often made of parts. */
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
 * Key figures as tiles, with the change since the last report: for the head of a report.
 *
 * @param figures in the order in which they stand
 * @throws ArgumentError for a figure whose value is no number, text or null, and for one with something that figures do not have
 */
export function kpis(figures: readonly Kpi[], options: KpiOptions = {}): Kpis {
  checkOptions("kpis()", options, rules);
  if (!Array.isArray(figures)) {
    throw new ArgumentError(`kpis() takes an array of figures, got ${valueKind(figures)}.`, {
      hint: 'Give kpis([{ label: "Open", value: 12 }]).',
    });
  }
  for (const figure of figures) checkOptions(`kpis() of ${showValue(figure?.label)}`, figure, figureRules);
  const shown = figures.map((figure) => showKpi(figure, options.since));
  const asText = () => printable(shown.map(kpiLine).join("\n"));
  return {
    [displaySymbol]: () => ({
      "text/html": `<div style="${grid}">${shown.map(tileOf).join("")}</div>`,
      "text/plain": asText(),
      [kpiMime]: shown,
    }),
    toString: asText,
  };
}

/** The format in which key figures tell programs what they show: a list of them. */
export const kpiMime = "application/vnd.siteframe.kpis+json";

/** A key figure as it is shown. */
export interface ShownKpi {
  readonly label: string;
  readonly value: string;
  /** Behind a number. */
  readonly unit?: string | undefined;
  /** Empty if there is none to be shown. */
  readonly change: string;
  /** Of the change, if one direction is good. */
  readonly colour?: string | undefined;
  readonly note?: string | undefined;
}

/** Whether an output of a notebook is such a list. */
export function isKpiList(figures: unknown): figures is readonly ShownKpi[] {
  const isText = (value: unknown) => typeof value === "string";
  return Array.isArray(figures) && figures.every((each) => [each?.label, each?.value, each?.change].every(isText));
}

/** Both stand out from light and from dark grounds, 3 to 1 and more. */
const colours = { good: "#2e9e5b", bad: "#d9534f" } as const;

/** @param since the date of what was before */
export function showKpi(figure: Kpi, since: string | undefined): ShownKpi {
  const { label, value, before, better, note } = figure;
  if (value !== null && typeof value !== "string" && !(typeof value === "number" && !Number.isNaN(value))) {
    throw new ArgumentError(`kpis(): the value of ${showValue(label)} is ${valueKind(value)}.`, {
      hint: "Give a number, a string, or null if the value is unknown.",
    });
  }
  const unit = typeof value === "number" && figure.unit ? figure.unit : undefined;
  const shown = value === null ? NOT_KNOWN : typeof value === "number" ? figureText(value, unit, figure.digits) : value;
  const behind = since === undefined ? "" : ` since ${since}`;
  const told = { label, value: shown, unit, note };
  if (typeof value !== "number" || before === undefined) return { ...told, change: "" };
  if (before === null) return { ...told, change: `change ${NOT_KNOWN}${behind}` };
  const change = value - before;
  if (isNoise(change, value, before)) return { ...told, change: `no change${behind}` };
  const text = number(Math.abs(change), figure.digits ?? Math.max(digitsOf(value), digitsOf(before)));
  const isGood = better === undefined ? undefined : change > 0 === (better === "higher");
  const colour = isGood === undefined ? undefined : isGood ? colours.good : colours.bad;
  const changeUnit = unit === "%" ? "points" : unit;
  return { ...told, change: `${change > 0 ? "▲ +" : "▼ −"}${withUnit(text, changeUnit)}${behind}`, colour };
}

/** What sums of the same numbers in another order may differ by. */
const NOISE = 1e-12;

function isNoise(change: number, value: number, before: number): boolean {
  return Number.isFinite(change) && Math.abs(change) <= NOISE * Math.max(Math.abs(value), Math.abs(before));
}

function digitsOf(value: number): number {
  return Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1;
}

/** Less than 100 % never reads as 100 %. */
function figureText(value: number, unit: string | undefined, digits = digitsOf(value)): string {
  return number(unit === "%" ? belowWhole(value, digits) : value, digits);
}

/** What is not nothing has as many digits as say so. */
function number(value: number, digits = digitsOf(value)): string {
  const text = value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: "negative",
  });
  const isNothing = value !== 0 && /^[0.]+$/.test(text);
  return (isNothing ? shortAmount(value) : text).replace("-", "−");
}

function withUnit(text: string, unit: string | undefined): string {
  return unit === undefined ? text : `${text} ${unit}`;
}

/** `Open: 24 (▼ −2 since 2026-06-02)`. */
export function kpiLine({ label, value, unit, change, note }: ShownKpi): string {
  const rest = [note, change].filter(Boolean).join("; ");
  return `${label}: ${withUnit(value, unit)}${rest ? ` (${rest})` : ""}`;
}

// In the tags, since Jupyter takes styles out of notebooks that are not trusted. Lines take the colour of the host's text.
const line = "1px solid color-mix(in srgb, currentColor 22%, transparent)";
const grid =
  "display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.7rem;font-family:system-ui,sans-serif;max-width:60rem";
const tile = `border:${line};border-radius:8px;padding:.7rem .9rem;break-inside:avoid;line-height:1.35`;
const soft = "font-size:.8rem;opacity:.75";

function tileOf(shown: ShownKpi): string {
  const { label, value, unit, change, note } = shown;
  const behind = unit === undefined ? "" : ` <span style="font-size:.8rem;font-weight:400">${escapeHtml(unit)}</span>`;
  const figure = `<div style="font-size:1.3rem;font-weight:650;font-variant-numeric:tabular-nums"><span style="white-space:nowrap">${escapeHtml(value)}</span>${behind}</div>`;
  const below = [
    note === undefined ? "" : `<div style="${soft}">${escapeHtml(note)}</div>`,
    change === "" ? "" : `<div style="font-size:.8rem">${changeHtml(shown)}</div>`,
  ];
  return `<div style="${tile}"><div style="${soft}">${escapeHtml(label)}</div>${figure}${below.join("")}</div>`;
}

/** The change of a figure, with its arrow in its colour. */
export function changeHtml({ change, colour }: Pick<ShownKpi, "change" | "colour">): string {
  const [arrow = ""] = /^[▲▼]/.exec(change) ?? [];
  const mark =
    arrow && `<span style="${colour === undefined ? "" : `color:${colour}`}" aria-hidden="true">${arrow}</span>`;
  return `${mark}${changeOf(change.slice(arrow.length))}`;
}

/** A date is not broken at its hyphens. */
function changeOf(text: string): string {
  return escapeHtml(text).replace(/since .*$/, '<span style="white-space:nowrap">$&</span>');
}
