import { from, table } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import { ArgumentError, fromRecords, type History } from "../../../src/index.js";
import {
  burnDown,
  cumulativeFlow,
  editHeatmap,
  type Figure,
  lateEdits,
  Plot,
  plot,
  sCurve,
  survivalCurve,
  timeInStatus,
  timeMap,
  transitionMap,
  valueOverTime,
} from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { change, feature } from "../../support/records.js";
import { frameFacts } from "../../tables/display/frame-facts.js";
import { plottedHistory } from "../plotted-history.js";
import { stillOf } from "../still-of.js";
import { weeklyHistory } from "../weekly-history.js";

const dates = ["2024-03-05", "2024-03-10", "2024-03-30"];
let history: History;
let empty: History;

beforeAll(async () => {
  history = await plottedHistory();
  empty = await fromRecords({ datasets: [], layerFeatures: [], propertyChanges: [] }).history({ site_id: 12 });
});

function spoken(figure: Figure): string {
  return (
    /<svg[^>]* aria-label="([^"]*)"/.exec(figure.outerHTML.replace(/^[\s\S]*?(?=<svg[^>]*aria-label)/, ""))?.[1] ?? ""
  );
}

describe("charts of a history", () => {
  test("burnDown counts what is not done, and unknown apart", () => {
    const figure = burnDown(history, "STATUS", { dates });
    expect(spoken(figure)).toContain("2 on 2024-03-05, at most 2 on 2024-03-05, 2 on 2024-03-30");
    expect(figure.outerHTML).toContain("url(#siteframe-hatch)");
    expect(spoken(burnDown(history, "STATUS", { dates, done: ["OPEN", "CLOSED"] }))).toContain("at most 1");
    const [one, list] = ["OPEN", ["OPEN"]].map((done) => spoken(burnDown(history, "STATUS", { dates, done })));
    expect(one).toBe(list);
  });

  test("values that no feature ever had are refused where they would make a flat curve", () => {
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
    expect(flat(() => burnDown(empty, "STATUS", { done: ["CLOSED"] }))).toContain("no property column");
    const counted = table({ date: ["2024-03-01"], value: ["A"], count: [2] });
    expect(flat(() => burnDown(counted, "value", { done: ["B"] }))).toBe("drawn");
  });

  test("burnDown says so where nothing ever was done, unless it was told what that means", () => {
    const open = table({ date: ["2024-03-01"], STATUS: ["OPEN"], count: [2] });
    expect(burnDown(open, "STATUS").outerHTML).toContain("is not CLOSED, which none ever was");
    expect(burnDown(history, "STATUS").outerHTML).not.toContain("none ever was");
  });

  test("options that a figure does not have are refused", () => {
    for (const draw of [
      () => burnDown(history, "STATUS", { don: ["CLOSED"] } as object),
      () => cumulativeFlow(history, "STATUS", { ordr: ["OPEN"] } as object),
      () => plot({ widht: 300 } as object),
      () => timeMap(history, "STATUS", { date: dates } as object),
    ]) {
      expect(draw).toThrow(/has no option/);
    }
  });

  test("cumulativeFlow stacks values in the order of time, or as told", () => {
    expect(cumulativeFlow(history, "STATUS", { dates }).scale("color")?.domain).toEqual([
      "OPEN",
      "BLOCKED",
      "CLOSED",
      "unknown",
    ]);
    const told = cumulativeFlow(history, "STATUS", { dates, order: ["OPEN", "PAUSED"] });
    expect(told.scale("color")?.domain).toEqual(["OPEN", "PAUSED", "BLOCKED", "CLOSED", "unknown"]);
    expect([...(told.scale("color")?.range ?? [])].at(-1)).toBe("url(#siteframe-hatch)");
    expect(spoken(told)).toContain("CLOSED 1, unknown 0");
  });

  test("without dates the whole history is drawn", () => {
    expect(spoken(cumulativeFlow(history, "STATUS"))).toContain("from 2024-03-01 to 2024-03-31");
  });

  test("sCurve counts a stage with all later ones", () => {
    const figure = sCurve(history, "STATUS", { dates, stages: ["OPEN", "BLOCKED", "CLOSED"] });
    expect(spoken(figure)).toContain("on 2024-03-30: BLOCKED 33 %, CLOSED 33 %");
    expect(figure.scale("y")?.domain).toEqual([0, 100]);
  });

  test("timeInStatus tells medians and leaves out what is told", () => {
    const figure = timeInStatus(history, "STATUS", {
      until: "2024-03-30",
      leaveOut: ["unknown"],
      order: ["GONE", "OPEN"],
    });
    expect(spoken(figure)).toContain("OPEN 9.6 days, BLOCKED 5.0 days, CLOSED 20 days");
    expect(figure.outerHTML).toContain("3 features");
  });

  test("survivalCurve tells medians, what is still open, and what is not known of beginnings", async () => {
    const spell = { from: "OPEN", to: ["BLOCKED", "CLOSED"] };
    const figure = survivalCurve(history, "STATUS", spell);
    expect(spoken(figure)).toBe(
      "Survival curves of STATUS from OPEN to BLOCKED or CLOSED; median: 5.0 days (5.0 to ?).",
    );
    expect(figure.outerHTML).toContain("From OPEN to BLOCKED or CLOSED");
    expect(figure.outerHTML).toContain("The beginning of 3 of 3 spells is not known");
    expect(figure.outerHTML).toContain("2 spells have been open for longer than is shown.");
    expect(figure.scale("y")?.domain).toEqual([0, 100]);
    const html = String((await toMimeBundle(figure))["text/html"]);
    expect(JSON.stringify(frameFacts(html))).toContain("50.0 % (");
    const groups = survivalCurve(history, "STATUS", { ...spell, by: "dataset_id" });
    expect(spoken(groups)).toContain("median: 1: 5.0 days (5.0 to ?).");
  });

  test("survivalCurve draws a table that was made before", () => {
    const made = history.survival("STATUS", { from: "OPEN", to: "BLOCKED", by: "dataset_id" });
    const figure = survivalCurve(made, "STATUS", { by: "dataset_id" });
    expect(spoken(figure)).toContain("Survival curves of STATUS; median: 1: ");
    expect(figure.scale("color")?.domain).toEqual(["1"]);
    expect(() => survivalCurve(history, "STATUS", { from: "OPEN" })).toThrow(/needs the option to/);
    expect(() => survivalCurve(made, "STATUS", { by: "PRIORITY" })).toThrow(/no column "PRIORITY"/);
  });

  test("sCurve shows a plan and how far the work is from it", () => {
    const plan = table({ date: ["2024-03-01", "2024-03-20"], value: [0, 3] });
    const options = { dates, stages: ["OPEN", "BLOCKED", "CLOSED"], plan };
    const figure = sCurve(history, "STATUS", options);
    expect(spoken(figure)).toContain("On 2024-03-31 33.3 % are done and 100.0 % are planned: 66.7 points and ");
    expect(figure.outerHTML).toContain("days behind the plan");
    expect(figure.outerHTML).toContain("−66.7 points");
    expect(spoken(sCurve(history, "STATUS", { ...options, total: 6 }))).toContain("CLOSED 17 %. On 2024-03-31 16.7 %");
    const counted = history.counts("STATUS", ["2024-03-05", "2024-03-30"]);
    expect(spoken(sCurve(counted, "STATUS", { plan, stages: ["OPEN", "CLOSED"] }))).toContain("On 2024-03-30 33.3 %");
    expect(() => sCurve(counted, "STATUS", { plan: "DUE_DATE" })).toThrow(/is a column/);
    const later = table({ date: ["2024-04-01", "2024-04-20"], value: [0, 3] });
    const none = sCurve(history, "STATUS", { ...options, dates: ["2024-03-01"], until: "2024-03-01", plan: later });
    expect(spoken(none)).toContain("On 2024-03-01 0.0 % are done and 0.0 % are planned: as planned.");
    expect(none.outerHTML).not.toContain("0 points");
    const falling = table({ date: ["2024-03-01", "2024-03-20"], value: [3, 1] });
    for (const data of [counted, history]) {
      expect(() => sCurve(data, "STATUS", { plan: falling, stages: ["OPEN", "CLOSED"] })).toThrow(
        /^The plan falls from 3 by/,
      );
    }
  });

  test("sCurve plans and forecasts numbers by their values, and asks which are stages", async () => {
    const weeks = Array.from({ length: 12 }, (_, week) => week);
    const values = [0, 50, 100];
    const source = fromRecords(
      {
        layerFeatures: weeks.map((week) => feature(week + 1, { created_at: "2024-01-01T00:00:00Z" })),
        propertyChanges: weeks.flatMap((week) =>
          values.slice(0, week < 9 ? 3 : 2).map((new_value, step) =>
            change(10 * week + step, {
              ...{ layer_feature_id: week + 1, property_key: "PROGRESS", new_value },
              created_at: new Date(Date.UTC(2024, 0, 2 + 7 * week, 9 + step)).toISOString(),
            }),
          ),
        ),
      },
      { readAt: new Date("2024-03-25T00:00:00Z") },
    );
    const progress = await source.history({ site_id: 12 });
    const plan = table({ date: ["2024-01-01", "2024-03-20"], value: [0, 12] });
    for (const stages of [values, ["0", "50", "100"]]) {
      const figure = sCurve(progress, "PROGRESS", { stages, plan, forecast: { trials: 200 } });
      expect(spoken(figure)).toContain("On 2024-03-25 75.0 % are done and 100.0 % are planned");
      expect(figure.outerHTML).toContain("All done: P50 2024-0");
    }
    expect(spoken(sCurve(progress, "PROGRESS"))).toContain("100 75 %");
    for (const options of [{ plan }, { forecast: true }]) {
      expect(() => sCurve(progress, "PROGRESS", options)).toThrow(
        expect.objectContaining({
          name: "ArgumentError",
          message: '"PROGRESS" holds numbers, of which none is known to mean that all is done.',
          hint: "Say which are stages, first to last: { stages: [0, 100] }.",
        }),
      );
    }
    expect(() => sCurve(progress, "PROGRESS", { forecast: false })).not.toThrow();
  });

  test("burnDown and sCurve draw the fan of a forecast, or say why there is none", async () => {
    const tickets = await weeklyHistory();
    const burned = burnDown(tickets, "STATUS", { forecast: { trials: 500 } });
    expect(spoken(burned)).toMatch(/ Forecast: P50 2024-0\d-\d\d, P80 2024-0\d-\d\d, P95 2024-0\d-\d\d\.$/);
    expect(burned.outerHTML).toMatch(/Of \d+ such forecasts? of the past, P50 was kept in \d+ %/);
    for (const name of ["P50", "P80", "P95"]) expect(burned.outerHTML).toContain(`>${name}</text>`);
    const curve = sCurve(tickets, "STATUS", { forecast: true, stages: ["OPEN", "CLOSED"] });
    expect(curve.outerHTML).toContain("All done: P50 2024-0");
    // The day of a report: counts end there, and what came later is not known.
    const reported = burnDown(tickets, "STATUS", { until: "2024-03-11", forecast: { trials: 500 } });
    expect(spoken(reported)).toMatch(/, 3 on 2024-03-11\. Forecast: P50 /);
    const { fan } = tickets.forecast("STATUS", { done: "CLOSED", until: "2024-03-11" });
    expect((fan.get("date", 0) as Date).toISOString()).toBe("2024-03-12T00:00:00.000Z");
    const plan = table({ date: ["2024-01-01", "2024-03-11"], value: [0, 12] });
    const behind = sCurve(tickets, "STATUS", { until: "2024-03-11", plan, stages: ["OPEN", "CLOSED"] });
    expect(spoken(behind)).toMatch(/on 2024-03-11: CLOSED/);
    expect(spoken(behind)).toContain("On 2024-03-11 75.0 % are done and 100.0 % are planned: 25.0 points");
    const painted = sCurve(tickets, "STATUS", {
      until: "2024-03-11",
      forecast: true,
      stages: ["OPEN", "CLOSED"],
      color: { range: ["#123456"] },
    });
    expect(painted.outerHTML).toMatch(/fill-opacity="0\.14" fill="#123456"/);
    const byDates = sCurve(tickets, "STATUS", { until: "2024-03-11", plan, dates: ["2024-01-31", "2024-02-29"] });
    expect(spoken(byDates)).toContain("On 2024-03-11 75.0 % are done");
    const none = burnDown(history, "STATUS", { forecast: true });
    expect(none.outerHTML).toContain("No forecast: the log has 4 whole weeks");
    expect(none.outerHTML).not.toContain(">P50</text>");
    const counted = table({ date: ["2024-03-01"], value: ["A"], count: [2] });
    expect(() => burnDown(counted, "value", { forecast: true })).toThrow(/needs a history/);
    expect(() => burnDown(counted, "value", { until: "2024-03-01" })).toThrow(/option until needs a history/);
    expect(() => sCurve(counted, "value", { until: "2024-03-01" })).toThrow(/option until needs a history/);
  });

  test("transitionMap shows counts and days", () => {
    const figure = transitionMap(history, "STATUS", { order: ["OPEN", "BLOCKED", "CLOSED"] });
    expect(figure.scale("x")?.domain).toEqual(["OPEN", "BLOCKED", "CLOSED"]);
    expect(figure.outerHTML).toContain("5.0 days");
  });

  test("valueOverTime hatches what is not known", () => {
    const figure = valueOverTime(history, "STATUS", { features: ["P-3", 1] });
    expect(figure.scale("y")?.domain).toEqual(["P-3", "P-1"]);
    expect(figure.outerHTML).toContain("P-3: unknown, 2024-03-01 to 2024-03-21");
    expect(() => valueOverTime(history, "STATUS", { features: ["P-9"] })).toThrow(ArgumentError);
    expect(valueOverTime(history, "STATUS", { maxFeatures: 1 }).outerHTML).toContain("1 of 3 features");
  });

  test("valueOverTime gives each feature a lane, also of equal names and of none", () => {
    const held = { value: "OPEN", valid_from: "2024-03-01", valid_to: null };
    const names = ["P-1", "P-1", null, null, "P-2"];
    const rows = from(names.map((visible_id, index) => ({ id: index + 1, visible_id, ...held })));
    const lanes = (features?: readonly unknown[]) =>
      valueOverTime(rows, "STATUS", features ? { features } : {}).scale("y")?.domain;
    expect(lanes()).toEqual(["3", "4", "P-1 (1)", "P-1 (2)", "P-2"]);
    expect(lanes(["P-2", "P-1", 4])).toEqual(["P-2", "P-1 (1)", "P-1 (2)", "4"]);
    expect(() => lanes([9n])).toThrow(ArgumentError);
  });

  test("a feature whose creation nobody knows has been there from the start", async () => {
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
    expect(frameFacts(timeMap(records, "STATUS").outerHTML)).toMatchObject({ dates: ["2024-03-01"] });
  });

  test("editHeatmap and lateEdits", () => {
    expect(spoken(editHeatmap(history))).toBe("Heat map of 5 edits by weekday and hour; most on Fri at 9 o'clock, 2.");
    expect(spoken(editHeatmap(history, { by: "system" }))).toContain("0 edits by the system");
    expect(spoken(lateEdits(history))).toBe(
      "1 edit came in after a newer one of the same feature and property, at most 5.0 days older than it.",
    );
  });
});

