import { from, table } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import { ArgumentError, fromRecords, type History } from "../../../src/index.js";
import {
  burnDown,
  cumulativeFlow,
  editHeatmap,
  type Figure,
  lateEdits,
  mapAnimation,
  Plot,
  plot,
  sCurve,
  survivalCurve,
  timeInStatus,
  transitionMap,
  valueOverTime,
} from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { change, feature } from "../../support/records.js";
import { frameFacts } from "../../tables/display/frame-facts.js";
import { labelOf, wordsOf } from "../figure-words.js";
import { historyOf } from "../history-of.js";
import { plottedHistory } from "../plotted-history.js";
import { weeklyHistory } from "../weekly-history.js";

const dates = ["2024-03-05", "2024-03-10", "2024-03-30"];
let history: History;
let empty: History;

beforeAll(async () => {
  history = await plottedHistory();
  empty = await fromRecords({ datasets: [], layerFeatures: [], propertyChanges: [] }).history({ site_id: 12 });
});

describe("charts of a history", () => {
  test("burnDown counts unfinished features and unknown ones separately", () => {
    const figure = burnDown(history, "STATUS", { dates });
    expect(labelOf(figure)).toContain("2 on 2024-03-05, at most 2 on 2024-03-05, 2 on 2024-03-30");
    expect(figure.outerHTML).toContain("url(#siteframe-hatch)");
    expect(labelOf(burnDown(history, "STATUS", { dates, done: ["OPEN", "CLOSED"] }))).toContain("at most 1");
    const [one, list] = ["OPEN", ["OPEN"]].map((done) => labelOf(burnDown(history, "STATUS", { dates, done })));
    expect(one).toBe(list);
  });

  test("values that no feature ever had are rejected if they would draw a flat curve", () => {
    const flat = (draw: () => Figure) => {
      try {
        draw();
      } catch (error) {
        return String(error);
      }
      return "drawn";
    };
    expect(flat(() => burnDown(history, "STATUS", { dates, done: ["CLOSSED"] }))).toBe(
      'ArgumentError: done: no feature ever had "CLOSSED" in "STATUS". The column has 3 values.',
    );
    expect(flat(() => sCurve(history, "STATUS", { stages: ["OPEN", "DONE"] }))).toContain('no feature ever had "DONE"');
    const all = ["OPEN", "BLOCKED", "CLOSED", "PAID"];
    expect(flat(() => sCurve(history, "STATUS", { stages: all }))).toBe("drawn");
    const before = history.knownAt("2024-01-01");
    expect(flat(() => sCurve(before, "STATUS", { stages: ["OPEN", "BLOCKED", "CLOSED"] }))).toBe("drawn");
    expect(flat(() => burnDown(before, "STATUS", { done: ["CLOSED"] }))).toBe("drawn");
    const early = ["2024-03-01"];
    expect(flat(() => burnDown(history, "STATUS", { dates: early, done: ["BLOCKED", "CLOSED"] }))).toBe("drawn");
    expect(flat(() => burnDown(empty, "STATUS", { done: ["CLOSED"] }))).toContain("unknown property column");
    const counted = table({ date: ["2024-03-01"], value: ["A"], count: [2] });
    expect(flat(() => burnDown(counted, "value", { done: ["B"] }))).toBe("drawn");
  });

  test("burnDown notes that nothing was ever done, unless `done` is given", () => {
    const open = table({ date: ["2024-03-01"], STATUS: ["OPEN"], count: [2] });
    expect(burnDown(open, "STATUS").outerHTML).toContain("is not Closed, a value that never occurs");
    expect(burnDown(history, "STATUS").outerHTML).not.toContain("none ever was");
  });

  test("cumulativeFlow stacks values in the order of time, or by `order`", () => {
    expect(cumulativeFlow(history, "STATUS", { dates }).scale("color")?.domain).toEqual([
      "OPEN",
      "BLOCKED",
      "CLOSED",
      "unknown",
    ]);
    const ordered = cumulativeFlow(history, "STATUS", { dates, order: ["OPEN", "PAUSED"] });
    expect(ordered.scale("color")?.domain).toEqual(["OPEN", "PAUSED", "BLOCKED", "CLOSED", "unknown"]);
    expect([...(ordered.scale("color")?.range ?? [])].at(-1)).toBe("url(#siteframe-hatch)");
    expect(labelOf(ordered)).toContain("CLOSED 1, unknown 0");
  });

  test("cumulativeFlow draws the whole history by default", () => {
    expect(labelOf(cumulativeFlow(history, "STATUS"))).toContain("from 2024-03-01 to 2024-03-31");
  });

  test("sCurve counts a stage with all later ones", () => {
    const figure = sCurve(history, "STATUS", { dates, stages: ["OPEN", "BLOCKED", "CLOSED"] });
    expect(labelOf(figure)).toContain("on 2024-03-30: BLOCKED 33%, CLOSED 33%");
    expect(figure.scale("y")?.domain).toEqual([0, 100]);
  });

  test("timeInStatus shows medians, without the values of `exclude`", () => {
    const figure = timeInStatus(history, "STATUS", {
      until: "2024-03-30",
      exclude: ["unknown"],
      order: ["GONE", "OPEN"],
    });
    expect(labelOf(figure)).toContain("OPEN 9.6 days, BLOCKED 5.0 days, CLOSED 20 days");
    expect(figure.outerHTML).toContain("3 features");
  });

  test("survivalCurve shows medians, open spells and unknown beginnings", async () => {
    const spell = { start: "OPEN", done: ["BLOCKED", "CLOSED"] };
    const figure = survivalCurve(history, "STATUS", spell);
    expect(labelOf(figure)).toBe(
      "Survival curves of STATUS from Open to Blocked or Closed; median: 5.0 days (5.0 to ?).",
    );
    expect(figure.outerHTML).toContain("From Open to Blocked or Closed");
    expect(figure.outerHTML).toContain("The start of 3 of 3 spells is unknown");
    expect(figure.outerHTML).toContain("2 intervals are open beyond the end of the axis.");
    expect(figure.scale("y")?.domain).toEqual([0, 100]);
    const html = String((await toMimeBundle(figure))["text/html"]);
    expect(JSON.stringify(frameFacts(html))).toContain("50.0% (");
    const groups = survivalCurve(history, "STATUS", { ...spell, by: "dataset_id" });
    expect(labelOf(groups)).toContain("median: 1: 5.0 days (5.0 to ?).");
  });

  test("survivalCurve draws the table of a survival", () => {
    const made = history.survival("STATUS", { start: "OPEN", done: "BLOCKED", by: "dataset_id" });
    const figure = survivalCurve(made, "STATUS", { by: "dataset_id" });
    expect(labelOf(figure)).toContain("Survival curves of STATUS; median: 1: ");
    expect(figure.scale("color")?.domain).toEqual(["1"]);
    expect(() => survivalCurve(history, "STATUS", { start: "OPEN" })).toThrow(/done is missing/);
    expect(() => survivalCurve(made, "STATUS", { by: "PRIORITY" })).toThrow(/no column "PRIORITY"/);
  });

  test("sCurve shows a plan and the variance from it", () => {
    const plan = table({ date: ["2024-03-01", "2024-03-20"], value: [0, 3] });
    const options = { dates, stages: ["OPEN", "BLOCKED", "CLOSED"], plan };
    const figure = sCurve(history, "STATUS", options);
    expect(labelOf(figure)).toContain("On 2024-03-31 33.3% are done and 100.0% are planned: 66.7 points and ");
    expect(figure.outerHTML).toContain("days behind the plan");
    expect(figure.outerHTML).toContain("−66.7 points");
    expect(labelOf(sCurve(history, "STATUS", { ...options, total: 6 }))).toContain("CLOSED 17%. On 2024-03-31 16.7%");
    const counted = history.counts("STATUS", ["2024-03-05", "2024-03-30"]);
    expect(labelOf(sCurve(counted, "STATUS", { plan, stages: ["OPEN", "CLOSED"] }))).toContain("On 2024-03-30 33.3%");
    expect(() => sCurve(counted, "STATUS", { plan: "DUE_DATE" })).toThrow(/plan column "DUE_DATE" needs a history/);
    const later = table({ date: ["2024-04-01", "2024-04-20"], value: [0, 3] });
    const none = sCurve(history, "STATUS", { ...options, dates: ["2024-03-01"], until: "2024-03-01", plan: later });
    expect(labelOf(none)).toContain("On 2024-03-01 0.0% are done and 0.0% are planned: as planned.");
    expect(none.outerHTML).not.toContain("0 points");
    const falling = table({ date: ["2024-03-01", "2024-03-20"], value: [3, 1] });
    for (const data of [counted, history]) {
      expect(() => sCurve(data, "STATUS", { plan: falling, stages: ["OPEN", "CLOSED"] })).toThrow(
        /the plan falls from 3 by/i,
      );
    }
  });

  test("sCurve plans and forecasts numbers by their values, and needs `stages` for them", async () => {
    const weeks = Array.from({ length: 12 }, (_, week) => week);
    const values = [0, 50, 100];
    const layerFeatures = weeks.map((week) => feature(week + 1, { created_at: "2024-01-01T00:00:00Z" }));
    const propertyChanges = weeks.flatMap((week) =>
      values.slice(0, week < 9 ? 3 : 2).map((new_value, step) =>
        change(10 * week + step, {
          ...{ layer_feature_id: week + 1, property_key: "PROGRESS", new_value },
          created_at: new Date(Date.UTC(2024, 0, 2 + 7 * week, 9 + step)).toISOString(),
        }),
      ),
    );
    const progress = await historyOf(layerFeatures, propertyChanges, "2024-03-25T00:00:00Z");
    const plan = table({ date: ["2024-01-01", "2024-03-20"], value: [0, 12] });
    for (const stages of [values, ["0", "50", "100"]]) {
      const figure = sCurve(progress, "PROGRESS", { stages, plan, forecast: { trials: 200 } });
      expect(labelOf(figure)).toContain("On 2024-03-25 75.0% are done and 100.0% are planned");
      expect(wordsOf(figure)).toContain("All done: P50 2024-0");
    }
    expect(labelOf(sCurve(progress, "PROGRESS"))).toContain("100 75%");
    for (const options of [{ plan }, { forecast: true }]) {
      expect(() => sCurve(progress, "PROGRESS", options)).toThrow(
        expect.objectContaining({
          name: "ArgumentError",
          message: 'sCurve(): "PROGRESS" contains numbers, whose last stage is unknown.',
          hint: "List the stages, first to last: { stages: [0, 100] }.",
        }),
      );
    }
    expect(() => sCurve(progress, "PROGRESS", { forecast: false })).not.toThrow();
  });

  test("burnDown and sCurve draw the fan of a forecast, or the reason why it is missing", async () => {
    const tickets = await weeklyHistory();
    const burned = burnDown(tickets, "STATUS", { forecast: { trials: 500 } });
    expect(labelOf(burned)).toMatch(/ Forecast: P50 2024-0\d-\d\d, P80 2024-0\d-\d\d, P95 2024-0\d-\d\d\.$/);
    expect(wordsOf(burned)).toMatch(/Hit rates in \d+ past forecasts?: P50 \d+%/);
    for (const name of ["P80", "P95"]) {
      expect(wordsOf(burned)).toMatch(new RegExp(`${name} 2024-0\\d-\\d\\d `));
    }
    const curve = sCurve(tickets, "STATUS", { forecast: true, stages: ["OPEN", "CLOSED"] });
    expect(wordsOf(curve)).toContain("All done: P50 2024-0");
    // Counts end at the date of a report, and later changes are unknown.
    const reported = burnDown(tickets, "STATUS", { until: "2024-03-11", forecast: { trials: 500 } });
    expect(labelOf(reported)).toMatch(/, 3 on 2024-03-11\. Forecast: P50 /);
    const plan = table({ date: ["2024-01-01", "2024-03-11"], value: [0, 12] });
    const behind = sCurve(tickets, "STATUS", { until: "2024-03-11", plan, stages: ["OPEN", "CLOSED"] });
    expect(labelOf(behind)).toMatch(/on 2024-03-11: CLOSED/);
    expect(labelOf(behind)).toContain("On 2024-03-11 75.0% are done and 100.0% are planned: 25.0 points");
    const painted = sCurve(tickets, "STATUS", {
      until: "2024-03-11",
      forecast: true,
      stages: ["OPEN", "CLOSED"],
      color: { range: ["#123456"] },
    });
    expect(painted.outerHTML).toMatch(/fill-opacity="0\.14" fill="#123456"/);
    const byDates = sCurve(tickets, "STATUS", { until: "2024-03-11", plan, dates: ["2024-01-31", "2024-02-29"] });
    expect(labelOf(byDates)).toContain("On 2024-03-11 75.0% are done");
    const none = burnDown(history, "STATUS", { forecast: true });
    expect(none.outerHTML).toContain("No forecast: the log has 4 whole weeks");
    expect(none.outerHTML).not.toContain("P50");
    const counted = table({ date: ["2024-03-01"], value: ["A"], count: [2] });
    expect(() => burnDown(counted, "value", { forecast: true })).toThrow(/needs a history/);
    expect(() => burnDown(counted, "value", { until: "2024-03-01" })).toThrow(/until needs a history/);
    expect(() => sCurve(counted, "value", { until: "2024-03-01" })).toThrow(/until needs a history/);
  });

  test("transitionMap shows counts and days", () => {
    const figure = transitionMap(history, "STATUS", { order: ["OPEN", "BLOCKED", "CLOSED"] });
    expect(figure.scale("x")?.domain).toEqual(["OPEN", "BLOCKED", "CLOSED"]);
    expect(figure.outerHTML).toContain("5.0 days");
  });

  test("valueOverTime hatches unknown values", () => {
    const figure = valueOverTime(history, "STATUS", { features: ["P-3", 1] });
    expect(figure.scale("y")?.domain).toEqual(["P-3", "P-1"]);
    expect(figure.outerHTML).toContain("P-3: unknown, 2024-03-01 to 2024-03-21");
    expect(() => valueOverTime(history, "STATUS", { features: ["P-9"] })).toThrow(ArgumentError);
    expect(valueOverTime(history, "STATUS", { limit: 1 }).outerHTML).toContain("1 of 3 features");
  });

  test("valueOverTime gives each feature a lane, also with equal or missing names", () => {
    const held = { value: "OPEN", valid_from: "2024-03-01", valid_to: null };
    const names = ["P-1", "P-1", null, null, "P-2"];
    const rows = from(names.map((visible_id, index) => ({ id: index + 1, visible_id, ...held })));
    const lanes = (features?: readonly unknown[]) =>
      valueOverTime(rows, "STATUS", features ? { features } : {}).scale("y")?.domain;
    expect(lanes()).toEqual(["3", "4", "P-1 (1)", "P-1 (2)", "P-2"]);
    expect(lanes(["P-2", "P-1", 4])).toEqual(["P-2", "P-1 (1)", "P-1 (2)", "4"]);
    expect(() => lanes([9n])).toThrow(ArgumentError);
  });

  test("a feature with unknown creation time exists from the start", async () => {
    const created = ["2024-02-30T00:00:00Z", "2024-03-01T00:00:00Z"];
    const layerFeatures = created.map((created_at, index) =>
      feature(index + 1, { created_at, properties: { STATUS: "OPEN" } }),
    );
    const source = fromRecords(
      { datasets: [], layerFeatures, propertyChanges: [] },
      { readAt: new Date("2024-03-31T00:00:00Z") },
    );
    const records = await source.history({ site_id: 12 }, { strict: false });
    const figure = valueOverTime(records, "STATUS");
    expect(figure.outerHTML).toContain("F-1: OPEN, all the time until 2024-03-31");
    expect(frameFacts(mapAnimation(records, "STATUS").outerHTML)).toMatchObject({ dates: ["2024-03-01"] });
  });

  test("editHeatmap and lateEdits count edits", () => {
    expect(labelOf(editHeatmap(history))).toBe("Heat map of 5 edits by weekday and hour; most on Fri at 9 o'clock, 2.");
    expect(labelOf(editHeatmap(history, { by: "system" }))).toContain("0 edits by the system");
    expect(labelOf(lateEdits(history))).toBe(
      "1 edit superseded on arrival by a newer edit of the same feature and property, at most 5.0 days older than it.",
    );
  });
});

