import type * as ObservablePlot from "@observablehq/plot";
import { type ColumnTable, from } from "arquero";
import { describe, expect, test } from "vitest";
import { ArgumentError, fromRecords } from "../../src/index.js";
import * as figures from "../../src/plot/index.js";
import { feature } from "../support/records.js";
import { historyFigures } from "./history-figures.js";
import { plottedHistory } from "./plotted-history.js";

const {
  aging,
  burnDown,
  captureChanges,
  cumulativeFlow,
  editHeatmap,
  featureCards,
  histogram,
  lateEdits,
  layerMap,
  lines,
  mapPanels,
  Plot,
  pareto,
  plot,
  progressBars,
  sparklines,
  timeInStatus,
  mapAnimation,
  transitionMap,
  valueOverTime,
} = figures;

const history = await plottedHistory();
const dates = ["2024-03-05", "2024-03-30"];
const source = fromRecords({
  datasets: [],
  propertyChanges: [],
  layerFeatures: [
    feature(1, { properties: { STATUS: "OPEN", DEPTH: 1 }, geometry: { type: "Point", coordinates: [11, 48] } }),
    feature(2, { properties: { STATUS: "DONE", DEPTH: 2 }, geometry: { type: "Point", coordinates: [11.1, 48] } }),
  ],
});
const layer = await source.layer({ site_id: 12 });
const dated = layer.table.derive({ date: () => "2024-03-05" });

const status = 'Did you mean "STATUS"?';
const depth = 'Did you mean "DEPTH"?';
const done = { done: "CLOSED" };

/** A table with a misspelled column. */
const slipped = (answer: ColumnTable, column: string) => answer.rename({ [column]: `${column}s` });
const meant = (column: string) => `Did you mean "${column}s"?`;

/** Every function that draws with a misspelled column, and its hint. */
const slips: Readonly<Record<string, readonly [draw: () => unknown, hint: string]>> = {
  ...Object.fromEntries(
    Object.entries(historyFigures)
      .filter(([name]) => name !== "editHeatmap" && name !== "lateEdits")
      .map(([name, draw]) => [`${name} of a history`, [() => draw(history, {}, { column: "STATUSS" }), status]]),
  ),
  "aging by": [() => aging(history, "STATUS", { open: "OPEN", by: "visible_ids" }), 'Did you mean "visible_id"?'],
  "aging of a table": [
    () => aging(slipped(history.aging("STATUS", { open: "OPEN", dates }), "bucket"), "STATUS"),
    meant("bucket"),
  ],
  "burnDown of a table": [() => burnDown(slipped(history.counts("STATUS", dates), "date"), "STATUS"), meant("date")],
  "captureChanges of a table": [
    () => captureChanges(from([{ capture: "a", state: "NEW" }]), {}),
    'It has: "capture", "state".',
  ],
  "cumulativeFlow of a table": [
    () => cumulativeFlow(slipped(history.counts("STATUS", dates), "value"), "value"),
    meant("value"),
  ],
  "editHeatmap of a table": [() => editHeatmap(slipped(history.editsByUser().hours, "weekday")), meant("weekday")],
  "featureCards' heading": [() => featureCards(layer, { heading: "STATUSS" }), status],
  "featureCards' columns": [() => featureCards(layer, { columns: ["DEPTHS"] }), depth],
  "histogram of a layer": [() => histogram(layer, "DEPTHS"), depth],
  "histogram by": [() => histogram(layer, "DEPTH", { by: "STATUSS" }), status],
  "lateEdits of a table": [() => lateEdits(slipped(history.lateEdits(), "column")), meant("column")],
  "layerMap of a layer": [() => layerMap(layer, "STATUSS"), status],
  "layerMap of a table": [() => layerMap(layer.table, "STATUSS"), status],
  "layerMap's tip": [() => layerMap(layer, "STATUS", { tip: ["DEPTHS"] }), depth],
  "mapPanels's tip": [() => mapPanels(dated, "STATUS", { tip: ["DEPTHS"] }), depth],
  "mapAnimation's tip": [() => mapAnimation(history, "STATUS", { dates, tip: ["DEPTHS"] }), depth],
  "layerMap's links": [() => layerMap(layer, "STATUS", { href: "https://example.com/{DEPTHS}" }), depth],
  "lines of y": [() => lines(layer, { x: "id", y: "DEPTHS" }), depth],
  "lines of x": [() => lines(layer, { x: "STATUSS", y: "DEPTH" }), status],
  "lines by": [() => lines(layer, { x: "id", y: "DEPTH", by: "STATUSS" }), status],
  "mapPanels of a table": [() => mapPanels(slipped(history.panel({ dates }), "date"), "STATUS"), meant("date")],
  "pareto by": [() => pareto(layer, { by: "STATUSS", measure: "DEPTH" }), status],
  "pareto's measure": [() => pareto(layer, { by: "STATUS", measure: "DEPTHS" }), depth],
  "progressBars of a table": [
    () => progressBars(slipped(history.progress("STATUS", { ...done, by: "visible_id" }), "earned")),
    meant("earned"),
  ],
  "progressBars of another table": [() => progressBars(from([{ a: 1 }])), 'It has: "a".'],
  "sparklines of y": [() => sparklines(layer, { x: "id", y: "DEPTHS", by: "STATUS" }), depth],
  "sparklines by": [() => sparklines(layer, { x: "id", y: "DEPTH", by: "STATUSS" }), status],
  "timeInStatus of a table": [
    () => timeInStatus(slipped(history.durations("STATUS"), "days"), "STATUS"),
    meant("days"),
  ],
  "transitionMap of a table": [
    () => transitionMap(slipped(history.transitions("STATUS"), "count"), "STATUS"),
    meant("count"),
  ],
  "valueOverTime of a table": [
    () => valueOverTime(slipped(history.intervals("STATUS"), "valid_from"), "STATUS"),
    'Did you mean "valid_froms"',
  ],
};

