import { from } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import { Questions } from "../../src/history/questions/questions.js";
import { ArgumentError, fromRecords, type History, provenanceOf } from "../../src/index.js";
import {
  ageing,
  burnDown,
  cumulativeFlow,
  cycleTimeHistogram,
  cycleTimeScatter,
  editHeatmap,
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
  survivalCurve,
  timeInStatus,
  timeMap,
  toPNG,
  transitionMap,
  valueOverTime,
  workInProgress,
} from "../../src/plot/index.js";
import { palette, steps } from "../../src/plot/values/palette.js";
import { change, feature } from "../support/records.js";
import { plottedHistory } from "./plotted-history.js";
import { decodePng } from "./png/decode-png.js";

const dates = ["2024-03-05", "2024-03-10", "2024-03-30"];

/** Every function that draws a history. */
const figures = {
  burnDown: (data: History, options?: object) => burnDown(data, "STATUS", { dates, ...options }),
  cumulativeFlow: (data: History, options?: object) => cumulativeFlow(data, "STATUS", { dates, ...options }),
  sCurve: (data: History, options?: object) => sCurve(data, "STATUS", { dates, ...options }),
  survivalCurve: (data: History, options?: object) =>
    survivalCurve(data, "STATUS", { ...(data === wordy ? wordySpell : { from: "OPEN", to: "BLOCKED" }), ...options }),
  timeInStatus: (data: History, options?: object) => timeInStatus(data, "STATUS", options),
  transitionMap: (data: History, options?: object) => transitionMap(data, "STATUS", options),
  valueOverTime: (data: History, options?: object) => valueOverTime(data, "STATUS", options),
  editHeatmap: (data: History, options?: object) => editHeatmap(data, options),
  lateEdits: (data: History, options?: object) => lateEdits(data, options),
  ageing: (data: History, options?: object) =>
    ageing(data, "STATUS", {
      open: data === wordy ? wordySpell.to : ["OPEN", "BLOCKED"],
      by: "visible_id",
      ...options,
    }),
  "ageing at dates": (data: History, options?: object) =>
    ageing(data, "STATUS", { open: data === wordy ? wordySpell.to : "OPEN", dates, ...options }),
  cycleTimeScatter: (data: History, options?: object) =>
    cycleTimeScatter(data, "STATUS", { ...ends(data), ...options }),
  cycleTimeHistogram: (data: History, options?: object) =>
    cycleTimeHistogram(data, "STATUS", { ...ends(data), ...options }),
  workInProgress: (data: History, options?: object) => workInProgress(data, "STATUS", { ...ends(data), ...options }),
  netFlow: (data: History, options?: object) => netFlow(data, "STATUS", { ...ends(data), every: "day", ...options }),
  histogram: (data: History, options?: object) => histogram(data.durations("STATUS"), "days", options),
  lines: (data: History, options?: object) =>
    lines(data.counts("STATUS", dates), { y: "count", by: "value", ...options }),
  pareto: (data: History, options?: object) =>
    pareto(data.durations("STATUS"), { by: "value", measure: "days", ...options }),
  progressBars: (data: History, options?: object) =>
    progressBars(data.progress("STATUS", { ...ends(data), by: "visible_id", since: "2024-03-05" }), options),
  layerMap: (data: History, options?: object) => layerMap(data, "STATUS", options),
  mapAt: (data: History, options?: object) => mapAt(data, "STATUS", { dates, ...options }),
  timeMap: (data: History, options?: object) => timeMap(data, "STATUS", { dates, ...options }),
};
const each = Object.entries(figures);

function ends(data: History) {
  return { done: data === wordy ? wordySpell.to : "CLOSED" };
}

let history: History;
let wordy: History;

beforeAll(async () => {
  history = await plottedHistory();
  wordy = await wordyHistory();
});

const wordySpell = { from: "Waiting for the supplier's confirmation", to: "WWWWWWWWWWWWWWWWWWWWWWWW" };

