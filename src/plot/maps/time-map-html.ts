import { escapeHtml } from "../../display/text/escape-html.js";
import { svgSize } from "../figure/svg-size.js";
import { timeMapPlayer, timeMapPlayerHash } from "./time-map-player.js";
import type { TimedValues } from "./timed-values.js";

/** What a time map shows. */
export interface TimeMapContent extends TimedValues {
  readonly title: string;
  readonly subtitle: string;
  /** The last date as an SVG element. */
  readonly still: string;
  /** Where the data come from; may be empty. */
  readonly footer: string;
  /** An SVG path for each feature, `L` before those of lines. */
  readonly shapes: readonly string[];
}

const style = `:root { color-scheme: light dark; --text: #1d2228; --soft: #5c6670; --ground: #fff; --line: #cfd5da; }
@media (prefers-color-scheme: dark) { :root { --text: #dfe4e9; --soft: #98a3ae; --ground: #15191d; --line: #3a434b; } }
html { background: var(--ground); color: var(--text); } body { margin: 0; font: 12px/1.4 system-ui, sans-serif; }
#legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding: 4px 0 8px; }
#legend span { display: inline-flex; align-items: center; gap: .45em; } #legend b { font-weight: 600; font-variant-numeric: tabular-nums; }
#map { position: relative; width: fit-content; max-width: 100%; } #map svg { display: block; max-width: 100%; height: auto; }
canvas { display: none; position: absolute; inset: 0; width: 100%; height: 100%; }
.plays canvas { display: block; } .plays #map g[aria-label="geo"] { display: none; }
#controls { display: none; align-items: center; gap: .8rem; padding: 6px 0; } .plays #controls { display: flex; } .plays #at { display: none; }
#controls input { flex: 1; min-width: 6rem; accent-color: #0072b2; }
button { font: inherit; color: inherit; min-width: 4.6rem; padding: .35em .9em; border: 1px solid var(--line); border-radius: 6px; background: none; cursor: pointer; }
#date, #at { font-weight: 600; font-size: 13px; min-width: 6rem; font-variant-numeric: tabular-nums; }
@media print { .plays :is(#play, #slider) { display: none; } }`;

/**
 * A figure whose frame runs the player. The frame has no origin (`sandbox`), loads nothing, and runs nothing but what
 * stands in it.
 */
export function timeMapHtml(content: TimeMapContent): string {
  const { title, subtitle, still, footer } = content;
  const { width, height } = svgSize(still);
  const facts = { width, height, dates: content.dates, colours: content.colours };
  const last = content.dates.at(-1) ?? "";
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '${timeMapPlayerHash}'; style-src 'unsafe-inline'; img-src data:"><style>${style}</style>
<div id="at">${escapeHtml(last)}</div>
<div id="controls"><button id="play" type="button">Play</button><input id="slider" type="range" min="0" max="${content.dates.length - 1}" value="${content.dates.length - 1}" aria-label="Date"><output id="date"></output></div>
<div id="legend">${legend(content)}</div>
<div id="map">${still}<canvas id="canvas" role="img" aria-label="${escapeHtml(title)}"></canvas></div>
<script id="facts" type="application/json">${JSON.stringify(facts).replaceAll("<", "\\u003c")}</script>
<script id="shapes" type="text/plain">${content.shapes.join("\n")}</script>
<script id="frames" type="text/plain">${frames(content)}</script>
<script>${timeMapPlayer}</script>`;
  const lines = Math.ceil(content.labels.reduce((sum, label) => sum + 12 + label.length, 0) / 100);
  const room = height + 60 + 26 * lines;
  return (
    `<figure style="margin:0" aria-label="${escapeHtml(title)}"><h2>${escapeHtml(title)}</h2><h3>${escapeHtml(subtitle)}</h3>` +
    `<iframe sandbox="allow-scripts" loading="lazy" title="${escapeHtml(title)}" style="border:0;width:100%;max-width:${width}px;height:${room}px" ` +
    `srcdoc="${page.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>${footer ? `<figcaption>${escapeHtml(footer)}</figcaption>` : ""}</figure>`
  );
}

function legend({ labels, colours, features, dates, codes }: TimeMapContent): string {
  const end = codes.subarray((dates.length - 1) * features.length);
  return labels
    .map((label, index) => {
      const count = end.reduce((sum, code) => sum + Number(code === index + 1), 0).toLocaleString("en-US");
      const swatch = `<svg width="15" height="15" aria-hidden="true"><rect width="15" height="15" fill="${escapeHtml(colours[index] ?? "")}"/></svg>`;
      return `<span>${swatch}${escapeHtml(label)} <b data-tally="${index + 1}">${count}</b></span>`;
    })
    .join("");
}

/** A line a date: what changes, as pairs of the step from the feature before and the new code. */
function frames({ features, dates, codes }: TimeMapContent): string {
  const lines = dates.map((_, date) => {
    const pairs: string[] = [];
    let before = -1;
    for (let row = 0; row < features.length; row += 1) {
      const code = codes[date * features.length + row] ?? 0;
      const earlier = date === 0 ? 0 : (codes[(date - 1) * features.length + row] ?? 0);
      if (code === earlier) continue;
      pairs.push(`${row - before} ${code}`);
      before = row;
    }
    return pairs.length === 0 ? "-" : pairs.join(" ");
  });
  return lines.join("\n");
}
