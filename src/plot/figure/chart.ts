import type { Markish, ScaleOptions } from "@observablehq/plot";
import * as ObservablePlot from "@observablehq/plot";
import { givenOptions } from "../../core/options.js";
import { provenanceOf } from "../../core/provenance.js";
import { silent } from "../tips/capture-marks.js";
import { drawFigure } from "./draw-figure.js";
import type { Figure } from "./figure.js";
import type { FigureOptions } from "./figure-options.js";
import { narrowWidth } from "./svg-text.js";

/** Options that hold options of their own, in which the caller's win one by one. */
const nested = ["x", "y", "r", "color", "opacity", "fx", "fy", "facet"] as const;

/** A chart of ours. */
interface OurOptions extends FigureOptions {
  /** What the chart shows, in words. */
  readonly ariaLabel: string;
  /** Words that stand in place of axes, legends and marks, where there is nothing to show; else false or absent. */
  readonly nothing?: string | false;
}

/**
 * Draws a chart of ours with the caller's Plot options on top; the caller's marks are drawn over ours.
 *
 * @param ours needs `provenance`, the data
 * @param narrow what is different in the drawing for phones, which there is unless the caller has given a width
 */
export function chart(
  { nothing = false, ...ours }: OurOptions,
  theirs: FigureOptions,
  narrow: FigureOptions = {},
): Figure {
  return nothing === false ? drawChart(ours, theirs, narrow) : drawChart(emptyOf(ours, nothing), theirs, {});
}

function drawChart(ours: FigureOptions, theirs: FigureOptions, narrow: FigureOptions): Figure {
  const small = { ...ours, width: narrowWidth, ...narrow };
  const figure = drawFigure(merge(ours, theirs), theirs.width === undefined ? merge(small, theirs) : undefined);
  // Also a figure that does not say it knows where its data come from.
  return Object.assign(figure, { provenance: figure.provenance ?? provenanceOf(ours.provenance) });
}

function merge(ours: FigureOptions, theirs: FigureOptions): FigureOptions {
  const merged: Record<string, unknown> = { ...ours, ...theirs };
  for (const key of nested) {
    const [own, given] = [ours[key], theirs[key]];
    if (isObject(own) && isObject(given)) merged[key] = { ...own, ...given };
  }
  const colour = (merged["color"] ?? {}) as ScaleOptions;
  merged["color"] = { ...colour, ...filledRange(ours.color, theirs.color) };
  return { ...(merged as FigureOptions), marks: [...(ours.marks ?? []), ...(theirs.marks ?? [])] };
}

/** The caller's colours, with ours for the labels that they do not reach. */
function filledRange(ours: ScaleOptions = {}, theirs: ScaleOptions = {}): ScaleOptions {
  if (!Array.isArray(ours.range) || !Array.isArray(theirs.range) || theirs.domain) return {};
  const given: readonly unknown[] = theirs.range;
  return { range: ours.range.map((colour: unknown, index) => given[index] ?? colour) };
}

/**
 * A chart that says only that there is nothing: an axis without a number, or a line through the words, would look broken.
 * It is small enough for phones, since what cannot be pointed at has one drawing.
 */
function emptyOf({ ariaLabel, provenance, title, subtitle, caption }: FigureOptions, note: string): FigureOptions {
  return {
    ...givenOptions({ ariaLabel, provenance, title, subtitle, caption }),
    width: narrowWidth,
    height: 120,
    ...{ marginTop: 8, marginRight: 8, marginBottom: 8, marginLeft: 8 },
    x: { axis: null },
    y: { axis: null },
    marks: [silent(ObservablePlot.frame({ rx: 6, strokeOpacity: 0.18 })), emptyNote(note)],
  };
}

/** Words in the middle of a chart. */
export function emptyNote(text: string): Markish {
  return ObservablePlot.text([text], { frameAnchor: "middle", fontSize: 13, fillOpacity: 0.7 });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
