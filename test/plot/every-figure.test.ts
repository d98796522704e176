import { from } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import { LazyHistory } from "../../src/history/lazy/lazy-history.js";
import { ArgumentError, type History, provenanceOf } from "../../src/index.js";
import {
  aging,
  burnDown,
  mapAnimation,
  netFlow,
  Plot,
  plot,
  sCurve,
  toPNG,
  transitionMap,
} from "../../src/plot/index.js";
import { change, feature } from "../support/records.js";
import { labelOf } from "./figure-words.js";
import { historyFigures } from "./history-figures.js";
import { historyOf } from "./history-of.js";
import { plottedHistory } from "./plotted-history.js";
import { decodePng, inkAtEdge } from "./png/decode-png.js";

const dates = ["2024-03-05", "2024-03-10", "2024-03-30"];

const each = Object.entries(historyFigures);

let history: History;
let wordy: History;

beforeAll(async () => {
  history = await plottedHistory();
  wordy = await wordyHistory();
});

const wordySpell = { start: "Waiting for the supplier's confirmation", done: "WWWWWWWWWWWWWWWWWWWWWWWW" };

/** Very long values and names. */
async function wordyHistory(): Promise<History> {
  const words = [
    "Waiting for the supplier's confirmation",
    "WWWWWWWWWWWWWWWWWWWWWWWW",
    "in review by the owner's engineer",
  ];
  const layerFeatures = words.map((STATUS, index) =>
    feature(index + 1, {
      visible_id: `A-VERY-LONG-VISIBLE-ID-OF-A-TICKET-${index}`,
      properties: { STATUS },
      geometry: { type: "Point", coordinates: [11 + index / 100, 48] },
      created_at: "2024-03-01T08:00:00Z",
    }),
  );
  const propertyChanges = words.flatMap((new_value, index) =>
    [1, 2, 3].map((id) =>
      change(10 * index + id, {
        layer_feature_id: id,
        new_value,
        // The last one was made before the one before it.
        created_at: `2024-03-${String([1, 20, 12][index]).padStart(2, "0")}T09:0${id}:00Z`,
        id: `018e0000-0000-7000-8000-0000000000${10 * index + id + 10}`,
      }),
    ),
  );
  return historyOf(layerFeatures, propertyChanges, "2024-03-31");
}

const overTime = ["burnDown", "cumulativeFlow", "sCurve", "mapPanels", "mapAnimation"] as const;

describe.each(overTime)("the dates of %s", (name) => {
  const draw = historyFigures[name];

  test("are a list, alone or named, or steps", () => {
    const steps = { from: "2024-03-05", until: "2024-03-10", every: "P5D" };
    const forms = [["2024-03-05", "2024-03-10"], { dates: ["2024-03-05", "2024-03-10"] }, steps];
    const [list, ...others] = forms.map((dates) => draw(history, { dates }).outerHTML);
    for (const other of others) expect(other).toBe(list);
    expect(list).not.toBe(draw(history).outerHTML);
  });

  test.each([["2024-03-05"], [5], [["2024-02-30"]], [{ from: "2024-03-05", until: "2024-03-10" }]])(
    "are not %j",
    (dates) => {
      expect(() => draw(history, { dates })).toThrow(ArgumentError);
    },
  );
});

describe.each(each)("%s", (_, draw) => {
  test("has a description", () => {
    expect(labelOf(draw(history))).toMatch(/^[A-Z0-9].{25,}\.$/);
  });

  test("rejects unknown options", () => {
    expect(() => draw(history, { widht: 300 })).toThrow(/has no option/);
  });

  test("passes Plot's options through", () => {
    const marks = [Plot.text(["my own mark"], { frameAnchor: "middle" })];
    const svg = draw(history, { title: "Mine", subtitle: "Ours", caption: "Theirs", width: 611, marks }).toSVG();
    for (const text of ["Mine", "Ours", "Theirs", "my own mark"]) expect(svg).toContain(`${text}</text>`);
    expect(svg).toMatch(/^<svg[^>]* width="611"/);
    expect(draw(history, { height: 333 }).toSVG()).toContain('height="333"');
    expect(draw(history, { style: { fontSize: "17px" } }).toSVG()).toContain("font-size:17px");
  });

  test("shows the time of its data, unless `provenance` is false", () => {
    const line = "Data read 2024-03-31 00:00 UTC";
    const figure = draw(history);
    expect(figure.toSVG()).toContain(`${line}</text>`);
    // The frame of a time map contains an image of the figure, whose lines are SVG.
    expect(figure.outerHTML).toContain(`${line}</${figure.outerHTML.includes("<iframe") ? "text" : "figcaption"}>`);
    expect(figure.toSVG()).toContain('data-read-at="2024-03-31T00:00:00.000Z"');
    expect(provenanceOf(figure)).toEqual(history.provenance);
    const silent = draw(history, { provenance: false });
    expect(silent.toSVG() + silent.outerHTML).not.toMatch(/Data read|data-read-at/);
    expect(provenanceOf(silent)).toEqual(history.provenance);
  });

  test.each(["short", "long"])("does not clip %s labels", async (kind) => {
    const figure = kind === "long" ? draw(wordy, {}, wordySpell) : draw(history);
    expect(inkAtEdge(decodePng(await toPNG(figure, { scale: 1 })))).toEqual([]);
  });
});

test.each([
  ["aging", (data: History) => aging(data, "STATUS", { open: "OPEN" })],
  ["burnDown", (data: History) => burnDown(data, "STATUS", { until: "2024-03-30" })],
  ["netFlow", (data: History) => netFlow(data, "STATUS", { done: "CLOSED" })],
  ["sCurve", (data: History) => sCurve(data, "STATUS")],
  ["mapAnimation", (data: History) => mapAnimation(data, "STATUS", { dates })],
  ["transitionMap", (data: History) => transitionMap(data, "STATUS")],
])("%s rejects the questions of an engine, with a fix", (_, draw) => {
  const questions: unknown = Object.create(LazyHistory.prototype);
  expect(() => draw(questions as History)).toThrow(
    expect.objectContaining({
      code: "ERR_ARGUMENT",
      message: "Figures need a history or a table, got a lazy history.",
      hint: expect.stringMatching(/^Pass a history.* Use `await snapshot\.history\(…\)`/),
    }),
  );
});

test("a figure of a snapshot shows its generation, without the folder of the snapshot", async () => {
  const origin = { kind: "snapshot", name: "/home/jane/acme.snapshot", generation: 3 } as const;
  const provenance = { origin, generation: 3, readAt: new Date("2026-06-30T14:03:30Z") };
  const figure = plot({ marks: [Plot.dot([1])], provenance: { provenance } });
  expect(figure.toSVG()).toContain("Data read 2026-06-30 14:03 UTC (acme.snapshot, generation 3)</text>");
  expect(figure.toSVG()).toContain('data-generation="3"');
  expect(figure.toSVG()).not.toContain("/home/jane");
});

test("plot() shows the time of the tables of its marks", () => {
  const marks = [Plot.ruleX([1]), [Plot.dot(history.asOf("2024-03-30"), { x: "id" })]];
  expect(plot({ marks }).toSVG()).toContain("Data read 2024-03-31 00:00 UTC");
  expect(plot({ marks, provenance: false }).toSVG()).not.toContain("Data read");
  expect(plot({ marks: [Plot.dot(from([{ id: 1 }]), { x: "id" })] }).toSVG()).not.toContain("Data read");
});
