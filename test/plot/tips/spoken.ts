import {
  type ChartMark,
  chartTooltip,
  placeText,
  spokenText,
  thingText,
} from "../../../src/tables/display/frames/chart-tooltip.js";
import type { TooltipMark } from "../../../src/tables/display/live/chart-facts.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { frameFacts } from "../../tables/display/frame-facts.js";

/** What a screen reader hears on the way through a chart: places along curves from left to right, then things. */
export function spokenOf(told: readonly TooltipMark[]): readonly string[] {
  // As a frame reads them.
  const marks = (JSON.parse(JSON.stringify(told)) as TooltipMark[]).map(
    (mark): ChartMark => ({ ...mark, length: mark.channels[0]?.codes.length ?? 0 }),
  );
  const tooltip = chartTooltip(marks);
  const places = tooltip.places().map((x) => spokenText(placeText(tooltip.partsAt(x))));
  const things = marks
    .filter(({ kind }) => kind !== "path")
    .flatMap((mark) => Array.from({ length: mark.length }, (_, row) => ({ mark, row })))
    .filter(({ mark, row }) => !tooltip.onCurve(mark, row));
  return [...places, ...things.map((thing) => spokenText(thingText(thing)))];
}

/** The same of a figure as a notebook gets it, on a wide page and on a phone. */
export async function spokenFigure(
  figure: unknown,
): Promise<{ readonly wide: readonly string[]; readonly narrow: readonly string[] }> {
  const { "text/html": html = "" } = (await toMimeBundle(figure)) as Record<string, string>;
  const [told, differences = []] = frameFacts(html) as [readonly TooltipMark[], (readonly object[])?];
  const small = told.map(({ rows: _, ...mark }, index) => ({ ...mark, ...differences[index] }));
  return { wide: spokenOf(told), narrow: spokenOf(small) };
}
