import { table } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import type { History } from "../../../src/index.js";
import {
  cumulativeFlow,
  type Figure,
  lateEdits,
  layerMap,
  mapAnimation,
  mapPanels,
  sCurve,
  survivalCurve,
  timeInStatus,
  transitionMap,
  valueOverTime,
} from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { change, feature } from "../../support/records.js";
import { wordsOf } from "../figure-words.js";
import { historyOf } from "../history-of.js";
import { spokenFigure } from "../tips/spoken.js";

let history: History;

/** A column of free texts: 600 features, 1,500 values, of which `note 0` is the most frequent and `note 1` the next. */
beforeAll(async () => {
  const ids = Array.from({ length: 600 }, (_, index) => index + 1);
  const noteOf = (index: number) => `note ${index % 10 === 0 ? 0 : index % 10 === 5 && index % 20 === 5 ? 1 : index}`;
  const layerFeatures = ids.map((id) =>
    feature(id, { geometry: { type: "Point", coordinates: [11 + id / 1e4, 48] }, properties: { STATUS: "x" } }),
  );
  const propertyChanges = Array.from({ length: 1800 }, (_, index) =>
    change(index + 1, {
      layer_feature_id: 1 + (index % 600),
      new_value: noteOf(index),
      created_at: new Date(Date.UTC(2024, 0, 1 + Math.floor(index / 20), index % 24)).toISOString(),
    }),
  );
  history = await historyOf(layerFeatures, propertyChanges, "2024-06-01T00:00:00Z");
});

const domainOf = (figure: Figure): readonly unknown[] => [
  ...(figure.scale("color")?.domain ?? figure.scale("y")?.domain ?? []),
];

