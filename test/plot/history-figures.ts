import type { History } from "../../src/index.js";
import {
  aging,
  burnDown,
  cumulativeFlow,
  cycleTimeHistogram,
  cycleTimeScatter,
  editHeatmap,
  type Figure,
  histogram,
  lateEdits,
  layerMap,
  lines,
  type MapAnimation,
  mapAnimation,
  mapPanels,
  netFlow,
  pareto,
  progressBars,
  sCurve,
  survivalCurve,
  timeInStatus,
  transitionMap,
  valueOverTime,
  workInProgress,
} from "../../src/plot/index.js";

const dates = ["2024-03-05", "2024-03-10", "2024-03-30"];

/** The column of a figure, and the first and last value in other histories than `plottedHistory()`. */
interface Drawn {
  readonly column?: string;
  readonly start?: string;
  readonly done?: string;
}

type Draw = (data: History, options: object, column: string, values: Drawn) => Figure | MapAnimation;

const draws = {
  burnDown: (data, options, column) => burnDown(data, column, { dates, ...options }),
  cumulativeFlow: (data, options, column) => cumulativeFlow(data, column, { dates, ...options }),
  sCurve: (data, options, column) => sCurve(data, column, { dates, ...options }),
  survivalCurve: (data, options, column, { start = "OPEN", done = "BLOCKED" }) =>
    survivalCurve(data, column, { start, done, ...options }),
  timeInStatus: (data, options, column) => timeInStatus(data, column, options),
  transitionMap: (data, options, column) => transitionMap(data, column, options),
  valueOverTime: (data, options, column) => valueOverTime(data, column, options),
  editHeatmap: (data, options) => editHeatmap(data, options),
  lateEdits: (data, options) => lateEdits(data, options),
  aging: (data, options, column, { done }) =>
    aging(data, column, { open: done ?? ["OPEN", "BLOCKED"], by: "visible_id", ...options }),
  "aging at dates": (data, options, column, { done = "OPEN" }) =>
    aging(data, column, { open: done, dates, ...options }),
  cycleTimeScatter: (data, options, column, { done = "CLOSED" }) =>
    cycleTimeScatter(data, column, { done, ...options }),
  cycleTimeHistogram: (data, options, column, { done = "CLOSED" }) =>
    cycleTimeHistogram(data, column, { done, ...options }),
  workInProgress: (data, options, column, { done = "CLOSED" }) => workInProgress(data, column, { done, ...options }),
  netFlow: (data, options, column, { done = "CLOSED" }) => netFlow(data, column, { done, every: "day", ...options }),
  histogram: (data, options, column) => histogram(data.durations(column), "days", options),
  lines: (data, options, column) => lines(data.counts(column, dates), { y: "count", by: "value", ...options }),
  pareto: (data, options, column) => pareto(data.durations(column), { by: "value", measure: "days", ...options }),
  progressBars: (data, options, column, { done = "CLOSED" }) =>
    progressBars(data.progress(column, { done, by: "visible_id", since: "2024-03-05" }), options),
  layerMap: (data, options, column) => layerMap(data, column, options),
  mapPanels: (data, options, column) => mapPanels(data, column, { dates, ...options }),
  mapAnimation: (data, options, column) => mapAnimation(data, column, { dates, ...options }),
} satisfies Readonly<Record<string, Draw>>;

/** Every function that draws a history, with options of the figure. */
export const historyFigures = Object.fromEntries(
  Object.entries<Draw>(draws).map(([name, draw]) => [
    name,
    (data: History, options: object = {}, { column = "STATUS", ...values }: Drawn = {}) =>
      draw(data, options, column, values),
  ]),
) as Readonly<Record<keyof typeof draws, (data: History, options?: object, drawn?: Drawn) => Figure | MapAnimation>>;