/** Values and names that are longer than anybody would draw on purpose. */
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
  const source = fromRecords({ datasets: [], layerFeatures, propertyChanges }, { readAt: new Date("2024-03-31") });
  return source.history({ site_id: 12 });
}

const overTime = ["burnDown", "cumulativeFlow", "sCurve", "mapAt", "timeMap"] as const;

describe.each(overTime)("the dates of %s", (name) => {
  const draw = figures[name];

  test("are a list, alone or named, or steps", () => {
    const steps = { from: "2024-03-05", to: "2024-03-10", every: "P5D" };
    const asked = [["2024-03-05", "2024-03-10"], { dates: ["2024-03-05", "2024-03-10"] }, steps];
    const [list, ...others] = asked.map((dates) => draw(history, { dates }).outerHTML);
    for (const other of others) expect(other).toBe(list);
    expect(list).not.toBe(draw(history).outerHTML);
  });

  test.each([["2024-03-05"], [5], [["2024-02-30"]], [{ from: "2024-03-05", to: "2024-03-10" }]])(
    "are not %j",
    (dates) => {
      expect(() => draw(history, { dates })).toThrow(ArgumentError);
    },
  );
});

describe.each(each)("%s", (_, draw) => {
  test("says in words what it shows", () => {
    const [, spoken = ""] = /^<svg[^>]* role="img"[^>]* aria-label="([^"]*)"/.exec(draw(history).toSVG()) ?? [];
    expect(spoken).toMatch(/^[A-Z0-9].{25,}\.$/);
  });

  test("passes Plot's options through", () => {
    const marks = [Plot.text(["my own mark"], { frameAnchor: "middle" })];
    const svg = draw(history, { title: "Mine", subtitle: "Ours", caption: "Theirs", width: 611, marks }).toSVG();
    for (const text of ["Mine", "Ours", "Theirs", "my own mark"]) expect(svg).toContain(`${text}</text>`);
    expect(svg).toMatch(/^<svg[^>]* width="611"/);
    expect(draw(history, { height: 333 }).toSVG()).toContain('height="333"');
    expect(draw(history, { style: { fontSize: "17px" } }).toSVG()).toContain("font-size:17px");
  });

  test("says how old its data are, unless that is not wanted", () => {
    const line = "Data read 2024-03-31 00:00 UTC";
    const figure = draw(history);
    expect(figure.toSVG()).toContain(`${line}</text>`);
    // In the frame of a time map stands an image of the figure, whose lines are SVG.
    expect(figure.outerHTML).toContain(`${line}</${figure.outerHTML.includes("<iframe") ? "text" : "figcaption"}>`);
    expect(figure.toSVG()).toContain('data-read-at="2024-03-31T00:00:00.000Z"');
    expect(provenanceOf(figure)).toEqual(history.provenance);
    const silent = draw(history, { provenance: false });
    expect(silent.toSVG() + silent.outerHTML).not.toMatch(/Data read|data-read-at/);
    expect(provenanceOf(silent)).toEqual(history.provenance);
  });

  test.each(["short", "long"])("clips no %s labels: its edge is blank", async (kind) => {
    const image = decodePng(await toPNG(draw(kind === "long" ? wordy : history), { scale: 1 }));
    const [right, bottom] = [image.width - 1, image.height - 1];
    const across = Array.from({ length: image.width }, (_, x) => [image.at(x, 0), image.at(x, bottom)]).flat();
    const down = Array.from({ length: image.height }, (_, y) => [image.at(0, y), image.at(right, y)]).flat();
    expect([...across, ...down].filter((pixel) => pixel.join() !== "255,255,255,255")).toEqual([]);
  });
});

