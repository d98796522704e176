import type { Markish, PlotOptions, ScaleOptions } from "@observablehq/plot";
import * as ObservablePlot from "@observablehq/plot";
import type { Figure } from "./figure.js";
import { plot } from "./plot.js";

/** Options that hold options of their own, in which the caller's win one by one. */
const nested = ["x", "y", "r", "color", "opacity", "fx", "fy", "facet"] as const;

/**
 * Draws a chart of ours with the caller's Plot options on top; the caller's marks are drawn over ours.
 *
 * @param ours needs `ariaLabel`, which says in words what the chart shows
 */
export function chart(ours: PlotOptions & { readonly ariaLabel: string }, theirs: PlotOptions): Figure {
  const merged: Record<string, unknown> = { ...ours, ...theirs };
  for (const key of nested) {
    const [own, given] = [ours[key], theirs[key]];
    if (isObject(own) && isObject(given)) merged[key] = { ...own, ...given };
  }
  const colour = (merged["color"] ?? {}) as ScaleOptions;
  merged["color"] = { ...colour, ...filledRange(ours.color, theirs.color) };
  return plot({ ...(merged as PlotOptions), marks: [...(ours.marks ?? []), ...(theirs.marks ?? [])] });
}

/** The caller's colours, with ours for the labels that they do not reach. */
export function filledRange(ours: ScaleOptions = {}, theirs: ScaleOptions = {}): ScaleOptions {
  if (!Array.isArray(ours.range) || !Array.isArray(theirs.range) || theirs.domain) return {};
  const given: readonly unknown[] = theirs.range;
  return { range: ours.range.map((colour: unknown, index) => given[index] ?? colour) };
}

/** Words in the middle of a chart that has nothing else to show. */
export function emptyNote(text: string): Markish {
  return ObservablePlot.text([text], { frameAnchor: "middle", fontSize: 13, fillOpacity: 0.7 });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
