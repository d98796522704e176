/**
 * Charts and maps of layers and histories.
 *
 * @module siteframe/plot
 */

export { type Basemap, type BasemapOutlines, MapBasemap } from "./basemap/basemap.js";
export {
  type ArchiveSource,
  type BasemapSource,
  type Bounds,
  type ImageSource,
  loadBasemap,
  type TileSource,
} from "./basemap/load-basemap.js";
export { type AgingFigureOptions, aging } from "./charts/aging-buckets.js";
export { type BurnDownOptions, burnDown } from "./charts/burn-down.js";
export { type CaptureChangesOptions, captureChanges } from "./charts/capture-changes.js";
export { type CumulativeFlowOptions, cumulativeFlow } from "./charts/cumulative-flow.js";
export { type EditHeatmapOptions, editHeatmap } from "./charts/edit-heatmap.js";
export type { FanOptions } from "./charts/forecast-fan.js";
export { type HistogramOptions, histogram } from "./charts/histogram.js";
export { type LateEditsOptions, lateEdits } from "./charts/late-edits.js";
export { type LinesOptions, type LinesOrder, lines } from "./charts/line-chart.js";
export { type ParetoOptions, pareto } from "./charts/pareto.js";
export { type ProgressBarsOptions, progressBars } from "./charts/progress-bars.js";
export { type SCurveOptions, sCurve } from "./charts/s-curve.js";
export { type SurvivalCurveOptions, survivalCurve } from "./charts/survival-curve.js";
export {
  cycleTimeHistogram,
  cycleTimeScatter,
  type FlowFigureOptions,
  netFlow,
  workInProgress,
} from "./charts/ticket-flow.js";
export { type TimeInStatusOptions, timeInStatus } from "./charts/time-in-status.js";
export { type TransitionMapOptions, transitionMap } from "./charts/transition-map.js";
export { type ValueOverTimeOptions, valueOverTime } from "./charts/value-over-time.js";
export type { Figure, FigureOptions } from "./figure/figure.js";
export { type Kpi, type KpiOptions, type Kpis, kpis } from "./figure/kpis.js";
export { Plot, plot } from "./figure/plot.js";
export {
  type ReportHeader,
  type ReportHeaderOptions,
  type ReportLanguage,
  reportHeader,
  reportLanguage,
} from "./figure/report-header.js";
export { type Sparklines, type SparklinesOptions, sparklines } from "./figure/sparklines.js";
export { type PngOptions, toPNG } from "./figure/to-png.js";
export { type FeatureCards, type FeatureCardsOptions, featureCards } from "./maps/feature-cards.js";
export type { LinkFeature } from "./maps/feature-links.js";
export { layerMap, type MapOptions } from "./maps/layer-map.js";
export { type FramesOptions, type MapAnimation, type MapAnimationOptions, mapAnimation } from "./maps/map-animation.js";
export { type MapPanelsOptions, mapPanels } from "./maps/map-panels.js";
