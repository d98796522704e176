import { table } from "arquero";
import { describe, expect, test } from "vitest";
import {
  aging,
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

/** An empty table with these columns. */
const none = (...columns: readonly string[]) => table(Object.fromEntries(columns.map((name) => [name, []])));

const counts = none("date", "STATUS", "count");
const cycles = none("id", "done_at", "cycle_days");
const zeros = table({ date: ["2026-01-01", "2026-02-01"], bucket: ["0-7", "0-7"], count: [0, 0], from_days: [0, 0] });
const ages = none("date", "bucket", "count", "from_days");

const figures: readonly (readonly [string, () => Figure, title: string, note: string])[] = [
  ["burnDown", () => burnDown(counts, "STATUS"), "Open features", "No data"],
  ["sCurve", () => sCurve(counts, "STATUS"), "Progress", "No data"],
  ["cumulativeFlow", () => cumulativeFlow(counts, "STATUS"), "Cumulative flow", "No data"],
  ["aging", () => aging(ages, "STATUS"), "Age of open items", "Nothing is open"],
  ["aging of dates", () => aging(zeros, "STATUS"), "Age of open items by date", "Nothing was open"],
  ["cycleTimeScatter", () => cycleTimeScatter(cycles, "STATUS"), "Cycle times", "No finished items"],
  ["cycleTimeHistogram", () => cycleTimeHistogram(cycles, "STATUS"), "Cycle times", "No finished items"],
  [
    "workInProgress",
    () => workInProgress(none("id", "value", "age_days"), "STATUS"),
    "Age of work in progress",
    "No items in progress",
  ],
  ["netFlow", () => netFlow(none("from", "to", "arrivals", "reopened", "throughput"), "STATUS"), "Net flow", "No data"],
  ["histogram", () => histogram(none("kwh"), "kwh"), "kwh", "No numbers"],
  ["lines", () => lines(none("date", "kwh"), { y: "kwh" }), "kwh", "No rows"],
  ["timeInStatus", () => timeInStatus(none("value", "days"), "STATUS"), "Time in each status", "No data"],
  ["transitionMap", () => transitionMap(none("from", "to", "count"), "STATUS"), "Status transitions", "No transitions"],
  [
    "valueOverTime",
    () => valueOverTime(none("visible_id", "value", "valid_from", "valid_to"), "STATUS"),
    "Status over time",
    "No data",
  ],
  [
    "lateEdits",
    () => lateEdits(none("column", "created_at", "late_by_days")),
    "Edits superseded on arrival",
    "No edit was superseded on arrival",
  ],
  [
    "survivalCurve",
    () => survivalCurve(none("days", "survival", "lower", "upper"), "STATUS"),
    "Time in status",
    "No data",
  ],
  ["pareto", () => pareto(none("block", "kw"), { by: "block", measure: "kw" }), "kw by block", "No data"],
  ["layerMap", () => layerMap(none("id", "geometry", "STATUS"), "STATUS"), "STATUS", "No features with a location"],
];

describe("a figure without data", () => {
  test.each(figures)("%s has a note and its title, but no axes and lines", (_, draw, title, note) => {
    const figure = draw();
    expect(figure.outerHTML).toContain(`>${title}</h2>`);
    const svg = figure.toSVG();
    expect(svg).toContain(note);
    expect(svg).not.toMatch(/axis|<line|rule|<rect[^>]*fill="(?!none)/);
  });
});
