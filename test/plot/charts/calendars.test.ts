import { expect, test } from "vitest";
import { calendar, type History } from "../../../src/index.js";
import {
  aging,
  cycleTimeHistogram,
  cycleTimeScatter,
  type Figure,
  netFlow,
  survivalCurve,
  workInProgress,
} from "../../../src/plot/index.js";
import { wordsOf } from "../figure-words.js";
import { plottedHistory } from "../plotted-history.js";

const history: History = await plottedHistory();
const working = calendar({ timeZone: "UTC", weekend: ["saturday", "sunday", "monday"] });
const given = { calendar: working };
const open = ["OPEN", "BLOCKED"];
const buckets = [4, 12];
const done = "CLOSED";

const shapes = (figure: Figure) => figure.outerHTML.match(/ (d|cy|y|height|x|width)="[^"]*"/g);

test.each<[string, (history: History, options?: object) => Figure, (history: History) => Figure]>([
  [
    "aging",
    (data, options) => aging(data, "STATUS", { open, buckets, ...options }),
    (data) => aging(data.aging("STATUS", { open, buckets, ...given }), "STATUS"),
  ],
  [
    "cycleTimeScatter",
    (data, options) => cycleTimeScatter(data, "STATUS", { done, ...options }),
    (data) => cycleTimeScatter(data.flow("STATUS", { done, ...given }), "STATUS"),
  ],
  [
    "cycleTimeHistogram",
    (data, options) => cycleTimeHistogram(data, "STATUS", { done, ...options }),
    (data) => cycleTimeHistogram(data.flow("STATUS", { done, ...given }), "STATUS"),
  ],
  [
    "workInProgress",
    (data, options) => workInProgress(data, "STATUS", { start: "BLOCKED", done, ...options }),
    (data) => workInProgress(data.flow("STATUS", { start: "BLOCKED", done, ...given }), "STATUS"),
  ],
  [
    "survivalCurve",
    (data, options) => survivalCurve(data, "STATUS", { start: "OPEN", done: done, ...options }),
    (data) => survivalCurve(data.survival("STATUS", { start: "OPEN", done: done, ...given }), "STATUS"),
  ],
])("%s counts working days by a calendar, and labels them", (_, ofHistory, ofTable) => {
  const figure = ofHistory(history, given);
  expect(shapes(figure)).toEqual(shapes(ofTable(history)));
  expect(wordsOf(figure)).toMatch(/working days/i);
  expect(wordsOf(ofHistory(history))).not.toMatch(/working days/i);
});

test("netFlow counts items, with any calendar", () => {
  const figure = netFlow(history, "STATUS", { done, ...given });
  expect(shapes(figure)).toEqual(shapes(netFlow(history, "STATUS", { done })));
});

test("aging and cycle times drop unknown starts on request", () => {
  const dropped = { unknownStart: "drop" } as const;
  const ages = aging(history, "STATUS", { open, buckets, ...dropped });
  expect(shapes(ages)).toEqual(shapes(aging(history.aging("STATUS", { open, buckets, ...dropped }), "STATUS")));
  const cycles = cycleTimeScatter(history, "STATUS", { done, ...dropped });
  expect(shapes(cycles)).toEqual(shapes(cycleTimeScatter(history.flow("STATUS", { done, ...dropped }), "STATUS")));
});
