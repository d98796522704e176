import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { fromRecords, type History } from "../../../src/index.js";
import {
  ageing,
  burnDown,
  cumulativeFlow,
  cycleTimeScatter,
  editHeatmap,
  type Figure,
  layerMap,
  mapAt,
  netFlow,
  sCurve,
  timeInStatus,
  timeMap,
  valueOverTime,
} from "../../../src/plot/index.js";
import { change, feature } from "../../support/records.js";

let differing: History;
let agreeing: History;

/** Five tickets that were closed by the log; of some the record says OPEN. */
async function historyOf(open: readonly number[]): Promise<History> {
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
  const source = fromRecords(
    { datasets: [], layerFeatures, propertyChanges },
    { readAt: new Date("2024-02-10T12:00:00Z") },
  );
  return source.history({ site_id: 12 });
}

beforeAll(async () => {
  differing = await historyOf([2, 3]);
  agreeing = await historyOf([]);
});

afterEach(() => vi.unstubAllEnvs());

const words = (figure: { toSVG(): string }) =>
  figure
    .toSVG()
    .replace(/<style>.*?<\/style>/gs, "")
    .replaceAll("</text>", " ")
    .replace(/<[^>]*>/g, "")
    .replace(/\s+/g, " ");

const note =
  "At present 2 features have another STATUS than their last change says (OPEN 2 more, CLOSED 2 fewer); history.reconcile() lists them.";

const figures: readonly (readonly [string, (history: History, options?: object) => { toSVG(): string }])[] = [
  ["burnDown", (history, options) => burnDown(history, "STATUS", options)],
  ["cumulativeFlow", (history, options) => cumulativeFlow(history, "STATUS", options)],
  ["sCurve", (history, options) => sCurve(history, "STATUS", options)],
  ["mapAt", (history, options) => mapAt(history, "STATUS", options)],
  ["timeMap", (history, options) => timeMap(history, "STATUS", options)],
];

const flow = { done: "CLOSED" };
const ticketFigures: typeof figures = [
  ["ageing", (history, options) => ageing(history, "STATUS", { open: "OPEN", ...options })],
  ["netFlow", (history, options) => netFlow(history, "STATUS", { ...flow, ...options })],
  ["cycleTimeScatter", (history, options) => cycleTimeScatter(history, "STATUS", { ...flow, ...options })],
  ["timeInStatus", (history, options) => timeInStatus(history, "STATUS", options)],
  ["valueOverTime", (history, options) => valueOverTime(history, "STATUS", options)],
];

/** The options by which a figure ends at a day. */
function endOf(draw: unknown, day: string): object {
  const takesUntil = ticketFigures.slice(1).some(([, own]) => own === draw);
  return takesUntil ? { until: day } : { dates: ["2024-02-01", day] };
}

describe("where the present is not what the log ends with", () => {
  test.each(figures)("%s says so, and what to do", (_, draw) => {
    expect(words(draw(differing))).toContain(note);
    expect(words(draw(differing, { dates: ["2024-02-01", "2024-02-10"] }))).toContain(note);
    expect(words(draw(differing, { dates: { from: "2024-02-01", to: "2024-02-10", every: "day" } }))).toContain(note);
  });

  test.each(figures)("%s says nothing of the past, nor where both are the same", (_, draw) => {
    expect(words(draw(differing, { dates: ["2024-02-01", "2024-02-04"] }))).not.toContain("At present");
    expect(words(draw(agreeing))).not.toContain("At present");
  });

  test("so do those of a history as it is now, of its column alone", () => {
    const own: readonly ((column: string) => Figure)[] = [
      (column) => valueOverTime(differing, column),
      (column) => layerMap(differing, column),
    ];
    for (const draw of own) {
      expect(words(draw("STATUS"))).toContain(note);
      expect(words(draw("PRIORITY"))).not.toContain("At present");
    }
    expect(words(valueOverTime(differing, "STATUS", { until: "2024-02-04" }))).not.toContain("At present");
    expect(words(burnDown(differing, "STATUS", { until: "2024-02-04" }))).not.toContain("At present");
    expect(words(layerMap(differing))).not.toContain("At present");
    expect(words(editHeatmap(differing))).not.toContain("At present");
  });

  test.each([...figures, ...ticketFigures])("%s says where the data end, if it is asked for later days", (_, draw) => {
    const end = "The data end on 2024-02-10: later days are shown by what was known then.";
    const later = (day: string) => words(draw(agreeing, endOf(draw, day)));
    expect(later("2024-02-11")).toContain(end);
    expect(later("2024-02-10")).not.toContain("The data end");
    expect(words(draw(agreeing))).not.toContain("The data end");
  });

  test("names no call to readers of a report", () => {
    vi.stubEnv("SITEFRAME_ORIGIN", "off");
    const shown = words(burnDown(differing, "STATUS"));
    expect(shown).toContain("(OPEN 2 more, CLOSED 2 fewer).");
    expect(shown).not.toContain("reconcile");
  });

  test("and the figures are those of the log, as the note says", () => {
    expect(cumulativeFlow(differing, "STATUS").outerHTML).toContain("at the end: OPEN 0, CLOSED 5.");
    expect(differing.reconcile().mismatches.numRows()).toBe(2);
  });

  test("of one feature, and of a table, whose dates say nothing of now", async () => {
    const one = await historyOf([4]);
    expect(words(cumulativeFlow(one, "STATUS"))).toContain(
      "At present 1 feature has another STATUS than its last change says (OPEN 1 more, CLOSED 1 fewer); history.reconcile() lists it.",
    );
    expect(words(cumulativeFlow(one.counts("STATUS", ["2024-02-10"]), "STATUS"))).not.toContain("At present");
  });
});
