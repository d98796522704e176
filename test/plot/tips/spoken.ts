import {
  type ChartMark,
  chartTooltip,
  placeText,
  spokenText,
  thingText,
} from "../../../src/browser/chart/chart-tooltip.js";
import type { TooltipMark } from "../../../src/tables/display/live/chart-payload.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { frameFacts } from "../../tables/display/frame-facts.js";

/** The words for a screen reader on a chart: places along curves from left to right, then other marks. */
export function spokenOf(tips: readonly TooltipMark[]): readonly string[] {
  const marks = (JSON.parse(JSON.stringify(tips)) as TooltipMark[]).map(
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

/** The same words for a figure in a notebook, on a wide page and on a phone. */
export async function spokenFigure(
  figure: unknown,
): Promise<{ readonly wide: readonly string[]; readonly narrow: readonly string[] }> {
  const { "text/html": html = "" } = (await toMimeBundle(figure)) as Record<string, string>;
  const [tips, differences = []] = frameFacts(html) as [readonly TooltipMark[], (readonly object[])?];
  const small = tips.map(({ rows: _, ...mark }, index) => ({ ...mark, ...differences[index] }));
  return { wide: spokenOf(tips), narrow: spokenOf(small) };
}
