import { formatCount } from "../../../core/format/format-number.js";
import { escapeHtml } from "../text.js";
import { type Picture, pictureColours, svgDocument } from "./picture.js";

/** One bar of a timeline. */
export interface TimelineBar {
  /** Label of the bar's period, for example `2025-06`. */
  readonly label: string;
  readonly count: number;
}

const width = 480;
const height = 92;
const top = 16;
const base = height - 16;

/** Counts over time as a small bar chart; undefined without bars. */
export function sketchTimeline(bars: readonly TimelineBar[], caption: string): Picture | undefined {
  const [first] = bars;
  const last = bars.at(-1);
  if (!first || !last) return undefined;
  const most = bars.reduce((highest, { count }) => Math.max(highest, count), 0);
  const step = width / bars.length;
  const gap = step > 4 ? 1 : 0;
  const path = bars.map(({ count }, index) => {
    if (count === 0) return "";
    // A single event among thousands must still be visible.
    const tall = Math.max(1, ((base - top) * count) / most);
    const wide = Math.min(Math.max(step - gap, 0.5), 40);
    return `M${(index * step).toFixed(1)} ${base}v${(-tall).toFixed(1)}h${wide.toFixed(1)}V${base}z`;
  });
  const { mark, text } = pictureColours;
  const content =
    `<path fill="${mark}" d="${path.join("")}"/><path stroke="${text}" d="M0 ${base}h${width}"/>` +
    `<g fill="${text}"><text y="11">${formatCount(most)} at most</text>` +
    `<text y="${height - 3}">${escapeHtml(first.label)}</text>` +
    `${bars.length > 1 ? `<text x="${width}" y="${height - 3}" text-anchor="end">${escapeHtml(last.label)}</text>` : ""}</g>`;
  return { svg: svgDocument(width, height, caption, content), width, height, caption };
}