test.each([
  ["ageing", (data: History) => ageing(data, "STATUS", { open: "OPEN" })],
  ["burnDown", (data: History) => burnDown(data, "STATUS", { until: "2024-03-30" })],
  ["netFlow", (data: History) => netFlow(data, "STATUS", { done: "CLOSED" })],
  ["sCurve", (data: History) => sCurve(data, "STATUS")],
  ["timeMap", (data: History) => timeMap(data, "STATUS", { dates })],
  ["transitionMap", (data: History) => transitionMap(data, "STATUS")],
])("%s of the questions of an engine says what to give", (_, draw) => {
  const questions: unknown = Object.create(Questions.prototype);
  expect(() => draw(questions as History)).toThrow(
    expect.objectContaining({
      code: "ERR_ARGUMENT",
      message: "Figures are drawn of histories and tables, and these are questions that an engine answers.",
      hint: expect.stringMatching(/^Give a history.* A history is `await snapshot\.history\(…\)`/),
    }),
  );
});

test("a figure of a snapshot names its state, and no folder around it", async () => {
  const origin = { kind: "snapshot", name: "/home/jane/acme.snapshot", generation: 3 } as const;
  const provenance = { origin, generation: 3, readAt: new Date("2026-06-30T14:03:30Z") };
  const figure = plot({ marks: [Plot.dot([1])], provenance: { provenance } });
  expect(figure.toSVG()).toContain("Data read 2026-06-30 14:03 UTC (acme.snapshot, generation 3)</text>");
  expect(figure.toSVG()).toContain('data-generation="3"');
  expect(figure.toSVG()).not.toContain("/home/jane");
});

test("a figure of one's own takes the age from the tables of its marks", () => {
  const marks = [Plot.ruleX([1]), [Plot.dot(history.asOf("2024-03-30"), { x: "id" })]];
  expect(plot({ marks }).toSVG()).toContain("Data read 2024-03-31 00:00 UTC");
  expect(plot({ marks, provenance: false }).toSVG()).not.toContain("Data read");
  expect(plot({ marks: [Plot.dot(from([{ id: 1 }]), { x: "id" })] }).toSVG()).not.toContain("Data read");
});

describe("colours", () => {
  /** How colours look to those who lack a kind of cone, on linear RGB (Viénot, Brettel and Mollon 1999). */
  const sights: Readonly<Record<string, readonly (readonly number[])[]>> = {
    all: [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    protanopia: [
      [0.11238, 0.88762, 0],
      [0.11238, 0.88762, 0],
      [0.00401, -0.00401, 1],
    ],
    deuteranopia: [
      [0.29275, 0.70725, 0],
      [0.29275, 0.70725, 0],
      [-0.02234, 0.02234, 1],
    ],
  };

  function lab(hex: string, sight: readonly (readonly number[])[]): readonly number[] {
    const linear = [1, 3, 5].map((at) => (Number.parseInt(hex.slice(at, at + 2), 16) / 255) ** 2.2);
    const [r = 0, g = 0, b = 0] = sight.map((row) =>
      Math.max(
        0,
        row.reduce((sum, share, index) => sum + share * (linear[index] ?? 0), 0),
      ),
    );
    const cube = (value: number) => Math.cbrt(Math.max(value, 0.009));
    const x = cube((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    const y = cube(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const z = cube((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  }

  function nearest(colours: readonly string[], sight: readonly (readonly number[])[]): number {
    const points = colours.map((colour) => lab(colour, sight));
    const distances = points.flatMap((a, index) =>
      points.slice(index + 1).map((b) => Math.hypot(...a.map((value, axis) => value - (b[axis] ?? 0)))),
    );
    return Math.min(...distances);
  }

  test.each(Object.entries(sights))("stay apart with %s", (_, sight) => {
    // 2.3 is what a trained eye can just tell apart side by side.
    expect(nearest(palette, sight)).toBeGreaterThan(10);
    expect(nearest(steps, sight)).toBeGreaterThan(10);
  });

  test("of classes go from dark to light, so that they can be told in grey", () => {
    const lightness = steps.map((colour) => lab(colour, sights["all"] ?? [])[0] ?? 0);
    expect(lightness).toEqual([...lightness].sort((a, b) => a - b));
  });
});
