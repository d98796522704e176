import type * as ObservablePlot from "@observablehq/plot";
import { type ColumnTable, from } from "arquero";
import { describe, expect, test } from "vitest";
import { ArgumentError, fromRecords } from "../../src/index.js";
import * as figures from "../../src/plot/index.js";
import { feature } from "../support/records.js";
import { plottedHistory } from "./plotted-history.js";

const {
  ageing,
  burnDown,
  captureChanges,
  cumulativeFlow,
  cycleTimeHistogram,
  cycleTimeScatter,
  editHeatmap,
  featureCards,
  histogram,
  lateEdits,
  layerMap,
  lines,
  mapAt,
  netFlow,
  Plot,
  pareto,
  plot,
  progressBars,
  sCurve,
  sparklines,
  survivalCurve,
  timeInStatus,
  timeMap,
  transitionMap,
  valueOverTime,
  workInProgress,
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

const status = 'Did you mean "STATUS"?';
const depth = 'Did you mean "DEPTH"?';
const done = { done: "CLOSED" };

/** What a question answers, with one of its columns under a name that slipped. */
const slipped = (answer: ColumnTable, column: string) => answer.rename({ [column]: `${column}s` });
const meant = (column: string) => `Did you mean "${column}s"?`;

/** Every function that draws, each time with a name of a column that is none, and what is told. */
const slips: Readonly<Record<string, readonly [draw: () => unknown, hint: string]>> = {
  "ageing of a history": [() => ageing(history, "STATUSS", { open: "OPEN" }), status],
  "ageing by": [() => ageing(history, "STATUS", { open: "OPEN", by: "visible_ids" }), 'Did you mean "visible_id"?'],
  "ageing of a table": [
    () => ageing(slipped(history.ageing("STATUS", { open: "OPEN", dates }), "bucket"), "STATUS"),
    meant("bucket"),
  ],
  "burnDown of a history": [() => burnDown(history, "STATUSS", { dates }), status],
  "burnDown of a table": [() => burnDown(slipped(history.counts("STATUS", dates), "date"), "STATUS"), meant("date")],
  "captureChanges of a table": [
    () => captureChanges(from([{ capture: "a", state: "NEW" }]), {}),
    'It has: "capture", "state".',
  ],
  "cumulativeFlow of a history": [() => cumulativeFlow(history, "STATUSS", { dates }), status],
  "cumulativeFlow of a table": [
    () => cumulativeFlow(slipped(history.counts("STATUS", dates), "value"), "value"),
    meant("value"),
  ],
  "cycleTimeHistogram of a history": [() => cycleTimeHistogram(history, "STATUSS", done), status],
  "cycleTimeScatter of a history": [() => cycleTimeScatter(history, "STATUSS", done), status],
  "editHeatmap of a table": [() => editHeatmap(slipped(history.people().hours, "weekday")), meant("weekday")],
  "featureCards' heading": [() => featureCards(layer, { heading: "STATUSS" }), status],
  "featureCards' columns": [() => featureCards(layer, { columns: ["DEPTHS"] }), depth],
  "histogram of a layer": [() => histogram(layer, "DEPTHS"), depth],
  "histogram by": [() => histogram(layer, "DEPTH", { by: "STATUSS" }), status],
  "lateEdits of a table": [() => lateEdits(slipped(history.lateEdits(), "column")), meant("column")],
  "layerMap of a layer": [() => layerMap(layer, "STATUSS"), status],
  "layerMap of a history": [() => layerMap(history, "STATUSS"), status],
  "layerMap of a table": [() => layerMap(layer.table, "STATUSS"), status],
  "layerMap's tip": [() => layerMap(layer, "STATUS", { tip: ["DEPTHS"] }), depth],
  "layerMap's links": [() => layerMap(layer, "STATUS", { href: "https://example.com/{DEPTHS}" }), depth],
  "lines of y": [() => lines(layer, { x: "id", y: "DEPTHS" }), depth],
  "lines of x": [() => lines(layer, { x: "STATUSS", y: "DEPTH" }), status],
  "lines by": [() => lines(layer, { x: "id", y: "DEPTH", by: "STATUSS" }), status],
  "mapAt of a history": [() => mapAt(history, "STATUSS", { dates }), status],
  "mapAt of a table": [() => mapAt(slipped(history.panel({ dates }), "date"), "STATUS"), meant("date")],
  "netFlow of a history": [() => netFlow(history, "STATUSS", { ...done, every: "day" }), status],
  "pareto by": [() => pareto(layer, { by: "STATUSS", measure: "DEPTH" }), status],
  "pareto's measure": [() => pareto(layer, { by: "STATUS", measure: "DEPTHS" }), depth],
  "progressBars of a table": [
    () => progressBars(slipped(history.progress("STATUS", { ...done, by: "visible_id" }), "earned")),
    meant("earned"),
  ],
  "sCurve of a history": [() => sCurve(history, "STATUSS", { dates }), status],
  "sparklines of y": [() => sparklines(layer, { x: "id", y: "DEPTHS", by: "STATUS" }), depth],
  "sparklines by": [() => sparklines(layer, { x: "id", y: "DEPTH", by: "STATUSS" }), status],
  "survivalCurve of a history": [() => survivalCurve(history, "STATUSS", { from: "OPEN", to: "CLOSED" }), status],
  "timeInStatus of a history": [() => timeInStatus(history, "STATUSS"), status],
  "timeInStatus of a table": [
    () => timeInStatus(slipped(history.durations("STATUS"), "days"), "STATUS"),
    meant("days"),
  ],
  "timeMap of a history": [() => timeMap(history, "STATUSS", { dates }), status],
  "transitionMap of a history": [() => transitionMap(history, "STATUSS"), status],
  "transitionMap of a table": [
    () => transitionMap(slipped(history.transitions("STATUS"), "count"), "STATUS"),
    meant("count"),
  ],
  "valueOverTime of a history": [() => valueOverTime(history, "STATUSS"), status],
  "valueOverTime of a table": [
    () => valueOverTime(slipped(history.intervals("STATUS"), "valid_from"), "STATUS"),
    'Did you mean "valid_froms"',
  ],
  "workInProgress of a history": [() => workInProgress(history, "STATUSS", done), status],
};

/** What takes no table or history whose columns it names. */
const others = ["kpis", "plot", "readGround", "toPNG", "MapGround", "Plot"];

test("every function that draws is among them", () => {
  const tried = new Set(Object.keys(slips).map((slip) => slip.replace(/\W.*/, "")));
  expect(Object.keys(figures).filter((name) => !tried.has(name) && !others.includes(name))).toEqual([]);
});

/** Marks of one's own, of any table, that name no column where Plot takes one. */
const ownMarks: Readonly<
  Record<string, readonly [mark: (table: ColumnTable) => ObservablePlot.Markish, hint: string]>
> = {
  "a place": [(table) => Plot.dot(table, { x: "STATUSS", y: "DEPTH" }), status],
  "a color": [(table) => Plot.dot(table, { x: "DEPTH", fill: "STATUSS" }), status],
  "a facet": [(table) => Plot.dot(table, { x: "DEPTH", fx: "STATUSS" }), status],
  "a series": [(table) => Plot.lineY(table, { x: "DEPTH", y: "DEPTH", z: "STATUSS" }), status],
  "a text": [(table) => Plot.text(table, { x: "DEPTH", text: "STATUSS" }), status],
  "what is told besides": [(table) => Plot.dot(table, { x: "DEPTH", channels: { how: "STATUSS" }, tip: true }), status],
  "with a label": [(table) => Plot.dot(table, { x: { value: "DEPTHS", label: "Depth" } }), depth],
  "a mark of marks": [(table) => Plot.boxY(table, { x: "STATUSS", y: "DEPTH" }), status],
  "what is grouped": [(table) => Plot.barY(table, Plot.groupX({ y: "count" }, { x: "STATUSS" })), status],
  "what is binned": [(table) => Plot.rectY(table, Plot.binX({ y: "count" }, { x: "DEPTHS" })), depth],
  "what is stacked": [(table) => Plot.barY(table, Plot.stackY({ x: "STATUS", y: "DEPTHS" })), depth],
  "what is grouped by something else": [
    (table) => Plot.barY(table, Plot.groupX({ y: "count" }, { x: "PHASE" })),
    expect.stringContaining("It has: "),
  ],
  "what is filtered": [(table) => Plot.dot(table, { x: "DEPTHS", filter: () => true }), depth],
  "what is summed": [(table) => Plot.barY(table, Plot.groupX({ y: "sum" }, { x: "STATUS", y: "DEPTHS" })), depth],
};

const ownTables: Readonly<Record<string, ColumnTable>> = {
  "a layer": layer.table,
  "a table of one's own": from([{ STATUS: "OPEN", DEPTH: 1 }]),
  "a history's answer": history.asOf("2024-03-30").rename({ visible_id: "DEPTH" }),
};

describe.each(Object.entries(ownTables))("marks of %s", (_, table) => {
  test.each(Object.entries(ownMarks))("%s: the column that was meant is told", (_, [mark, hint]) => {
    const drawn = [() => plot({ marks: [[mark(table)]] }), () => Plot.plot({ marks: [mark(table)] })];
    for (const draw of drawn) expect(draw).toThrow(expect.objectContaining({ name: "ArgumentError", hint }));
  });
});

test("marks may be called otherwise than columns, be colors, compute what they show, and draw what is no table", () => {
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

test.each(Object.entries(slips))("%s: the column that was meant is told", (_, [draw, hint]) => {
  let failed: unknown;
  try {
    draw();
  } catch (error) {
    failed = error;
  }
  expect(failed).toBeInstanceOf(ArgumentError);
  expect((failed as ArgumentError).hint).toContain(hint);
});
