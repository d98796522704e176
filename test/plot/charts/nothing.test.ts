import { table } from "arquero";
import { describe, expect, test } from "vitest";
import {
  ageing,
  burnDown,
  cumulativeFlow,
  cycleTimeHistogram,
  cycleTimeScatter,
  type Figure,
  histogram,
  lateEdits,
  layerMap,
  lines,
  netFlow,
  pareto,
  sCurve,
  survivalCurve,
  timeInStatus,
  transitionMap,
  valueOverTime,
  workInProgress,
} from "../../../src/plot/index.js";

/** A table with these columns and no row. */
const none = (...columns: readonly string[]) => table(Object.fromEntries(columns.map((name) => [name, []])));

const counts = none("date", "STATUS", "count");
const cycles = none("id", "done_at", "cycle_days");
const zeros = table({ date: ["2026-01-01", "2026-02-01"], bucket: ["0-7", "0-7"], count: [0, 0], from_days: [0, 0] });
const ages = none("date", "bucket", "count", "from_days");

const figures: readonly (readonly [string, () => Figure, title: string, note: string])[] = [
  ["burnDown", () => burnDown(counts, "STATUS"), "Burn-down", "No data"],
  ["sCurve", () => sCurve(counts, "STATUS"), "Progress", "No data"],
  ["cumulativeFlow", () => cumulativeFlow(counts, "STATUS"), "Cumulative flow", "No data"],
  ["ageing", () => ageing(ages, "STATUS"), "Age of what is open", "Nothing is open"],
  ["ageing of dates", () => ageing(zeros, "STATUS"), "Age of what was open", "Nothing was open"],
  ["cycleTimeScatter", () => cycleTimeScatter(cycles, "STATUS"), "Cycle times", "Nothing was done"],
  ["cycleTimeHistogram", () => cycleTimeHistogram(cycles, "STATUS"), "Cycle times", "Nothing was done"],
  [
    "workInProgress",
    () => workInProgress(none("id", "value", "age_days"), "STATUS"),
    "Age of work in progress",
    "Nothing is in progress",
  ],
  ["netFlow", () => netFlow(none("from", "to", "arrivals", "reopened", "throughput"), "STATUS"), "Net flow", "No data"],
  ["histogram", () => histogram(none("kwh"), "kwh"), "kwh", "No numbers"],
  ["lines", () => lines(none("date", "kwh"), { y: "kwh" }), "kwh", "No rows"],
  ["timeInStatus", () => timeInStatus(none("value", "days"), "STATUS"), "Time in each STATUS", "No data"],
  [
    "transitionMap",
    () => transitionMap(none("from", "to", "count"), "STATUS"),
    "Transitions of STATUS",
    "No transitions",
  ],
  [
    "valueOverTime",
    () => valueOverTime(none("visible_id", "value", "valid_from", "valid_to"), "STATUS"),
    "STATUS over time",
    "No data",
  ],
  [
    "lateEdits",
    () => lateEdits(none("column", "created_at", "late_by_days")),
    "Edits that a newer one had overtaken",
    "No edit came in after a newer one",
  ],
  [
    "survivalCurve",
    () => survivalCurve(none("days", "survival", "lower", "upper"), "STATUS"),
    "Time in STATUS",
    "No data",
  ],
  ["pareto", () => pareto(none("block", "kw"), { by: "block", measure: "kw" }), "kw by block", "Nothing was found"],
  ["layerMap", () => layerMap(none("id", "geometry", "STATUS"), "STATUS"), "STATUS", "No features with a place"],
];

describe("a figure of nothing", () => {
  test.each(figures)("%s says so, with its title, and has neither axes nor lines", (_, draw, title, note) => {
    const figure = draw();
    expect(figure.outerHTML).toContain(`>${title}</h2>`);
    const svg = figure.toSVG();
    expect(svg).toContain(note);
    expect(svg).not.toMatch(/axis|<line|rule|<rect[^>]*fill="(?!none)/);
  });
});