/** Functions without names of columns. */
const others = ["kpis", "plot", "loadBasemap", "toPNG", "MapBasemap", "Plot", "reportHeader", "reportLanguage"];

test("every function that draws is listed", () => {
  const tried = new Set(Object.keys(slips).map((slip) => slip.replace(/\W.*/, "")));
  expect(Object.keys(figures).filter((name) => !tried.has(name) && !others.includes(name))).toEqual([]);
});

/** Marks of any table with a misspelled column. */
const ownMarks: Readonly<
  Record<string, readonly [mark: (table: ColumnTable) => ObservablePlot.Markish, hint: string]>
> = {
  "a place": [(table) => Plot.dot(table, { x: "STATUSS", y: "DEPTH" }), status],
  "a color": [(table) => Plot.dot(table, { x: "DEPTH", fill: "STATUSS" }), status],
  "a facet": [(table) => Plot.dot(table, { x: "DEPTH", fx: "STATUSS" }), status],
  "a series": [(table) => Plot.lineY(table, { x: "DEPTH", y: "DEPTH", z: "STATUSS" }), status],
  "a text": [(table) => Plot.text(table, { x: "DEPTH", text: "STATUSS" }), status],
  "a channel": [(table) => Plot.dot(table, { x: "DEPTH", channels: { how: "STATUSS" }, tip: true }), status],
  "with a label": [(table) => Plot.dot(table, { x: { value: "DEPTHS", label: "Depth" } }), depth],
  "a mark of marks": [(table) => Plot.boxY(table, { x: "STATUSS", y: "DEPTH" }), status],
  "a group": [(table) => Plot.barY(table, Plot.groupX({ y: "count" }, { x: "STATUSS" })), status],
  "a bin": [(table) => Plot.rectY(table, Plot.binX({ y: "count" }, { x: "DEPTHS" })), depth],
  "a stack": [(table) => Plot.barY(table, Plot.stackY({ x: "STATUS", y: "DEPTHS" })), depth],
  "a group by an unknown column": [
    (table) => Plot.barY(table, Plot.groupX({ y: "count" }, { x: "PHASE" })),
    expect.stringContaining("It has: "),
  ],
  "a filter": [(table) => Plot.dot(table, { x: "DEPTHS", filter: () => true }), depth],
  "a sum": [(table) => Plot.barY(table, Plot.groupX({ y: "sum" }, { x: "STATUS", y: "DEPTHS" })), depth],
};

const ownTables: Readonly<Record<string, ColumnTable>> = {
  "a layer": layer.table,
  "any table": from([{ STATUS: "OPEN", DEPTH: 1 }]),
  "a history's answer": history.asOf("2024-03-30").rename({ visible_id: "DEPTH" }),
};

describe.each(Object.entries(ownTables))("marks of %s", (_, table) => {
  test.each(Object.entries(ownMarks))("%s: the error suggests the column", (_, [mark, hint]) => {
    const drawn = [() => plot({ marks: [[mark(table)]] }), () => Plot.plot({ marks: [mark(table)] })];
    for (const draw of drawn) expect(draw).toThrow(expect.objectContaining({ name: "ArgumentError", hint }));
  });
});

test("marks may have labels, colors, functions, computed columns and data that are not tables", () => {
  const { table } = layer;
  const marks = [
    Plot.dot(table, {
      x: { value: "DEPTH", label: "DEPTHS" },
      fill: "steelblue",
      stroke: "currentColor",
      symbol: "square",
    }),
    Plot.rectY(table, Plot.binX({ y: "count" }, { x: { value: "DEPTH", label: "DEPTHS" } })),
    Plot.barY(table, Plot.groupX({ y: "sum" }, { x: "STATUS", y: { value: "DEPTH", label: "STATUSS" } })),
    Plot.dot(table, { x: (row: { DEPTH: number }) => row.DEPTH, y: () => 1 }),
    Plot.dot(table, {
      x: "double",
      transform: (data: Iterable<{ DEPTH: number }>, facets: number[][]) => ({
        data: Array.from(data, (row) => ({ double: 2 * row.DEPTH })),
        facets,
      }),
    } as object),
    Plot.dot([{ a: 1 }], { x: "b" }),
    Plot.dot(from([]), { x: "b" }),
    Plot.ruleY([0]),
    Plot.frame(),
    () => null,
  ];
  for (const mark of marks) expect(plot({ marks: [mark] }).toSVG()).toContain("<svg");
});

test.each(Object.entries(slips))("%s: the error suggests the column", (_, [draw, hint]) => {
  let failed: unknown;
  try {
    draw();
  } catch (error) {
    failed = error;
  }
  expect(failed).toBeInstanceOf(ArgumentError);
  expect((failed as ArgumentError).hint).toContain(hint);
});