const hostile = ['< 3 & "more"', "a > b", "\u001b[31mred\u0000", "half \ud83d"];

describe.each(hostile)("a figure whose label is %j", (label) => {
  test.each([
    ["with a title", cumulativeFlow(table({ date: ["2024-01-01"], KIND: [label] }), "KIND")],
    ["that is a chart only", plot({ ariaLabel: label, marks: [Plot.text([label])] })],
  ])("%s is a well-formed SVG", async (_, figure) => {
    const svg = figure.toSVG();
    const attributes = [...svg.matchAll(/="([^"]*)"/g)].map(([, value]) => value ?? "");
    expect(attributes.filter((value) => /<|&(?!amp;|lt;|gt;|quot;|#)/.test(value))).toEqual([]);
    expect([...svg].filter((character) => /[\p{Cc}\p{Cs}]/u.test(character) && character !== "\n")).toEqual([]);
    // The renderer takes XML as strictly as a browser does in an image file.
    expect((await figure.toPNG({ scale: 1 })).length).toBeGreaterThan(500);
  });
});

describe("charts of tables", () => {
  const panel = from([
    { date: "2024-01-01", id: 1, PHASE: "a" },
    { date: "2024-01-01", id: 2, PHASE: null },
    { date: "2024-02-01", id: 1, PHASE: "b" },
    { date: "2024-02-01", id: 2, PHASE: "b" },
  ]);

  test("rows count one each, or their `count`", () => {
    expect(labelOf(burnDown(panel, "PHASE", { done: ["b"] }))).toContain("2 on 2024-01-01");
    const counted = table({ date: ["2024-01-01"], value: ["a"], count: [40] });
    expect(labelOf(burnDown(counted, "PHASE"))).toContain("40 on 2024-01-01");
  });

  test("dates do not depend on the machine's time zone", () => {
    const zone = process.env["TZ"];
    const started = (date: unknown) => {
      const { domain = [] } = cumulativeFlow(table({ date: [date], STATUS: ["a"] }), "STATUS").scale("x") ?? {};
      return Number([...domain][0]);
    };
    try {
      process.env["TZ"] = "Pacific/Apia";
      expect(started("2024-03-05T10:00")).toBe(Date.UTC(2024, 2, 5, 10));
      expect(started("2024-03-05T10:00+02:00")).toBe(Date.UTC(2024, 2, 5, 8));
      for (const day of ["2024-03-01", "2024-03"]) expect(started(day)).toBe(Date.UTC(2024, 2, 1));
      for (const text of ["5 March 2024", "soon"]) expect(() => started(text)).toThrow(/Invalid date/);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  test("charts reject values that are not tables", () => {
    expect(() => lateEdits({} as never)).toThrow(ArgumentError);
  });

  test("null is a separate value", () => {
    expect(cumulativeFlow(panel, "PHASE").scale("color")?.domain).toEqual(["a", "b", "none"]);
  });

  test("transitionMap accepts a table in any order, with unknown days", () => {
    const flows = table({ from: ["a", "b"], to: ["b", "a"], count: [2, 30], median_days: [null, 4] });
    const figure = transitionMap(flows, "PHASE");
    expect(labelOf(figure)).toContain("the most frequent is b to a, 30 times");
    expect(figure.outerHTML.match(/[\d.]+ days</g)).toEqual(["4.0 days<"]);
  });

  test("transitionMap draws the most frequent of many values, and notes it", () => {
    const to = Array.from({ length: 700 }, (_, index) => `value ${index}`);
    const figure = transitionMap(table({ from: to.map(() => "start"), to, count: to.map((_, index) => index) }), "TAG");
    expect(figure.scale("x")?.domain).toHaveLength(40);
    expect(figure.scale("x")?.domain).toContain("value 699");
    expect(figure.outerHTML).toContain("the 40 most frequent of 701 values");
  });

  test("tables of a history draw the same figures as the history", () => {
    expect(timeInStatus(history.durations("STATUS"), "STATUS").outerHTML).toBe(
      timeInStatus(history, "STATUS").outerHTML,
    );
    expect(transitionMap(history.transitions("STATUS"), "STATUS").outerHTML).toBe(
      transitionMap(history, "STATUS").outerHTML,
    );
    expect(lateEdits(history.lateEdits()).outerHTML).toBe(lateEdits(history).outerHTML);
  });
});