describe("of too many values", () => {
  test("cumulativeFlow shows the most frequent ones, and one band for the others", async () => {
    const dates = ["2024-02-01", "2024-04-30"];
    const figure = cumulativeFlow(history, "STATUS", { dates });
    const domain = figure.scale("color")?.domain ?? [];
    expect(domain).toHaveLength(22);
    expect(domain).toEqual(expect.arrayContaining(["note 0", "note 1", "other", "unknown"]));
    const all = new Set(
      history
        .counts("STATUS", dates)
        .array("value")
        .filter((value) => value !== null),
    ).size;
    expect(wordsOf(figure)).toMatch(/the 20 most frequent of [\d,]+ values, [\d,]+ others together/);
    expect(all).toBeGreaterThan(500);
    for (const words of (await spokenFigure(figure)).wide) {
      const counts = words
        .split(", ")
        .slice(2)
        .map((one) => Number(one.split(" ").at(-1)));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(600);
    }
    const own = history.counts("STATUS", ["2024-04-30"]).objects() as { value: string; count: number }[];
    const zero = own.find(({ value }) => value === "note 0")?.count;
    expect((await spokenFigure(figure)).wide.at(-1)).toContain(`note 0 ${zero}`);
  });

  test("cumulativeFlow shows all values of `order`", () => {
    const order = Array.from({ length: 25 }, (_, index) => `note ${index + 2}`);
    const domain = domainOf(cumulativeFlow(history, "STATUS", { dates: ["2024-04-30"], order }));
    expect(domain.slice(0, 25)).toEqual(order);
    expect(domain).not.toContain("note 0");
  });

  test("cumulativeFlow shows 20 values without a band for others", () => {
    const rows = table({
      date: Array(20).fill("2024-01-01"),
      STATUS: Array.from({ length: 20 }, (_, index) => `v${index}`),
    });
    const figure = cumulativeFlow(rows, "STATUS");
    expect(figure.scale("color")?.domain).toHaveLength(20);
    expect(wordsOf(figure)).not.toContain("most frequent");
  });

  test.each<[string, () => Figure, RegExp, number]>([
    ["sCurve", () => sCurve(history, "STATUS"), /the 20 most frequent of [\d,]+ stages/, 20],
    ["timeInStatus", () => timeInStatus(history, "STATUS"), /the 40 most frequent of [\d,]+ values/, 42],
  ])("%s shows the most frequent ones, and notes it", (_, draw, note, most) => {
    const figure = draw();
    expect(wordsOf(figure)).toMatch(note);
    const domain = domainOf(figure);
    expect(domain.length).toBeLessThanOrEqual(most);
    expect(domain.length).toBeGreaterThan(2);
  });

  test("sCurve keeps the last stage", () => {
    const values = Array.from({ length: 30 }, (_, index) => `v${String(index).padStart(2, "0")}`);
    const rows = table({
      date: Array(30).fill("2024-01-01"),
      STATUS: values,
      count: values.map((_, index) => 100 - index),
    });
    const domain = sCurve(rows, "STATUS").scale("color")?.domain ?? [];
    expect(domain).toHaveLength(20);
    expect(domain).toContain("v29");
  });

  test("survivalCurve shows the groups with the most spells", async () => {
    const groups = Array.from({ length: 300 }, (_, index) => index);
    const rows = table({
      team: groups.map((group) => `team ${group}`),
      days: groups.map(() => 0),
      survival: groups.map(() => 1),
      lower: groups.map(() => 1),
      upper: groups.map(() => 1),
      at_risk: groups.map((group) => (group === 77 ? 500 : group)),
      censored: groups.map(() => 0),
    });
    const figure = survivalCurve(rows, "STATUS", { by: "team" });
    expect(figure.scale("color")?.domain).toHaveLength(20);
    expect(figure.scale("color")?.domain).toEqual(expect.arrayContaining(["team 77", "team 299", "team 281"]));
    expect(wordsOf(figure)).toContain("the 20 most frequent of 300 groups");
  });

  function manyLate() {
    const days = Array.from({ length: 5000 }, (_, index) => (index * 7) % 5000);
    const made = days.map((_, index) => new Date(Date.UTC(2024, 0, 1, index)).toISOString());
    return table({ column: days.map(() => "STATUS"), created_at: made, late_by_days: days });
  }

  test("transitionMap shows the most frequent transitions, even if all values are rare", () => {
    const words = wordsOf(transitionMap(history, "STATUS"));
    expect(history.transitions("STATUS").numRows()).toBeGreaterThan(500);
    expect(words).not.toContain("No transitions");
    expect(words).toMatch(/ days/);
  });

  test("lateEdits draws the 1,000 latest edits, and counts all", () => {
    const figure = lateEdits(manyLate());
    expect(wordsOf(figure)).toContain("5,000 edits that arrived after a newer edit");
    expect(wordsOf(figure)).toContain("the 1,000 with the largest difference are shown");
    expect(figure.toSVG().match(/<circle/g)).toHaveLength(1000);
  });

  test.each<[string, () => unknown]>([
    ["cumulativeFlow", () => cumulativeFlow(history, "STATUS")],
    ["sCurve", () => sCurve(history, "STATUS")],
    ["timeInStatus", () => timeInStatus(history, "STATUS")],
    ["transitionMap", () => transitionMap(history, "STATUS")],
    ["valueOverTime", () => valueOverTime(history, "STATUS")],
    ["lateEdits", () => lateEdits(manyLate())],
    ["survivalCurve", () => survivalCurve(history, "STATUS", { start: "note 0", done: "note 1", by: "visible_id" })],
    ["layerMap", () => layerMap(history, "STATUS")],
    ["mapPanels", () => mapPanels(history, "STATUS")],
    ["mapAnimation", () => mapAnimation(history, "STATUS")],
  ])("a page holds %s", async (_, draw) => {
    const { "text/html": html = "" } = (await toMimeBundle(draw())) as Record<string, string>;
    expect(html.length).toBeGreaterThan(1000);
    expect(html.length).toBeLessThan(2_000_000);
  });
});
