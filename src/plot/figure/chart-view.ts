import { escapeHtml } from "../../display/text/escape-html.js";
import { type View, viewHtml } from "../../view/view.js";
import type { ToldMark } from "../tips/told-mark.js";
import { svgSize } from "./svg-size.js";

const style = `#figure { position: relative; outline: none; } #figure > svg { display: block; width: 100%; max-width: 100%; height: auto; }
#figure:focus-visible { box-shadow: inset 0 0 0 2px var(--accent); } #figure [role=button]:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }`;

/**
 * A figure that tells what it is pointed at, as HTML: its image, and over it the same with tips.
 *
 * @param svg the figure as an image file
 * @param marks what is told of its marks; must not be empty
 */
export function chartView(svg: string, title: string, marks: readonly ToldMark[]): string {
  const { width, height } = svgSize(svg);
  const view: View = {
    title,
    still: { image: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`, width, height },
    style,
    body:
      `<div id="figure" role="group" aria-roledescription="chart" aria-label="${escapeHtml(title)}">${svg}</div>` +
      `<div id="tip" hidden></div><div id="said" role="status"></div>`,
    facts: { facts: marks },
    script: "chart",
  };
  return viewHtml(view);
}
