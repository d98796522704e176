import { escapeHtml } from "../../tables/display/text/escape-html.js";
import { tipStyle } from "../../tables/display/tip-style.js";
import { type Still, type View, viewHtml } from "../../tables/display/view.js";
import type { ToldMark } from "../tips/told-mark.js";
import { svgSize } from "./svg-size.js";

const style = `#figure { position: relative; outline: none; } #figure > svg { display: block; width: 100%; max-width: 100%; height: auto; }
#figure:focus-visible { box-shadow: inset 0 0 0 2px var(--accent); } #figure [role=button]:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }`;

/** A drawing as an image file, and what is told of its marks. */
interface Drawing {
  readonly svg: string;
  readonly told: readonly ToldMark[];
}

/**
 * A figure that tells what it is pointed at, as HTML: its image, and over it the same with tips.
 *
 * @param figure something must be told of its marks
 * @param narrow the same marks in a drawing for narrow pages
 */
export function chartView({ svg, told }: Drawing, title: string, narrow?: Drawing): string {
  const view: View = {
    title,
    still: stillOf(svg),
    ...(narrow ? { narrow: stillOf(narrow.svg) } : {}),
    style: tipStyle + style,
    body:
      `<div id="figure" role="group" aria-roledescription="chart" aria-label="${escapeHtml(title)}">${svg}</div>` +
      `${narrow ? `<template id="narrow">${narrow.svg}</template>` : ""}<div id="tip" hidden></div><div id="said" role="status"></div>`,
    facts: { facts: narrow ? [told, narrow.told.map((mark, index) => difference(mark, told[index]))] : [told] },
    script: "chart",
  };
  return viewHtml(view);
}

function stillOf(svg: string): Still {
  return { image: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`, ...svgSize(svg) };
}

/** What is different of a mark where it is drawn narrower: most often its places alone. */
function difference(mark: ToldMark, wide: ToldMark | undefined): Record<string, unknown> {
  const isSame = (name: "channels" | "series") => JSON.stringify(mark[name]) === JSON.stringify(wide?.[name]);
  const { channels, series, rows, ...places } = mark;
  if (isSame("channels") && isSame("series")) return { ...places, rows };
  return { ...places, rows, channels, series: series ?? null };
}
