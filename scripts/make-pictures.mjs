// Draws docs/images/overview.svg, the picture of the README: a map, a progress curve and a table of the sample company.
// node scripts/make-pictures.mjs           writes it
// node scripts/make-pictures.mjs --check   exits with 1 if it is outdated
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const path = "docs/images/overview.svg";

/** Pictures state when their data were read. */
const readAt = Date.parse("2026-06-30T12:00:00Z");

class FixedDate extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [readAt] : given));
  }

  static now() {
    return readAt;
  }
}
// Before any module reads the time.
globalThis.Date = FixedDate;
const { openServedStore } = await import("../modules/cli/commands/serve-command.js");
const { startService } = await import("../modules/service/start-service.js");
const { connect } = await import("../modules/index.js");
const { layerMap, sCurve } = await import("../modules/plot/index.js");

const WIDTH = 1120;
const HEIGHT = 568;
const MAP = 520;
const GAP = 40;
const CURVE = 300;
/** Baseline of the table's first line. */
const TABLE = 438;
const STAGES = ["PLANNED", "EXCAVATED", "CABLE_LAID", "BACKFILLED"];
const dates = { from: "2023-06-30", until: "2024-12-31", every: "week" };

const { store, close } = await openServedStore(undefined, { features: 3000 });
const service = await startService({ store, apiKeys: [{ key: "demo" }] });
let svg;
try {
  const source = connect({ baseUrl: service.url, apiKey: "demo", showProgress: false });
  const trenches = await source.layer({ site_id: 101, semantic_type: "TRENCHES" });
  svg = compose(await trenches.history());
} finally {
  await service.close();
  await close();
}

if (process.argv.includes("--check")) {
  if (existsSync(path) && readFileSync(path, "utf8") === svg) process.exit(0);
  console.error(`${path} is outdated. Run npm run pictures, and look at it.`);
  process.exit(1);
}
writeFileSync(path, svg);
process.exit(0);

/** A map on the left, a progress curve and a table on the right. */
function compose(history) {
  const right = WIDTH - MAP - GAP;
  const map = layerMap(history.layerAsOf("2024-06-30"), "STATUS", {
    title: "Trenches on 30 June 2024",
    width: MAP,
    height: HEIGHT - 100,
    provenance: false,
  });
  const curve = sCurve(history, "STATUS", { stages: STAGES, dates, width: right, height: CURVE, provenance: false });
  const rows = history.counts("STATUS", ["2024-03-31", "2024-06-30", "2024-09-30", "2024-12-31"]).objects();
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<style>:root{color:#1d2228;background:#fff}@media (prefers-color-scheme:dark){:root{color:#dfe4e9;background:#15191d}}</style>
${placed(map.toSVG(), 0, 0)}
${placed(curve.toSVG(), MAP + GAP, 0)}
${table(rows, MAP + GAP + 8, right - 8)}
</svg>
`;
}

function placed(svg, x, y) {
  return svg.replace("<svg ", `<svg x="${x}" y="${y}" `).trim();
}

/** Counts by stage, a column for each date. */
function table(rows, x, width) {
  const days = [...new Set(rows.map(({ date }) => date))];
  const cell = width / (days.length + 2);
  const write = (texts, y, weight) =>
    texts.map((text, index) => {
      const at = index === 0 ? `x="${x}"` : `x="${x + (index + 2) * cell}" text-anchor="end"`;
      return `<text ${at} y="${y}" font-weight="${weight}">${text}</text>`;
    });
  const lines = STAGES.map((stage, index) => {
    const counts = days.map((day) => rows.find(({ date, value }) => date === day && value === stage)?.count ?? 0);
    return write([stage, ...counts], TABLE + 26 * (index + 1), 400).join("");
  });
  return `<g font-family="system-ui, sans-serif" font-size="13" fill="currentColor">${write(["STATUS", ...days], TABLE, 600).join("")}
<path d="M${x},${TABLE + 9}h${width}" stroke="currentColor" opacity="0.3"/>${lines.join("\n")}</g>`;
}
