/**
 * Charts and maps of layers and histories.
 *
 * @module siteframe/plot
 */
export { type BurnDownOptions, burnDown } from "./burn-down.js";
export type { ChartDates } from "./chart-dates.js";
export { type CumulativeFlowOptions, cumulativeFlow } from "./cumulative-flow.js";
export { type EditHeatmapOptions, editHeatmap } from "./edit-heatmap.js";
export type { Figure } from "./figure.js";
export { type LateEditsOptions, lateEdits } from "./late-edits.js";
export { layerMap, type MapOptions } from "./layer-map.js";
export { mapAt } from "./map-at.js";
export { Plot } from "./namespace.js";
export { type FigureOptions, plot } from "./plot.js";
export { type SCurveOptions, sCurve } from "./s-curve.js";
export { type TimeInStatusOptions, timeInStatus } from "./time-in-status.js";
export { type TimeMap, type TimeMapOptions, timeMap } from "./time-map.js";
export { type PngOptions, toPNG } from "./to-png.js";
export { type TransitionMapOptions, transitionMap } from "./transition-map.js";
export { type ValueOverTimeOptions, valueOverTime } from "./value-over-time.js";
