import { readFileSync } from "node:fs";
import type { TooltipMark } from "../../../src/plot/tips/tooltip-mark.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { frameFacts } from "../../tables/display/frame-facts.js";

type Mark = TooltipMark & { readonly length: number };

/** The script of a frame that puts together what a chart tells. */
interface Tells {
  places(): number[];
  partsAt(x: number): unknown[];
  onCurve(mark: Mark, row: number): boolean;
  ofPlace(parts: unknown[]): unknown;
  ofThing(thing: { mark: Mark; row: number }): unknown;
  say(told: unknown): string;
}

const script = readFileSync(new URL("../../../src/tables/display/frames/chart-tells.js", import.meta.url), "utf8");

/** What a screen reader hears on the way through a chart: places along curves from left to right, then things. */
export function spokenOf(told: readonly TooltipMark[]): readonly string[] {
  new Function(script)();
  // As a frame reads them.
  const marks = (JSON.parse(JSON.stringify(told)) as TooltipMark[]).map(
    (mark): Mark => ({ ...mark, length: mark.channels[0]?.codes.length ?? 0 }),
  );
  const tells = (Reflect.get(globalThis, "siteframeTells") as (marks: readonly Mark[]) => Tells)(marks);
  const places = tells.places().map((x) => tells.say(tells.ofPlace(tells.partsAt(x))));
  const things = marks
    .filter(({ kind }) => kind !== "path")
    .flatMap((mark) => Array.from({ length: mark.length }, (_, row) => ({ mark, row })))
    .filter(({ mark, row }) => !tells.onCurve(mark, row));
  return [...places, ...things.map((thing) => tells.say(tells.ofThing(thing)))];
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