describe("every chart", () => {
  const charts: Record<string, (data: History, options?: object) => Figure> = {
    burnDown: (data, options) => burnDown(data, "STATUS", options),
    cumulativeFlow: (data, options) => cumulativeFlow(data, "STATUS", options),
    sCurve: (data, options) => sCurve(data, "STATUS", options),
    survivalCurve: (data, options) => survivalCurve(data, "STATUS", { from: "OPEN", to: "CLOSED", ...options }),
    timeInStatus: (data, options) => timeInStatus(data, "STATUS", options),
    transitionMap: (data, options) => transitionMap(data, "STATUS", options),
    valueOverTime: (data, options) => valueOverTime(data, "STATUS", options),
    editHeatmap,
    lateEdits,
  };

  test.each(Object.entries(charts))("%s passes Plot options through and shows itself", async (_, draw) => {
    const marks = [Plot.text(["mine"], { frameAnchor: "middle" })];
    const figure = draw(history, { title: "A <title>", caption: "From the log", width: 500, marks });
    const bundle = await toMimeBundle(figure);
    const image = bundle["image/svg+xml"] ?? stillOf(bundle);
    for (const shown of [figure.outerHTML, image]) {
      expect(shown).toContain("A &lt;title&gt;");
      expect(shown).toContain("mine");
      expect(shown).toMatch(/aria-label="[^"]{20,}"[^>]*/);
      expect(shown).toContain('role="img"');
    }
    const svg = figure.toSVG();
    expect(svg).toMatch(/^<svg xmlns/);
    for (const text of ["A &lt;title&gt;", "From the log", "mine"]) expect(svg).toContain(text);
  });

  test.each(Object.entries(charts))("%s of nothing is empty, or misses the column", (name, draw) => {
    if (name === "editHeatmap" || name === "lateEdits") expect(draw(empty).outerHTML).toContain("<svg");
    else expect(() => draw(empty)).toThrow(ArgumentError);
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

  test("rows count one each, or what `count` says", () => {
    expect(spoken(burnDown(panel, "PHASE", { done: ["b"] }))).toContain("2 on 2024-01-01");
    const counted = table({ date: ["2024-01-01"], value: ["a"], count: [40] });
    expect(spoken(burnDown(counted, "PHASE"))).toContain("40 on 2024-01-01");
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
      expect(() => started("5 March 2024")).toThrow(ArgumentError);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  test("null is a value of its own", () => {
    expect(cumulativeFlow(panel, "PHASE").scale("color")?.domain).toEqual(["a", "b", "none"]);
  });

  test("a table without the columns is an ArgumentError that says which", () => {
    const other = table({ colour: ["red"] });
    expect(() => burnDown(other, "STATUS")).toThrow(/no column "date"/);
    expect(() => timeInStatus(other, "STATUS")).toThrow(ArgumentError);
    expect(() => transitionMap(other, "STATUS")).toThrow(ArgumentError);
    expect(() => editHeatmap(other)).toThrow(ArgumentError);
    expect(() => lateEdits({} as never)).toThrow(ArgumentError);
    expect(() => burnDown(table({ date: ["soon"], STATUS: ["a"] }), "STATUS")).toThrow(
      /a string of 4 characters is not a date/,
    );
  });

  test("transitionMap of a table in any order, with days that nobody knows", () => {
    const flows = table({ from: ["a", "b"], to: ["b", "a"], count: [2, 30], median_days: [null, 4] });
    const figure = transitionMap(flows, "PHASE");
    expect(spoken(figure)).toContain("the most frequent is b to a, 30 times");
    expect(figure.outerHTML.match(/[\d.]+ days</g)).toEqual(["4.0 days<"]);
  });

  test("transitionMap of very many values draws the most frequent, and says so", () => {
    const to = Array.from({ length: 700 }, (_, index) => `value ${index}`);
    const figure = transitionMap(table({ from: to.map(() => "start"), to, count: to.map((_, index) => index) }), "TAG");
    expect(figure.scale("x")?.domain).toHaveLength(40);
    expect(figure.scale("x")?.domain).toContain("value 699");
    expect(figure.outerHTML).toContain("the 40 most frequent of 701 values");
  });

  test("tables of the history's own shape draw the same", () => {
    expect(timeInStatus(history.durations("STATUS"), "STATUS").outerHTML).toBe(
      timeInStatus(history, "STATUS").outerHTML,
    );
    expect(transitionMap(history.transitions("STATUS"), "STATUS").outerHTML).toBe(
      transitionMap(history, "STATUS").outerHTML,
    );
    expect(lateEdits(history.lateEdits()).outerHTML).toBe(lateEdits(history).outerHTML);
  });
});
