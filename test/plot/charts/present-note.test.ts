import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { History } from "../../../src/index.js";
import {
  aging,
  burnDown,
  cumulativeFlow,
  cycleTimeScatter,
  editHeatmap,
  type Figure,
  layerMap,
  mapAnimation,
  mapPanels,
  netFlow,
  sCurve,
  timeInStatus,
  valueOverTime,
} from "../../../src/plot/index.js";
import { change, feature } from "../../support/records.js";
import { wordsOf } from "../figure-words.js";
import { historyOf } from "../history-of.js";

let differing: History;
let agreeing: History;

/** Five tickets that are closed by the log. The records of some are OPEN. */
async function ticketsOf(open: readonly number[]): Promise<History> {
  const ids = [1, 2, 3, 4, 5];
  const layerFeatures = ids.map((id) =>
    feature(id, {
      properties: { STATUS: open.includes(id) ? "OPEN" : "CLOSED", PRIORITY: "LOW" },
      geometry: { type: "Point", coordinates: [11 + id / 100, 48] },
    }),
  );
  const propertyChanges = ids.flatMap((id) => [
    change(10 * id, { layer_feature_id: id, new_value: "OPEN", created_at: "2024-02-01T00:00:00Z" }),
    change(10 * id + 1, { layer_feature_id: id, new_value: "CLOSED", created_at: "2024-02-05T00:00:00Z" }),
    change(10 * id + 2, {
      layer_feature_id: id,
      property_key: "PRIORITY",
      new_value: "LOW",
      created_at: "2024-02-05T00:00:00Z",
    }),
  ]);
  return historyOf(layerFeatures, propertyChanges, "2024-02-10T12:00:00Z");
}

beforeAll(async () => {
  differing = await ticketsOf([2, 3]);
  agreeing = await ticketsOf([]);
});

afterEach(() => vi.unstubAllEnvs());

const note =
  "2 features currently have another STATUS than their last logged change (OPEN 2 more, CLOSED 2 fewer); history.reconcile() lists them.";

const figures: readonly (readonly [string, (history: History, options?: object) => { toSVG(): string }])[] = [
  ["burnDown", (history, options) => burnDown(history, "STATUS", options)],
  ["cumulativeFlow", (history, options) => cumulativeFlow(history, "STATUS", options)],
  ["sCurve", (history, options) => sCurve(history, "STATUS", options)],
  ["mapPanels", (history, options) => mapPanels(history, "STATUS", options)],
  ["mapAnimation", (history, options) => mapAnimation(history, "STATUS", options)],
];

const flow = { done: "CLOSED" };
const ticketFigures: typeof figures = [
  ["aging", (history, options) => aging(history, "STATUS", { open: "OPEN", ...options })],
  ["netFlow", (history, options) => netFlow(history, "STATUS", { ...flow, ...options })],
  ["cycleTimeScatter", (history, options) => cycleTimeScatter(history, "STATUS", { ...flow, ...options })],
  ["timeInStatus", (history, options) => timeInStatus(history, "STATUS", options)],
  ["valueOverTime", (history, options) => valueOverTime(history, "STATUS", options)],
];

/** Options of a figure that ends on a day. */
function endOf(draw: unknown, day: string): object {
  const takesUntil = ticketFigures.slice(1).some(([, own]) => own === draw);
  return takesUntil ? { until: day } : { dates: ["2024-02-01", day] };
}

describe("if current values differ from the log", () => {
  test.each(figures)("%s notes it, with a fix", (_, draw) => {
    expect(wordsOf(draw(differing))).toContain(note);
    expect(wordsOf(draw(differing, { dates: ["2024-02-01", "2024-02-10"] }))).toContain(note);
    expect(wordsOf(draw(differing, { dates: { from: "2024-02-01", until: "2024-02-10", every: "day" } }))).toContain(
      note,
    );
  });

  test.each(figures)("%s has no note for past dates, or if both agree", (_, draw) => {
    expect(wordsOf(draw(differing, { dates: ["2024-02-01", "2024-02-04"] }))).not.toContain("currently");
    expect(wordsOf(draw(agreeing))).not.toContain("currently");
  });

  test("figures of current values note it for their column", () => {
    const own: readonly ((column: string) => Figure)[] = [
      (column) => valueOverTime(differing, column),
      (column) => layerMap(differing, column),
    ];
    for (const draw of own) {
      expect(wordsOf(draw("STATUS"))).toContain(note);
      expect(wordsOf(draw("PRIORITY"))).not.toContain("currently");
    }
    expect(wordsOf(valueOverTime(differing, "STATUS", { until: "2024-02-04" }))).not.toContain("currently");
    expect(wordsOf(burnDown(differing, "STATUS", { until: "2024-02-04" }))).not.toContain("currently");
    expect(wordsOf(layerMap(differing))).not.toContain("currently");
    expect(wordsOf(editHeatmap(differing))).not.toContain("currently");
  });

  test.each([...figures, ...ticketFigures])("%s notes the end of the data for later days", (_, draw) => {
    const end = "The data end on 2024-02-10; later dates show the values of that day.";
    const later = (day: string) => wordsOf(draw(agreeing, endOf(draw, day)));
    expect(later("2024-02-11")).toContain(end);
    expect(later("2024-02-10")).not.toContain("The data end");
    expect(wordsOf(draw(agreeing))).not.toContain("The data end");
  });

  test("reports do not mention calls", () => {
    vi.stubEnv("SITEFRAME_ORIGIN", "off");
    const shown = wordsOf(burnDown(differing, "STATUS"));
    expect(shown).toContain("(OPEN 2 more, CLOSED 2 fewer).");
    expect(shown).not.toContain("reconcile");
  });

  test("figures show the values of the log", () => {
    expect(cumulativeFlow(differing, "STATUS").outerHTML).toContain("at the end: OPEN 0, CLOSED 5.");
    expect(differing.reconcile().mismatches.numRows()).toBe(2);
  });

  test("cumulativeFlow notes one feature, but nothing for a table", async () => {
    const one = await ticketsOf([4]);
    expect(wordsOf(cumulativeFlow(one, "STATUS"))).toContain(
      "1 feature currently has another STATUS than its last logged change (OPEN 1 more, CLOSED 1 fewer); history.reconcile() lists it.",
    );
    expect(wordsOf(cumulativeFlow(one.counts("STATUS", ["2024-02-10"]), "STATUS"))).not.toContain("currently");
  });
});
