import type { Markish, ScaleOptions } from "@observablehq/plot";
import * as ObservablePlot from "@observablehq/plot";
import { givenOptions } from "../../core/options.js";
import { provenanceOf } from "../../core/provenance.js";
import { silent } from "../tips/extract-tooltips.js";
import { drawFigure } from "./draw-figure.js";
import type { Figure, FigureOptions } from "./figure.js";
import { narrowWidth } from "./svg-text.js";

/** Options that contain options, merged one by one; the caller's win. */
const nested = ["x", "y", "r", "color", "opacity", "fx", "fy", "facet"] as const;

/** Options of a built-in chart. */
interface OurOptions extends FigureOptions {
  /** Description of the chart. */
  readonly ariaLabel: string;
  /** Text shown instead of axes, legends and marks if the chart is empty; else false or absent. */
  readonly nothing?: string | false;
}

/**
 * Draws a built-in chart with the caller's Plot options; the caller's marks are drawn on top.
 *
 * @param ours must have `provenance`: the data
 * @param narrow options for phones that differ; used unless the caller set a width
 */
export function chart(
  { nothing = false, ...ours }: OurOptions,
  theirs: FigureOptions,
  narrow: FigureOptions = {},
): Figure {
  return nothing === false ? drawChart(ours, theirs, narrow) : drawChart(emptyOf(ours, nothing), theirs, {});
}

/** Pixels above the frame: room for the label of the vertical axis above its topmost tick. */
const HEADROOM = 28;

function drawChart(given: FigureOptions, theirs: FigureOptions, narrow: FigureOptions): Figure {
  // A common margin, such as that of maps, includes the top.
  const ours = (given.margin ?? theirs.margin) === undefined ? { marginTop: HEADROOM, ...given } : given;
  const small = { ...ours, width: narrowWidth, ...narrow };
  const figure = drawFigure(merge(ours, theirs), theirs.width === undefined ? merge(small, theirs) : undefined);
  // A figure without the line still has its provenance.
  return Object.assign(figure, { provenance: figure.provenance ?? provenanceOf(ours.provenance) });
}

function merge(ours: FigureOptions, theirs: FigureOptions): FigureOptions {
  const merged: Record<string, unknown> = { ...ours, ...theirs };
  for (const key of nested) {
    const [ownValue, given] = [ours[key], theirs[key]];
    if (isObject(ownValue) && isObject(given)) merged[key] = { ...ownValue, ...given };
  }
  const colour = (merged["color"] ?? {}) as ScaleOptions;
  merged["color"] = { ...colour, ...filledRange(ours.color, theirs.color) };
  return { ...(merged as FigureOptions), marks: [...(ours.marks ?? []), ...(theirs.marks ?? [])] };
}

/** The caller's colors, and ours for the remaining labels. */
function filledRange(ours: ScaleOptions = {}, theirs: ScaleOptions = {}): ScaleOptions {
  if (!Array.isArray(ours.range) || !Array.isArray(theirs.range) || theirs.domain) return {};
  const given: readonly unknown[] = theirs.range;
  return { range: ours.range.map((colour: unknown, index) => given[index] ?? colour) };
}

/**
 * An empty chart with only words: an axis without a number, or a line through the text, would look broken. It is small
 * enough for phones, since there is a single drawing.
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

/** Text in the middle of a chart. */
export function emptyNote(text: string): Markish {
  return ObservablePlot.text([text], { frameAnchor: "middle", fontSize: 13, fillOpacity: 0.7 });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
