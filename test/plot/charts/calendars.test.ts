import { expect, test } from "vitest";
import { calendar, type History } from "../../../src/index.js";
import {
  ageing,
  cycleTimeHistogram,
  cycleTimeScatter,
  type Figure,
  netFlow,
  survivalCurve,
  workInProgress,
} from "../../../src/plot/index.js";
import { plottedHistory } from "../plotted-history.js";

const history: History = await plottedHistory();
const working = calendar({ timeZone: "UTC", weekend: ["saturday", "sunday", "monday"] });
const given = { calendar: working };
const open = ["OPEN", "BLOCKED"];
const buckets = [4, 12];
const done = "CLOSED";

const shapes = (figure: Figure) => figure.outerHTML.match(/ (d|cy|y|height|x|width)="[^"]*"/g);
const words = (figure: Figure) => figure.outerHTML.replace(/<style>[\s\S]*?<\/style>|<script[\s\S]*?<\/script>/g, "");

test.each<[string, (history: History) => Figure, (history: History) => Figure]>([
  [
    "ageing",
    (data) => ageing(data, "STATUS", { open, buckets, ...given }),
    (data) => ageing(data.ageing("STATUS", { open, buckets, ...given }), "STATUS"),
  ],
  [
    "cycleTimeScatter",
    (data) => cycleTimeScatter(data, "STATUS", { done, ...given }),
    (data) => cycleTimeScatter(data.flow("STATUS", { done, ...given }), "STATUS"),
  ],
  [
    "cycleTimeHistogram",
    (data) => cycleTimeHistogram(data, "STATUS", { done, ...given }),
    (data) => cycleTimeHistogram(data.flow("STATUS", { done, ...given }), "STATUS"),
  ],
  [
    "workInProgress",
    (data) => workInProgress(data, "STATUS", { start: "BLOCKED", done, ...given }),
    (data) => workInProgress(data.flow("STATUS", { start: "BLOCKED", done, ...given }), "STATUS"),
  ],
  [
    "survivalCurve",
    (data) => survivalCurve(data, "STATUS", { from: "OPEN", to: done, ...given }),
    (data) => survivalCurve(data.survival("STATUS", { from: "OPEN", to: done, ...given }), "STATUS"),
  ],
])("%s counts working days by a calendar, and says so", (_, ofHistory, ofTable) => {
  const figure = ofHistory(history);
  expect(shapes(figure)).toEqual(shapes(ofTable(history)));
  expect(words(figure)).toContain("working days");
});

test("netFlow counts items, whatever the calendar", () => {
  const figure = netFlow(history, "STATUS", { done, ...given });
  expect(shapes(figure)).toEqual(shapes(netFlow(history, "STATUS", { done })));
});
